import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { JWT_SECRET } from '../helpers/graphql-client.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { anItem, anOrder } from '../helpers/orders.js';
import { useServiceProcesses, waitFor } from '../helpers/service-process.js';

const database = useDatabase();
const startService = useServiceProcesses();
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'folio-busy-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const pdfStatuses = async () =>
  (await database.sql.query('SELECT pdf_status AS status FROM invoices')).rows.map(({ status }) => status);

test('a stop lets the renderings under way end, and fails none of those that wait', async () => {
  const lines = 400;
  const order = () =>
    anOrder({
      items: Array.from({ length: lines }, () => anItem()),
      subtotal: `${80 * lines}.00`,
      discount: `${5 * lines}.00`,
      tax: `${6 * lines}.00`,
      total: `${81 * lines}.00`,
    });
  for (let count = 1; count <= 4; count += 1) await issueInvoice(database.db, order());
  const worker = await startService({
    ROLES: 'relay,worker',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    JWT_SECRET,
    PDF_CONCURRENCY: '1',
  });
  await waitFor(async () => (await pdfStatuses()).includes('PROCESSING'));
  worker.child.kill('SIGTERM');
  expect(await worker.ended()).toBe(0);
  const statuses = await pdfStatuses();
  expect(statuses).toContain('GENERATED');
  expect(statuses.filter((status) => !['GENERATED', 'PENDING'].includes(status))).toEqual([]);
});
