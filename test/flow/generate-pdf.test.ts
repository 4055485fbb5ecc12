import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/kernel/errors.js';
import { LeaseLost } from '../../src/kernel/lease.js';
import { claimPdf, MOST_TAKEOVERS } from '../../src/pdf/pdf-status.js';
import { RenderFailed, RenderTimeout } from '../../src/pdf/renderer.js';
import { useDatabase } from '../helpers/database.js';
import { eventOf, eventsOf } from '../helpers/events.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { A_PDF, makePdfWork } from '../helpers/pdf-work.js';

const database = useDatabase();

const { generatePdf, ports, objects, enqueued } = makePdfWork(() => database.db);

beforeEach(() => {
  objects.clear();
  enqueued.length = 0;
  ports.render = async () => A_PDF;
  ports.put = async () => undefined;
  delete ports.size;
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

/** A first file, and the mail that it makes owed. */
const GENERATED = ['InvoiceCreated', 'InvoicePDFGenerated', 'InvoiceNotificationRequested'];

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
    expect(await typesOf(invoiceId)).toEqual(GENERATED);
  });

  test('is not repeated when its event comes again', async () => {
    const { invoiceId, created } = await issue();
    await generatePdf(created);
    await generatePdf(created);
    expect(objects.size).toBe(1);
    expect(await typesOf(invoiceId)).toEqual(GENERATED);
  });

  test('is left to the worker that holds it; another comes back when the lease is over', async () => {
    const { invoiceId, created } = await issue();
    ports.render = async () => {
      await generatePdf(created);
      return A_PDF;
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
        ports.render = () => Promise.reject(new RenderFailed('no'));
      },
    ],
    [
      'takes too long',
      'RENDER_TIMEOUT',
      () => {
        ports.render = () => Promise.reject(new RenderTimeout('slow'));
      },
    ],
    [
      'cannot be stored',
      'STORAGE_ERROR',
      () => {
        ports.put = () => Promise.reject(new AppError('STORAGE_ERROR', 'full'));
      },
    ],
    [
      'meets a bug',
      'RENDER_FAILED',
      () => {
        ports.render = () => Promise.reject(new TypeError('undefined'));
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
    ports.render = () => Promise.reject(new RenderFailed('no'));
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
    ports.render = () => Promise.reject(new RenderFailed('no'));
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
    ports.put = () => Promise.reject(new AppError('STORAGE_ERROR', 'away'));
    await generatePdf(created);
    ports.put = async () => undefined;
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

describe('a failure that can be of no other kind the next time', () => {
  test('is a dead letter at once', async () => {
    const { invoiceId, created } = await issue();
    ports.render = () => Promise.reject(new RenderFailed('no such font', { permanent: true }));
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'FAILED', code: 'RENDER_FAILED', attempt: 1 });
    expect(await deadLettersOf(invoiceId)).toEqual([{ queue: 'pdf', code: 'RENDER_FAILED', attempts: 1 }]);
    expect(enqueued).toEqual([]);
  });
});

describe('a store that says it has the file', () => {
  test.each([
    ['and has nothing', undefined],
    ['and has half of it', 2],
  ])('%s: FAILED with STORAGE_ERROR, never GENERATED', async (_, size) => {
    const { invoiceId, created } = await issue();
    ports.size = async () => size;
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'FAILED', code: 'STORAGE_ERROR', revision: null });
  });
});

const endLeaseOf = (invoiceId: string) =>
  database.sql.query(
    `UPDATE invoices SET pdf_lease_until = clock_timestamp() WHERE id = $1 AND pdf_status = 'PROCESSING'`,
    [invoiceId],
  );

describe('a claimant that lost its lease', () => {
  test('writes nothing that anyone sees', async () => {
    const { invoiceId, created } = await issue();
    let overtaken = 0;
    ports.render = async () => {
      // While this worker sleeps, its lease runs out and another one finishes.
      if (overtaken++ === 0) {
        await endLeaseOf(invoiceId);
        await generatePdf(created);
      }
      return A_PDF;
    };
    await expect(generatePdf(created)).rejects.toBeInstanceOf(LeaseLost);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'GENERATED', revision: 2 });
    const { rows } = await database.sql.query(
      'SELECT revision FROM invoice_pdf_revisions WHERE invoice_id = $1',
      [invoiceId],
    );
    expect(rows).toEqual([{ revision: 2 }]);
    expect(await typesOf(invoiceId)).toEqual(GENERATED);
  });

  test.each([
    ['finish', async () => A_PDF],
    [
      'fail',
      async () => {
        throw new RenderFailed('late');
      },
    ],
  ])('does not %s what another one holds', async (_, end) => {
    const { invoiceId, created } = await issue();
    ports.render = async () => {
      await endLeaseOf(invoiceId);
      await claimPdf(database.db, invoiceId, 60);
      return end();
    };
    await expect(generatePdf(created)).rejects.toBeInstanceOf(LeaseLost);
    expect(await pdfOf(invoiceId)).toMatchObject({
      status: 'PROCESSING',
      attempt: 2,
      revision: null,
      failures: 0,
    });
    expect(await typesOf(invoiceId)).toEqual(['InvoiceCreated']);
    expect(enqueued).toEqual([]);
  });

  test('stores no file once its own clock says that the lease is over', async () => {
    const { created } = await issue();
    ports.leaseSeconds = 0.2;
    // A process that is stopped: no timer runs, and the clock goes on.
    ports.render = async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      return A_PDF;
    };
    await expect(generatePdf(created)).rejects.toBeInstanceOf(LeaseLost);
    delete ports.leaseSeconds;
    expect(objects.size).toBe(0);
  });
});

describe('a document that costs one worker after the other', () => {
  /** What a killed worker leaves: a claim whose lease runs out. */
  async function loseWorkers(invoiceId: string, count: number): Promise<void> {
    for (let worker = 1; worker <= count; worker += 1) {
      expect(await claimPdf(database.db, invoiceId, 60)).toMatchObject({ kind: 'claimed' });
      await endLeaseOf(invoiceId);
    }
  }

  test('is taken over ten times and then FAILED with WORKER_LOST, its dead letter and its event', async () => {
    const { invoiceId, created } = await issue();
    await loseWorkers(invoiceId, 1 + MOST_TAKEOVERS);
    await generatePdf(created);
    expect(objects.size).toBe(0);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'FAILED', code: 'WORKER_LOST', revision: null });
    expect(await deadLettersOf(invoiceId)).toEqual([
      { queue: 'pdf', code: 'WORKER_LOST', attempts: 1 + MOST_TAKEOVERS },
    ]);
    expect(await typesOf(invoiceId)).toEqual(['InvoiceCreated', 'InvoicePDFGenerationFailed']);
    // Told once, however often the event comes.
    await generatePdf(created);
    expect(await deadLettersOf(invoiceId)).toHaveLength(1);
  });

  test('is not given up while the last one still holds its lease', async () => {
    const { invoiceId, created } = await issue();
    await loseWorkers(invoiceId, MOST_TAKEOVERS);
    await claimPdf(database.db, invoiceId, 60);
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'PROCESSING', code: null });
    expect(enqueued).toEqual([{ event: created, delaySeconds: expect.any(Number) }]);
  });

  test('finishes where the tenth take-over does', async () => {
    const { invoiceId, created } = await issue();
    await loseWorkers(invoiceId, MOST_TAKEOVERS);
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'GENERATED', revision: 11 });
  });
});

describe('a process that stops', () => {
  test('hands back what it renders: the next one has it at once', async () => {
    const { invoiceId, created } = await issue();
    const stop = new AbortController();
    ports.render = () => {
      stop.abort(new Error('The process stops'));
      return new Promise(() => undefined);
    };
    await generatePdf(created, stop.signal);
    expect(enqueued).toEqual([{ event: created, delaySeconds: 0 }]);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'PROCESSING', failures: 0 });
    ports.render = async () => A_PDF;
    await generatePdf(created);
    expect(await pdfOf(invoiceId)).toMatchObject({ status: 'GENERATED', revision: 2 });
  });
});
