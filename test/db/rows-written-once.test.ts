import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { columnsOf, refusalOf, refusalsByColumn, restricted } from './by-hand.js';

const database = useDatabase();

beforeAll(async () => {
  const id = await issueInvoice(database.db);
  await database.sql.query(
    `INSERT INTO invoice_pdf_revisions VALUES ($1, 1, 'r1.pdf', repeat('0', 64), 1, '1', now())`,
    [id],
  );
  await database.sql.query(
    `INSERT INTO invoice_timeline (invoice_id, at, event, actor, attempt, code)
     VALUES ($1, now(), 'InvoiceCancelled', 'admin:a', 1, 'X'), ($1, now(), 'InvoiceCancelled', NULL, NULL, NULL)`,
    [id],
  );
});

describe.each([
  ['an ordinary session', false],
  ['a session in replica mode', true],
])('in %s', (_, replica) => {
  test.each([
    ['invoice_pdf_revisions', 'invoice_pdf_revisions_frozen', 'revision = 1'],
    ['invoice_timeline', 'invoice_timeline_frozen', 'attempt IS NOT NULL'],
    ['invoice_timeline', 'invoice_timeline_frozen', 'attempt IS NULL'],
    ['idempotency_records', 'idempotency_records_frozen', 'true'],
  ])('%s: %s refuses a change of every column where %s', async (table, trigger, where) => {
    const refusals = await refusalsByColumn(database.sql, table, { where, replica });
    const columns = (await columnsOf(database.sql, table)).map(({ name }) => name);
    expect(Object.keys(refusals)).toEqual(expect.arrayContaining(columns));
    for (const refusal of Object.values(refusals)) expect(refusal).toEqual(restricted(trigger));
  });
});

test('idempotency records may be pruned', async () => {
  expect(await refusalOf(database.sql, 'DELETE FROM idempotency_records')).toBe('accepted');
  const { rows } = await database.sql.query('SELECT count(*)::integer AS left FROM idempotency_records');
  expect(rows).toEqual([{ left: 0 }]);
});
