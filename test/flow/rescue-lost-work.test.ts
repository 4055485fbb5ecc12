import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DUE_MAILS } from '../../src/notifications/due-mails.js';
import { makeForwardEvents } from '../../src/outbox/forward-events.js';
import { type DueWork, makeRescueLostWork } from '../../src/outbox/rescue-lost-work.js';
import { DUE_PDFS } from '../../src/pdf/due-pdfs.js';
import { claimPdf } from '../../src/pdf/pdf-status.js';
import { makeQueue, type Queue } from '../../src/queue/boss.js';
import { hasLiveJob } from '../../src/queue/live-jobs.js';
import { useDatabase } from '../helpers/database.js';
import { eventOf } from '../helpers/events.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { makePdfWork } from '../helpers/pdf-work.js';

const database = useDatabase();
let queue: Queue;

beforeAll(async () => {
  queue = makeQueue({ url: database.url, log: pino({ level: 'silent' }), maintain: false });
  await queue.start();
});
afterAll(() => queue.stop(1_000));

const rescue = (work: DueWork, rowsAtOnce = 2_000) => {
  const { enqueueAgain } = queue;
  return makeRescueLostWork({ db: database.db, work, hasJob: hasLiveJob, enqueueAgain, rowsAtOnce })();
};
const rescued = async (work: DueWork) => (await rescue(work)).rescued;

/** Until nothing is pending: rows of other tests included. */
async function forward(): Promise<void> {
  await makeForwardEvents({ db: database.db, enqueue: queue.enqueue, log: pino({ level: 'silent' }) })();
}

const emptyTheBroker = () => database.sql.query('DELETE FROM pgboss.job');

const jobsOf = async (invoiceId: string): Promise<{ name: string; state: string }[]> =>
  (
    await database.sql.query(
      `SELECT name, state::text FROM pgboss.job WHERE data->>'invoice_id' = $1 ORDER BY created_on`,
      [invoiceId],
    )
  ).rows;

/** Each test begins with nothing that is due. */
beforeEach(async () => {
  await forward();
  await rescue(DUE_PDFS);
  await rescue(DUE_MAILS);
});

async function issueAndForward(): Promise<string> {
  const invoiceId = await issueInvoice(database.db);
  await forward();
  return invoiceId;
}

describe('a PDF that waits', () => {
  test('is not brought back while its job waits, its event waits, or its job runs', async () => {
    const invoiceId = await issueInvoice(database.db);
    expect(await rescued(DUE_PDFS)).toBe(0);
    await forward();
    expect(await rescued(DUE_PDFS)).toBe(0);
    await database.sql.query(
      `UPDATE pgboss.job SET state = 'active', started_on = now() WHERE data->>'invoice_id' = $1`,
      [invoiceId],
    );
    expect(await rescued(DUE_PDFS)).toBe(0);
    expect(await jobsOf(invoiceId)).toEqual([{ name: 'pdf', state: 'active' }]);
  });

  test('has a job again, once, after the broker’s tables were emptied', async () => {
    const invoiceId = await issueAndForward();
    await emptyTheBroker();
    expect(await rescued(DUE_PDFS)).toBeGreaterThan(0);
    expect(await rescued(DUE_PDFS)).toBe(0);
    expect(await jobsOf(invoiceId)).toEqual([{ name: 'pdf', state: 'created' }]);
  });

  test('has a job again after its job was given up by the queue', async () => {
    const invoiceId = await issueAndForward();
    await database.sql.query(`UPDATE pgboss.job SET state = 'failed' WHERE data->>'invoice_id' = $1`, [
      invoiceId,
    ]);
    expect(await rescued(DUE_PDFS)).toBe(1);
  });

  test('survives the queues themselves being removed', async () => {
    const invoiceId = await issueAndForward();
    await database.sql.query('TRUNCATE pgboss.job, pgboss.queue CASCADE');
    await queue.ensureQueues();
    expect(await rescued(DUE_PDFS)).toBeGreaterThan(0);
    expect(await jobsOf(invoiceId)).toHaveLength(1);
  });
});

describe('a PDF that somebody claimed', () => {
  test('is left to its lease, and brought back when that is over', async () => {
    const invoiceId = await issueAndForward();
    await claimPdf(database.db, invoiceId, 60);
    await database.sql.query(`DELETE FROM pgboss.job WHERE data->>'invoice_id' = $1`, [invoiceId]);
    expect(await rescued(DUE_PDFS)).toBe(0);
    await database.sql.query('UPDATE invoices SET pdf_lease_until = clock_timestamp() WHERE id = $1', [
      invoiceId,
    ]);
    expect(await rescued(DUE_PDFS)).toBe(1);
  });
});

describe('a PDF that failed', () => {
  test('is brought back when its retry is due, and not once it is a dead letter', async () => {
    const invoiceId = await issueAndForward();
    const { generatePdf, ports } = makePdfWork(() => database.db, {
      retryDelaysSeconds: [300],
      put: () => Promise.reject(new Error('away')),
    });
    await generatePdf(await eventOf(database.sql, invoiceId, 'InvoiceCreated'));
    await database.sql.query(`DELETE FROM pgboss.job WHERE data->>'invoice_id' = $1`, [invoiceId]);
    expect(await rescued(DUE_PDFS)).toBe(0);
    await database.sql.query('UPDATE invoices SET pdf_retry_at = now() WHERE id = $1', [invoiceId]);
    expect(await rescued(DUE_PDFS)).toBe(1);
    expect(ports.retryDelaysSeconds).toEqual([300]);

    await generatePdf(await eventOf(database.sql, invoiceId, 'InvoiceCreated'));
    await database.sql.query(`DELETE FROM pgboss.job WHERE data->>'invoice_id' = $1`, [invoiceId]);
    expect(await rescued(DUE_PDFS)).toBe(0);
  });
});

test('a mail that is owed has a job again, for the very event, and only where none is left', async () => {
  const invoiceId = await issueAndForward();
  const { generatePdf } = makePdfWork(() => database.db);
  await generatePdf(await eventOf(database.sql, invoiceId, 'InvoiceCreated'));
  const event = await eventOf(database.sql, invoiceId, 'InvoicePDFGenerated');
  expect(await rescued(DUE_MAILS)).toBe(0);
  await forward();
  expect(await rescued(DUE_MAILS)).toBe(0);
  await emptyTheBroker();
  expect(await rescued(DUE_MAILS)).toBe(1);
  expect(await rescued(DUE_MAILS)).toBe(0);
  const { rows } = await database.sql.query(
    `SELECT data->>'event_id' AS event FROM pgboss.job WHERE name = 'notification'`,
  );
  expect(rows).toEqual([{ event: event.id }]);
  await database.sql.query(`DELETE FROM pgboss.job WHERE name = 'notification'`);
  await database.sql.query(
    `UPDATE notifications SET status = 'SENT', sent_at = now() WHERE invoice_id = $1`,
    [invoiceId],
  );
  expect(await rescued(DUE_MAILS)).toBe(0);
});

test('several rescuers at once bring each piece of work back once', async () => {
  const invoices = await Promise.all(Array.from({ length: 5 }, () => issueInvoice(database.db)));
  await forward();
  await emptyTheBroker();
  await Promise.all(Array.from({ length: 4 }, () => rescue(DUE_PDFS)));
  await rescue(DUE_PDFS);
  for (const invoiceId of invoices) expect(await jobsOf(invoiceId)).toHaveLength(1);
});

test('a backlog larger than one look is looked through to its end', async () => {
  const invoices = await Promise.all(Array.from({ length: 5 }, () => issueInvoice(database.db)));
  await forward();
  const { looked } = await rescue(DUE_PDFS);
  await emptyTheBroker();
  expect(await rescue(DUE_PDFS, 2)).toEqual({ looked, rescued: expect.any(Number) });
  for (const invoiceId of invoices) expect(await jobsOf(invoiceId)).toHaveLength(1);
});
