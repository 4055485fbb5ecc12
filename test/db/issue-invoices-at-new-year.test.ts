import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Db, makeDb } from '../../src/db/client.js';
import type { Draft, IssueOutcome } from '../../src/invoices/draft.js';
import { type IssueInvoices, makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import { lockWaits, useDatabase } from '../helpers/database.js';
import { aDraft, keepTestSeller } from '../helpers/issued-invoice.js';
import { anOrder } from '../helpers/orders.js';
import { insertCopy } from './copied-invoice.js';

const database = useDatabase();

let db: Db;
let sql: pg.Pool;
let issue: IssueInvoices;
let seller: string;
/** Each test has a New Year of its own, whose two counters are still empty. */
let year = 2060;

// A clock of the database's that can be set: a function that stands before pg_catalog's own in the
// search path of every session that begins from here on. The server stands in another zone than any
// invoice.
beforeAll(async () => {
  const name = new URL(database.url).pathname.slice(1);
  await database.sql.query(`
    CREATE SCHEMA fake;
    CREATE TABLE fake.clock (now timestamptz NOT NULL);
    INSERT INTO fake.clock VALUES (pg_catalog.clock_timestamp());
    CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql VOLATILE
      AS 'BEGIN RETURN (SELECT now FROM fake.clock); END';
    ALTER DATABASE ${name} SET search_path = fake, pg_catalog, public;
    ALTER DATABASE ${name} SET timezone = 'Asia/Tokyo'`);
  db = makeDb({ url: database.url, poolSize: 4, applicationName: 'folio new year' });
  sql = new pg.Pool({ connectionString: database.url });
  sql.on('error', () => undefined);
  issue = makeIssueInvoices({ db });
  seller = await keepTestSeller(db);
});
afterAll(async () => {
  await db.$disconnect();
  await sql.end();
});
beforeEach(() => {
  year += 10;
});

const setClock = (now: string) => sql.query('UPDATE fake.clock SET now = $1', [now]);

type Issued = Extract<IssueOutcome, { kind: 'issued' }>;

const issueOne = async (changes: Partial<Draft> = {}) => {
  const [outcome] = await issue([aDraft(seller, anOrder(), changes)]);
  return outcome as Issued;
};

const momentOf = async ({ invoiceId }: Issued) =>
  (await sql.query('SELECT finalized_at FROM invoices WHERE id = $1', [invoiceId])).rows[0].finalized_at;

const nextNumberOf = async (counter: number) =>
  (await sql.query('SELECT next_number FROM invoice_number_counters WHERE year = $1', [counter])).rows[0]
    ?.next_number;

test.each([
  ['America/Bogota', 1, '01-01T04:30:00Z', 0, '12-31'],
  ['America/Bogota', 1, '01-01T05:00:00Z', 1, '01-01'],
  ['Pacific/Kiritimati', 0, '12-31T09:59:59.999Z', 0, '12-31'],
  ['Pacific/Kiritimati', 0, '12-31T10:30:00Z', 1, '01-01'],
  ['UTC', 0, '12-31T23:59:59.999999Z', 0, '12-31'],
  ['UTC', 1, '01-01T00:00:00Z', 1, '01-01'],
])(
  'in %s, year + %d, %s is of year + %d, %s, and its first invoice 00000001',
  async (timeZone, plus, at, of, day) => {
    await setClock(`${year + plus}-${at}`);
    const issued = await issueOne({ timeZone });
    expect(issued).toMatchObject({
      invoiceNumber: `INV-${year + of}-00000001`,
      issueDate: `${year + of}-${day}`,
      finalizedAt: new Date(`${year + plus}-${at}`),
    });
    expect(await momentOf(issued)).toEqual(new Date(`${year + plus}-${at}`));
  },
);

test('the new year begins at 1 and the old one keeps its count', async () => {
  await setClock(`${year}-12-31T23:59:59Z`);
  await issue([1, 2, 3].map(() => aDraft(seller)));
  await setClock(`${year + 1}-01-01T00:00:00Z`);
  expect((await issueOne()).invoiceNumber).toBe(`INV-${year + 1}-00000001`);
  expect(await nextNumberOf(year)).toBe(4);
});

test('a set that waits over midnight is numbered in the new year', async () => {
  await setClock(`${year}-12-31T23:59:59Z`);
  await issueOne();
  const holder = await sql.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM invoice_number_counters WHERE year = $1 FOR UPDATE', [year]);
  const waiting = issue([aDraft(seller), aDraft(seller)]);
  await lockWaits(sql);
  await setClock(`${year + 1}-01-01T00:00:01Z`);
  await holder.query('COMMIT');
  holder.release();
  expect(await waiting).toMatchObject([
    { invoiceNumber: `INV-${year + 1}-00000001`, issueDate: `${year + 1}-01-01` },
    { invoiceNumber: `INV-${year + 1}-00000002`, issueDate: `${year + 1}-01-01` },
  ]);
  expect(await nextNumberOf(year)).toBe(2);
});

test.each([
  ['order', 'order invoiced'],
  ['key', 'key used'],
])('a %s that the last one of the old year holds is found by the first of the new', async (what, kind) => {
  await setClock(`${year}-12-31T23:59:59Z`);
  const { invoiceId: original } = await issueOne();
  const draft = aDraft(seller);
  const { actor, key, requestHash } = draft.claim;
  const old = await sql.connect();
  await old.query('BEGIN');
  const first = await insertCopy(old, original, {
    invoice: what === 'order' ? { order_id: draft.snapshot.orderId } : {},
  });
  if (what === 'key') {
    await old.query('INSERT INTO idempotency_records VALUES ($1, $2, $3, $4, $5, 201, now())', [
      actor.role,
      actor.id,
      key,
      requestHash,
      first,
    ]);
  }
  await setClock(`${year + 1}-01-01T00:00:01Z`);
  const waiting = issue([draft, aDraft(seller)]);
  await lockWaits(sql);
  await old.query('COMMIT');
  old.release();
  expect(await waiting).toMatchObject([
    { kind, invoiceId: first },
    { kind: 'issued', invoiceNumber: `INV-${year + 1}-00000001` },
  ]);
});

test('a clock that is set back gives no earlier moment to a higher number', async () => {
  const noon = `${year}-06-01T12:00:00.000Z`;
  await setClock(noon);
  const before = await issueOne();
  await setClock(`${year}-05-31T12:00:00Z`);
  const after = await issueOne();
  expect(after.invoiceNumber > before.invoiceNumber).toBe(true);
  expect(after).toMatchObject({ finalizedAt: new Date(noon), issueDate: `${year}-06-01` });
  expect(await momentOf(after)).toEqual(new Date(noon));
});
