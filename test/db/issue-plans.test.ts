import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db, makeDb } from '../../src/db/client.js';
import { claimFor } from '../../src/invoices/claim-idempotency-key.js';
import { makeFindIssued } from '../../src/invoices/find-issued.js';
import { makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import { useDatabase } from '../helpers/database.js';
import { aDraft, keepTestSeller } from '../helpers/issued-invoice.js';

const database = useDatabase();
/** One session, so that it is the same whose plans are made, kept and looked at. */
let db: Db;
beforeAll(() => {
  db = makeDb({ url: database.url, poolSize: 1, applicationName: 'folio plans' });
});
afterAll(() => db.$disconnect());

const TABLES = ['invoices', 'invoice_items', 'idempotency_records', 'outbox_events', 'sellers'];

/** How often each table was read whole so far, as that session counts it. */
async function readWhole(): Promise<Record<string, number>> {
  await db.$queryRaw`SELECT 1 AS flushed FROM pg_stat_force_next_flush()`;
  const { rows } = await database.sql.query(
    'SELECT relname, seq_scan::integer FROM pg_stat_user_tables WHERE relname = ANY ($1) ORDER BY relname',
    [TABLES],
  );
  return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
}

test('no create reads a table whole, under plans that were kept while it had a page or two', async () => {
  const seller = await keepTestSeller(db);
  const issue = makeIssueInvoices({ db });
  const findIssued = makeFindIssued({ db });
  const create = async (count: number) => {
    const drafts = Array.from({ length: count }, () => aDraft(seller));
    for (const { snapshot } of drafts) {
      const claim = claimFor({ id: 'checkout', role: 'service' }, snapshot.orderId, snapshot);
      await findIssued(claim, snapshot.orderId);
    }
    await issue(drafts);
  };
  await create(60);
  // The planner now knows how small they are: to read two pages whole is cheaper than any index.
  for (const table of TABLES) await database.sql.query(`VACUUM ANALYZE ${table}`);
  const before = await readWhole();
  // PostgreSQL may keep a plan after five executions.
  for (let round = 0; round < 8; round += 1) await create(3);
  expect(await readWhole()).toEqual(before);
});
