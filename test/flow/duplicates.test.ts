import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventType } from '../../src/outbox/events.js';
import { makeQueue, type Queue } from '../../src/queue/boss.js';
import { useDatabase } from '../helpers/database.js';
import { eventOf } from '../helpers/events.js';
import { JWT_SECRET } from '../helpers/graphql-client.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { useServiceProcesses, waitFor } from '../helpers/service-process.js';

const database = useDatabase();
const startService = useServiceProcesses();
let dataDir: string;
let queue: Queue;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'folio-duplicates-'));
  queue = makeQueue({ url: database.url, log: pino({ level: 'silent' }), maintain: false });
  await queue.start();
});
afterAll(async () => {
  await queue.stop(1_000);
  await rm(dataDir, { recursive: true, force: true });
});

/** Delivers an event of the invoice three more times, each as a job of its own. */
async function deliverAgain(invoiceId: string, type: EventType): Promise<void> {
  const event = await waitFor(() => eventOf(database.sql, invoiceId, type).catch(() => undefined));
  await database.db.$transaction(async (tx) => {
    for (let copy = 1; copy <= 3; copy += 1) await queue.enqueueLater(tx, event, 0);
  });
}

const notificationsOf = async (invoiceId: string) =>
  (await database.sql.query('SELECT status FROM notifications WHERE invoice_id = $1', [invoiceId])).rows.map(
    ({ status }) => status,
  );

async function nothingIsLeftToDo(): Promise<boolean> {
  const { rows } = await database.sql.query(`
    SELECT NOT EXISTS (SELECT FROM outbox_events WHERE status = 'PENDING')
       AND NOT EXISTS (SELECT FROM pgboss.job WHERE state NOT IN ('completed', 'failed')) AS nothing`);
  return rows[0].nothing;
}

test('every event delivered four times makes one file and one mail', async () => {
  const invoiceId = await issueInvoice(database.db);
  await deliverAgain(invoiceId, 'InvoiceCreated');
  await startService({
    ROLES: 'relay,worker',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    JWT_SECRET,
    // The copies that find the first one at work come back when its lease is over.
    PDF_LEASE_SECONDS: '1',
  });
  await waitFor(async () => (await notificationsOf(invoiceId)).includes('SENT'));
  await deliverAgain(invoiceId, 'InvoicePDFGenerated');
  await waitFor(nothingIsLeftToDo);

  const { rows } = await database.sql.query(
    `SELECT (SELECT array_agg(object_key) FROM invoice_pdf_revisions) AS keys,
            (SELECT array_agg(status) FROM notifications) AS notifications`,
  );
  expect(rows[0].keys).toHaveLength(1);
  expect(rows[0].notifications).toEqual(['SENT']);
  expect(await readdir(join(dataDir, 'mail'))).toHaveLength(1);
  const files = await readdir(join(dataDir, 'invoices'), { recursive: true });
  expect(files.filter((file) => !/(^|\/)[^.]+$/.test(file))).toHaveLength(1);
});
