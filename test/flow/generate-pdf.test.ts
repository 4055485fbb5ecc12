import pino from 'pino';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { AppError } from '../../src/kernel/errors.js';
import type { EventRef } from '../../src/outbox/events.js';
import { makeSettleFailure } from '../../src/outbox/settle-failure.js';
import { makeGeneratePdf } from '../../src/pdf/generate-pdf.js';
import { claimPdf } from '../../src/pdf/pdf-status.js';
import { RenderFailed, RenderTimeout } from '../../src/pdf/renderer.js';
import { queueOf } from '../../src/queue/queues.js';
import { useDatabase } from '../helpers/database.js';
import { eventOf, eventsOf } from '../helpers/events.js';
import { issueInvoice } from '../helpers/issued-invoice.js';

const database = useDatabase();

/** What the fakes at the ports saw and do. */
const objects = new Map<string, Uint8Array>();
const enqueued: { event: EventRef; delaySeconds: number }[] = [];
let render: () => Promise<Uint8Array>;
let put: (key: string) => Promise<void>;

const enqueueLater = async (_: Tx, event: EventRef, delaySeconds: number) => {
  enqueued.push({ event, delaySeconds });
};

let generatePdf: (event: EventRef) => Promise<void>;

beforeAll(() => {
  generatePdf = makeGeneratePdf({
    db: database.db,
    renderer: { render: () => render() },
    storage: {
      async put(key, bytes) {
        await put(key);
        objects.set(key, bytes);
      },
    },
    settleFailure: makeSettleFailure({ retryDelaysSeconds: [1, 5, 30, 300], queueOf, enqueueLater }),
    enqueueLater,
    leaseSeconds: 60,
    renderTimeoutSeconds: 30,
    pageSize: 'A4',
    log: pino({ level: 'silent' }),
  });
});

beforeEach(() => {
  objects.clear();
  enqueued.length = 0;
  render = async () => new TextEncoder().encode('%PDF-');
  put = async () => undefined;
});

async function issue() {
  const invoiceId = await issueInvoice(database.db);
  return { invoiceId, created: await eventOf(database.sql, invoiceId, 'InvoiceCreated') };
}

async function pdfOf(invoiceId: string) {
  const { rows } = await database.sql.query(
    `SELECT pdf_status AS status, pdf_error_code AS code, pdf_revision AS revision, pdf_object_key AS key,
            pdf_attempt AS attempt, pdf_failures AS failures, status AS invoice, total::text
     FROM invoices WHERE id = $1`,
    [invoiceId],
  );
  return rows[0];
}

/** The delay of a retry is over; a dead one has none. */
const makeDue = (invoiceId: string) =>
  database.sql.query('UPDATE invoices SET pdf_retry_at = now() WHERE id = $1 AND pdf_retry_at IS NOT NULL', [
    invoiceId,
  ]);

const deadLettersOf = async (invoiceId: string) =>
  (
    await database.sql.query('SELECT queue, code, attempts FROM dead_letters WHERE invoice_id = $1', [
      invoiceId,
    ])
  ).rows;

const typesOf = async (invoiceId: string) =>
  (await eventsOf(database.sql, invoiceId)).map(({ type }) => type);

describe('a rendering that works out', () => {
  test('is a file, a revision and an event that are true together', async () => {
    const { invoiceId, created } = await issue();
    await generatePdf(created);
    const pdf = await pdfOf(invoiceId);
    expect(pdf).toMatchObject({ status: 'GENERATED', revision: 1, code: null });
    expect(pdf.key).toMatch(/^invoices\/\d{4}\/\d{2}\/inv_[0-9a-z]{26}\/r1\.pdf$/);
    expect([...objects.keys()]).toEqual([pdf.key]);
    const { rows } = await database.sql.query(
      'SELECT object_key, bytes, sha256 FROM invoice_pdf_revisions WHERE invoice_id = $1',
      [invoiceId],
    );
    expect(rows).toEqual([
      { object_key: pdf.key, bytes: 5, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(await typesOf(invoiceId)).toEqual(['InvoiceCreated', 'InvoicePDFGenerated']);
  });

  test('is not repeated when its event comes again', async () => {
    const { invoiceId, created } = await issue();
    await generatePdf(created);
    await generatePdf(created);
    expect(objects.size).toBe(1);
    expect(await typesOf(invoiceId)).toEqual(['InvoiceCreated', 'InvoicePDFGenerated']);
  });

  test('is left to the worker that holds it; another comes back when the lease is over', async () => {
    const { invoiceId, created } = await issue();
    render = async () => {
      await generatePdf(created);
      return new TextEncoder().encode('%PDF-');
    };
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'GENERATED', revision: 1 });
    expect(objects.size).toBe(1);
    expect(enqueued).toEqual([{ event: created, delaySeconds: expect.any(Number) }]);
    expect(enqueued[0]?.delaySeconds).toBeGreaterThan(50);
  });
});

describe('a failed attempt', () => {
  const failures: [string, string, () => void][] = [
    [
      'cannot be rendered',
      'RENDER_FAILED',
      () => {
        render = () => Promise.reject(new RenderFailed('no'));
      },
    ],
    [
      'takes too long',
      'RENDER_TIMEOUT',
      () => {
        render = () => Promise.reject(new RenderTimeout('slow'));
      },
    ],
    [
      'cannot be stored',
      'STORAGE_ERROR',
      () => {
        put = () => Promise.reject(new AppError('STORAGE_ERROR', 'full'));
      },
    ],
    [
      'meets a bug',
      'RENDER_FAILED',
      () => {
        render = () => Promise.reject(new TypeError('undefined'));
      },
    ],
  ];

  test.each(failures)(
    'that %s is FAILED with %s and its retry, and the invoice stays',
    async (_, code, fail) => {
      const { invoiceId, created } = await issue();
      fail();
      await generatePdf(created);
      expect(await pdfOf(invoiceId)).toMatchObject({
        status: 'FAILED',
        code,
        revision: null,
        failures: 1,
        invoice: 'FINALIZED',
        total: '81.0000',
      });
      expect(enqueued).toEqual([{ event: created, delaySeconds: 1 }]);
      expect(objects.size).toBe(0);
    },
  );

  test('is retried after each delay and then becomes a dead letter with its event', async () => {
    const { invoiceId, created } = await issue();
    render = () => Promise.reject(new RenderFailed('no'));
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await generatePdf(created);
      await makeDue(invoiceId);
    }
    expect(enqueued.map(({ delaySeconds }) => delaySeconds)).toEqual([1, 5, 30, 300]);
    expect(await deadLettersOf(invoiceId)).toEqual([{ queue: 'pdf', code: 'RENDER_FAILED', attempts: 5 }]);
    expect(await typesOf(invoiceId)).toEqual(['InvoiceCreated', 'InvoicePDFGenerationFailed']);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'FAILED', code: 'RENDER_FAILED' });
  });

  test('is not tried before its delay by a second delivery, and not at all once it is dead', async () => {
    const { invoiceId, created } = await issue();
    render = () => Promise.reject(new RenderFailed('no'));
    await generatePdf(created);
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ attempt: 1, failures: 1 });
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      await makeDue(invoiceId);
      await generatePdf(created);
    }
    enqueued.length = 0;
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'FAILED', attempt: 5, failures: 5 });
    expect(await deadLettersOf(invoiceId)).toHaveLength(1);
    expect(enqueued).toEqual([]);
  });

  test('leaves the next attempt free to finish', async () => {
    const { invoiceId, created } = await issue();
    put = () => Promise.reject(new AppError('STORAGE_ERROR', 'away'));
    await generatePdf(created);
    put = async () => undefined;
    await makeDue(invoiceId);
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({
      status: 'GENERATED',
      revision: 2,
      code: null,
      failures: 0,
    });
  });
});

describe('a claimant that lost its lease', () => {
  test('writes nothing that anyone sees', async () => {
    const { invoiceId, created } = await issue();
    let overtaken = 0;
    render = async () => {
      // While this worker sleeps, its lease runs out and another one finishes.
      if (overtaken++ === 0) {
        await database.sql.query(`UPDATE invoices SET pdf_lease_until = clock_timestamp() WHERE id = $1`, [
          invoiceId,
        ]);
        await generatePdf(created);
      }
      return new TextEncoder().encode('%PDF-');
    };
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'GENERATED', revision: 2 });
    const { rows } = await database.sql.query(
      'SELECT revision FROM invoice_pdf_revisions WHERE invoice_id = $1',
      [invoiceId],
    );
    expect(rows).toEqual([{ revision: 2 }]);
    expect(await typesOf(invoiceId)).toEqual(['InvoiceCreated', 'InvoicePDFGenerated']);
  });

  test('does not finish what another one holds', async () => {
    const { invoiceId, created } = await issue();
    render = async () => {
      await database.sql.query(`UPDATE invoices SET pdf_lease_until = clock_timestamp() WHERE id = $1`, [
        invoiceId,
      ]);
      await claimPdf(database.db, invoiceId, 60);
      return new TextEncoder().encode('%PDF-');
    };
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'PROCESSING', attempt: 2, revision: null });
    expect(await typesOf(invoiceId)).toEqual(['InvoiceCreated']);
    expect(enqueued).toEqual([]);
  });

  test('does not fail what another one holds', async () => {
    const { invoiceId, created } = await issue();
    render = async () => {
      await database.sql.query(`UPDATE invoices SET pdf_lease_until = clock_timestamp() WHERE id = $1`, [
        invoiceId,
      ]);
      await claimPdf(database.db, invoiceId, 60);
      throw new RenderFailed('late');
    };
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'PROCESSING', attempt: 2, failures: 0 });
    expect(enqueued).toEqual([]);
  });
});
