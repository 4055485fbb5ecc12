import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { type Refusal, refusalOf, restricted } from './by-hand.js';

const database = useDatabase();

/** PostgreSQL's own word for a table that others refer to, before any trigger is asked. */
const REFERRED_TO: Refusal = { code: '0A000', constraint: undefined, at: 'statement' };

interface Protection {
  table: string;
  /** The trigger that refuses DELETE; none where old rows may go. */
  onDelete: string | null;
  onTruncate: string;
  referredTo?: boolean;
}

const PROTECTED: Protection[] = [
  {
    table: 'invoices',
    onDelete: 'invoices_never_removed',
    onTruncate: 'invoices_never_truncated',
    referredTo: true,
  },
  { table: 'invoice_items', onDelete: 'invoice_items_frozen', onTruncate: 'invoice_items_never_truncated' },
  { table: 'sellers', onDelete: 'sellers_frozen', onTruncate: 'sellers_never_truncated', referredTo: true },
  {
    table: 'invoice_pdf_revisions',
    onDelete: 'invoice_pdf_revisions_frozen',
    onTruncate: 'invoice_pdf_revisions_never_truncated',
    referredTo: true,
  },
  {
    table: 'invoice_timeline',
    onDelete: 'invoice_timeline_frozen',
    onTruncate: 'invoice_timeline_never_truncated',
  },
  {
    table: 'invoice_number_counters',
    onDelete: 'invoice_number_counters_never_removed',
    onTruncate: 'invoice_number_counters_never_truncated',
  },
  { table: 'outbox_events', onDelete: 'outbox_events_frozen', onTruncate: 'outbox_events_never_truncated' },
  { table: 'idempotency_records', onDelete: null, onTruncate: 'idempotency_records_never_truncated' },
];

const KEPT = PROTECTED.flatMap(({ table, onDelete }) => (onDelete ? [{ table, onDelete }] : []));

beforeAll(async () => {
  const id = await issueInvoice(database.db);
  await database.sql.query(
    `INSERT INTO invoice_pdf_revisions VALUES ($1, 1, 'r1.pdf', repeat('0', 64), 1, '1', now())`,
    [id],
  );
  await database.sql.query("INSERT INTO invoice_timeline (invoice_id, at, event) VALUES ($1, now(), 'x')", [
    id,
  ]);
});

describe.each([
  ['an ordinary session', false],
  ['a session in replica mode', true],
])('in %s', (_, replica) => {
  const refusal = (statement: string) => refusalOf(database.sql, statement, { replica });

  test.each(KEPT)('$table: no row is deleted', async ({ table, onDelete }) => {
    const { rows } = await database.sql.query(`SELECT count(*)::integer AS rows FROM ${table}`);
    expect(rows[0].rows).toBeGreaterThan(0);
    expect(await refusal(`DELETE FROM ${table}`)).toEqual(restricted(onDelete));
  });

  test.each(PROTECTED)('$table: not truncated', async ({ table, onTruncate, referredTo }) => {
    const refused = referredTo ? REFERRED_TO : restricted(onTruncate);
    expect(await refusal(`TRUNCATE ${table}`)).toEqual(refused);
    expect(await refusal(`TRUNCATE ONLY ${table} RESTART IDENTITY`)).toEqual(refused);
  });

  test.each(PROTECTED)('$table: not truncated with all that refers to it', async ({ table, onTruncate }) => {
    expect(await refusal(`TRUNCATE ${table} CASCADE`)).toEqual(restricted(onTruncate));
  });

  test('not by one TRUNCATE of all tables', async () => {
    const { rows } = await database.sql.query<{ tables: string }>(
      "SELECT string_agg(quote_ident(tablename), ', ') AS tables FROM pg_tables WHERE schemaname = 'public'",
    );
    expect(await refusal(`TRUNCATE ${rows[0]?.tables}`)).toMatchObject({ code: '23001' });
  });
});

test('a MERGE deletes nothing either', async () => {
  const merge = 'MERGE INTO invoices USING (VALUES (1)) AS any_row ON true WHEN MATCHED THEN DELETE';
  expect(await refusalOf(database.sql, merge)).toEqual(restricted('invoices_never_removed'));
});
