import { expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';

const database = useDatabase();

/** The law, by table. A trigger that is not named here has no test, and one that is gone has no effect. */
const LAW = {
  idempotency_records: ['idempotency_records_frozen', 'idempotency_records_never_truncated'],
  invoice_items: ['invoice_items_frozen', 'invoice_items_never_truncated', 'invoice_items_within_line_count'],
  invoice_number_counters: [
    'invoice_number_counters_moves',
    'invoice_number_counters_never_removed',
    'invoice_number_counters_never_truncated',
    'invoice_number_counters_without_gaps',
  ],
  invoice_pdf_revisions: ['invoice_pdf_revisions_frozen', 'invoice_pdf_revisions_never_truncated'],
  invoice_timeline: ['invoice_timeline_frozen', 'invoice_timeline_never_truncated'],
  invoices: [
    'invoices_begin_finalized',
    'invoices_frozen',
    'invoices_never_removed',
    'invoices_never_truncated',
    'invoices_number_from_counter',
    'invoices_pdf_status_moves',
    'invoices_status_moves',
    'invoices_sums_match_lines',
  ],
  notifications: [
    'notifications_never_removed',
    'notifications_never_truncated',
    'notifications_status_moves',
  ],
  outbox_events: ['outbox_events_frozen', 'outbox_events_never_truncated'],
  sellers: ['sellers_frozen', 'sellers_never_truncated'],
};

const OURS = `FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace`;

test('the triggers are these', async () => {
  const { rows } = await database.sql.query<{ relation: string; names: string[] }>(
    `SELECT relname AS relation, array_agg(tgname::text ORDER BY tgname) AS names ${OURS} GROUP BY relname`,
  );
  expect(Object.fromEntries(rows.map(({ relation, names }) => [relation, names]))).toEqual(LAW);
});

test('each of them is ENABLE ALWAYS, so that a session in replica mode does not pass by', async () => {
  const { rows } = await database.sql.query(`SELECT tgname, tgenabled ${OURS} AND tgenabled <> 'A'`);
  expect(rows).toEqual([]);
});

test('the looks at COMMIT are deferred from the start', async () => {
  const { rows } = await database.sql.query(
    `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal AND tgdeferrable AND tginitdeferred
       AND tgrelid = ANY ('{invoices, invoice_number_counters}'::regclass[]) ORDER BY tgname`,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'invoice_number_counters_without_gaps',
    'invoices_number_from_counter',
    'invoices_sums_match_lines',
  ]);
});

test('every constraint is validated and enforced', async () => {
  const { rows } = await database.sql.query(
    `SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace
       AND NOT (convalidated AND conenforced)`,
  );
  expect(rows).toEqual([]);
});
