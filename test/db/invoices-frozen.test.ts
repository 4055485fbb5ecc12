import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { anOrder } from '../helpers/orders.js';
import { columnsOf, refusalOf, refusalsByColumn, restricted } from './by-hand.js';

const database = useDatabase();

/** All that may change after issue. A column that is not named here is frozen, also one that comes later. */
const LIVING = [
  'status',
  'cancelled_at',
  'cancel_reason',
  'version',
  'pdf_status',
  'pdf_error_code',
  'pdf_object_key',
  'pdf_revision',
  'pdf_attempt',
  'pdf_failures',
  'pdf_takeovers',
  'pdf_lease_until',
  'pdf_retry_at',
  'pdf_notify_customer',
];
const FROZEN = restricted('invoices_frozen');

let sparse: string;
let full: string;

beforeAll(async () => {
  const { customer } = anOrder();
  const address = { ...customer.address, line2: null, region: null, postal_code: null };
  sparse = await issueInvoice(database.db, anOrder({ customer: { ...customer, email: null, address } }));
  const filled = { ...customer.address, line2: 'Flat 2' };
  full = await issueInvoice(
    database.db,
    anOrder({ customer: { ...customer, tax_id: 'DE-1', address: filled } }),
  );
});

const versionOf = async (id: string) =>
  (await database.sql.query('SELECT version FROM invoices WHERE id = $1', [id])).rows[0]?.version;

describe.each([
  ['an ordinary session', false],
  ['a session in replica mode', true],
])('invoices_frozen, in %s', (_, replica) => {
  test.each([
    ['filled', () => full],
    ['left empty where they may be', () => sparse],
  ])('every other column is refused, of an invoice with its columns %s', async (__, id) => {
    const where = `id = '${id()}'`;
    const refusals = await refusalsByColumn(database.sql, 'invoices', { where, living: LIVING, replica });
    const frozen = (await columnsOf(database.sql, 'invoices')).filter(({ name }) => !LIVING.includes(name));
    expect(Object.keys(refusals)).toEqual(expect.arrayContaining(frozen.map(({ name }) => name)));
    expect(frozen.length).toBeGreaterThan(25);
    expect(refusals).toEqual(Object.fromEntries(Object.keys(refusals).map((column) => [column, FROZEN])));
  });

  test('a frozen column is refused beside a move that is allowed', async () => {
    const update = `UPDATE invoices SET total = total, status = 'CANCELLED', cancelled_at = now(),
      cancel_reason = 'wrong', customer_name = 'Somebody Else' WHERE id = '${full}'`;
    expect(await refusalOf(database.sql, update, { replica })).toEqual(FROZEN);
  });
});

test('an empty customer column is told apart from none', async () => {
  const update = `UPDATE invoices SET customer_email = '' WHERE id = '${sparse}'`;
  expect(await refusalOf(database.sql, update)).toEqual(FROZEN);
});

test('an upsert and a MERGE are updates too', async () => {
  const upsert = `INSERT INTO invoices SELECT * FROM invoices WHERE id = '${sparse}'
    ON CONFLICT (order_id) DO UPDATE SET customer_name = 'Somebody Else'`;
  const merge = `MERGE INTO invoices USING (VALUES ('${sparse}'::uuid)) AS other (id) ON invoices.id = other.id
    WHEN MATCHED THEN UPDATE SET customer_name = 'Somebody Else'`;
  expect(await refusalOf(database.sql, upsert)).toEqual(FROZEN);
  expect(await refusalOf(database.sql, merge)).toEqual(FROZEN);
});

test('a column that comes later is frozen from its first day', async () => {
  const refusal = await refusalOf(database.sql, async (tx) => {
    await tx.query("ALTER TABLE invoices ADD COLUMN later text NOT NULL DEFAULT 'first'");
    await tx.query(`UPDATE invoices SET later = 'second' WHERE id = '${full}'`);
  });
  expect(refusal).toEqual(FROZEN);
});

describe('the version', () => {
  test.each([
    ['nothing', 'pdf_takeovers = pdf_takeovers'],
    ['the version to 99', 'version = 99'],
    ['the version back to 1', 'version = 1'],
    ['the version to none', 'version = NULL'],
    ['a living column', 'pdf_takeovers = pdf_takeovers + 1'],
  ])('is raised by exactly one by an UPDATE that sets %s', async (_, change) => {
    const before = await versionOf(full);
    expect(await refusalOf(database.sql, `UPDATE invoices SET ${change} WHERE id = '${full}'`)).toBe(
      'accepted',
    );
    expect(await versionOf(full)).toBe(before + 1);
  });
});
