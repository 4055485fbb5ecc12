import { beforeAll, describe, expect, test } from 'vitest';
import { makeDb } from '../../src/db/client.js';
import { makePruneIdempotencyKeys } from '../../src/invoices/prune-idempotency-keys.js';
import { useApplicationRole } from '../helpers/application-role.js';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { refusalOf } from './by-hand.js';

const database = useDatabase();
const role = useApplicationRole(database);
let invoice: string;

beforeAll(async () => {
  invoice = await issueInvoice(database.db);
});

const FROZEN = ['23001', '42501'];
const BY_LAW = ['23001', '23514'];
const NOT_ITS_OWN = ['42501'];

/** What is tried, with the SQLSTATEs of which one must refuse it: the law, or the right that is missing. */
const ATTACKS: [name: string, sql: () => string, refusedBy: string[]][] = [
  ['to raise a total', () => `UPDATE invoices SET total = total + 1 WHERE id = '${invoice}'`, FROZEN],
  ['to rename the buyer', () => `UPDATE invoices SET customer_name = 'X' WHERE id = '${invoice}'`, FROZEN],
  ['to give another number', () => `UPDATE invoices SET invoice_number = 'INV-2026-00000099'`, FROZEN],
  ['to change a line', () => 'UPDATE invoice_items SET total = 0', FROZEN],
  ['to change the seller', () => `UPDATE sellers SET name = 'X'`, FROZEN],
  ['to remove an invoice', () => `DELETE FROM invoices WHERE id = '${invoice}'`, FROZEN],
  ['to remove a line', () => 'DELETE FROM invoice_items', FROZEN],
  ['to empty the invoices', () => 'TRUNCATE invoices CASCADE', FROZEN],
  ['to empty the lines', () => 'TRUNCATE invoice_items', FROZEN],
  ['to empty the keys', () => 'TRUNCATE idempotency_records', FROZEN],
  ['to remove a counter', () => 'DELETE FROM invoice_number_counters', FROZEN],
  ['to set a counter back', () => 'UPDATE invoice_number_counters SET next_number = 1', BY_LAW],
  ['to pass numbers over', () => 'UPDATE invoice_number_counters SET next_number = next_number + 5', BY_LAW],
  [
    'to add a line to a finalized invoice',
    () => `INSERT INTO invoice_items (invoice_id, line_number, product_id, description, quantity, unit_price,
             discount, tax, total, minor_unit) VALUES ('${invoice}', 2, 'X', 'X', 1, 1, 0, 0, 1, 2)`,
    BY_LAW,
  ],
  [
    'to say GENERATED without an object',
    () => `UPDATE invoices SET pdf_status = 'GENERATED' WHERE id = '${invoice}'`,
    BY_LAW,
  ],
  [
    'to go from PENDING to FAILED',
    () => `UPDATE invoices SET pdf_status = 'FAILED', pdf_error_code = 'X' WHERE id = '${invoice}'`,
    BY_LAW,
  ],
  ['to go back to a draft', () => `UPDATE invoices SET status = 'PENDING' WHERE id = '${invoice}'`, BY_LAW],
  ['to rewrite an event', () => `UPDATE outbox_events SET payload = '{}'`, FROZEN],
  ['to remove an event that is not forwarded yet', () => 'DELETE FROM outbox_events', BY_LAW],
  ['to change a key', () => `UPDATE idempotency_records SET request_hash = 'x'`, FROZEN],
];

/** What an owner could do about the law, and this role cannot. */
const BEYOND: [string, string][] = [
  ['disable a trigger', 'ALTER TABLE invoices DISABLE TRIGGER ALL'],
  ['drop a trigger', 'DROP TRIGGER invoices_frozen ON invoices'],
  ['drop a constraint', 'ALTER TABLE invoices DROP CONSTRAINT invoices_total_equation'],
  ['drop a table', 'DROP TABLE invoice_items'],
  [
    'replace a rule',
    'CREATE OR REPLACE FUNCTION public.refuse_change() RETURNS trigger LANGUAGE sql AS $$ $$',
  ],
  ['silence the triggers', 'SET session_replication_role = replica'],
  ['rewrite the record of migrations', 'DELETE FROM _prisma_migrations'],
  ['create a table', 'CREATE TABLE public.mine (id integer)'],
];

describe.each([
  ['the owner', () => database.sql],
  ['the application role', () => role.sql],
])('%s is refused', (who, sql) => {
  test.each(ATTACKS)('%s', async (_, attack, refusedBy) => {
    const before = await books();
    const client = await sql().connect();
    const refusal = await client
      .query(`BEGIN; ${attack()}; COMMIT`)
      .then(() => 'accepted')
      .catch((error) => error.code)
      .finally(() => client.query('ROLLBACK').finally(() => client.release()));
    expect(refusedBy).toContain(refusal);
    // An owner has every right: what refuses it is the law itself.
    if (who === 'the owner') expect(refusal).not.toBe('42501');
    expect(await books()).toEqual(before);
  });
});

/** Everything that an invoice is, as text. */
async function books(): Promise<unknown> {
  const tables = [
    'invoices',
    'invoice_items',
    'sellers',
    'invoice_number_counters',
    'outbox_events',
    'idempotency_records',
  ];
  const each = tables.map(
    (table) => `SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM ${table} AS t`,
  );
  return (await database.sql.query(each.join(' UNION ALL '))).rows;
}

test('the application role may forget old keys', async () => {
  await database.sql.query(
    `INSERT INTO idempotency_records (actor_role, actor_id, key, request_hash, invoice_id, created_at)
     VALUES ('service', 'old', 'old', 'x', $1, now() - interval '40 days')`,
    [invoice],
  );
  const db = makeDb({ url: role.url, poolSize: 1, applicationName: 'folio test' });
  expect(await makePruneIdempotencyKeys({ db, retentionDays: 30 })()).toEqual({ pruned: 1, more: false });
  await db.$disconnect();
});

test.each(BEYOND)('the application role cannot %s', async (_, sql) => {
  await expect(role.sql.query(sql)).rejects.toMatchObject({ code: NOT_ITS_OWN[0] });
});

test('a refusal of the law reads alike for both', async () => {
  const cancelled = `UPDATE invoices SET status = 'CANCELLED' WHERE id = '${invoice}'`;
  expect(await refusalOf(database.sql, cancelled)).toMatchObject({
    constraint: 'invoices_cancelled_has_reason',
  });
  await expect(role.sql.query(cancelled)).rejects.toMatchObject({
    constraint: 'invoices_cancelled_has_reason',
  });
});
