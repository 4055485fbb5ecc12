import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { duplicate, refusalOf } from './by-hand.js';
import { insertCopy } from './copied-invoice.js';

const database = useDatabase();

let id: string;
beforeAll(async () => {
  id = await issueInvoice(database.db);
});

const ownValue = async (column: string) =>
  (await database.sql.query(`SELECT ${column} AS value FROM invoices WHERE id = $1`, [id])).rows[0].value;

test.each([
  ['id', 'invoices_pkey'],
  ['order_id', 'invoices_order_id_key'],
  ['invoice_number', 'invoices_invoice_number_key'],
])('invoices: the same %s twice is refused by %s', async (column, constraint) => {
  const invoice = { [column]: await ownValue(column) };
  expect(await refusalOf(database.sql, (tx) => insertCopy(tx, id, { invoice }))).toEqual(
    duplicate(constraint),
  );
});

test('a cancelled invoice still occupies its order', async () => {
  const cancelled = await issueInvoice(database.db);
  await database.sql.query(
    `UPDATE invoices SET status = 'CANCELLED', cancelled_at = now(), cancel_reason = 'why' WHERE id = $1`,
    [cancelled],
  );
  const order = await database.sql.query('SELECT order_id FROM invoices WHERE id = $1', [cancelled]);
  const invoice = { order_id: order.rows[0].order_id };
  expect(await refusalOf(database.sql, (tx) => insertCopy(tx, id, { invoice }))).toEqual(
    duplicate('invoices_order_id_key'),
  );
});

test('order ids that differ in case alone are two orders', async () => {
  const lower = { invoice: { order_id: 'ord-case' } };
  expect(await refusalOf(database.sql, (tx) => insertCopy(tx, id, lower))).toBe('accepted');
  const upper = { invoice: { order_id: 'ORD-CASE' } };
  expect(await refusalOf(database.sql, (tx) => insertCopy(tx, id, upper))).toBe('accepted');
});

test('an event is there once', async () => {
  const again = `INSERT INTO outbox_events SELECT event.* FROM outbox_events AS original,
    LATERAL jsonb_populate_record(original, jsonb_build_object('position', original.position + 1000)) AS event`;
  expect(await refusalOf(database.sql, again)).toEqual(duplicate('outbox_events_pkey'));
});

test('an event has one notification', async () => {
  const event = randomUUID();
  const notify = `INSERT INTO notifications (id, invoice_id, event_id, created_at)
    VALUES (gen_random_uuid(), '${id}', '${event}', now())`;
  expect(await refusalOf(database.sql, notify)).toBe('accepted');
  expect(await refusalOf(database.sql, notify)).toEqual(duplicate('notifications_event_id_key'));
});

test('a key is used once by its actor, and once by each', async () => {
  const use = (role: string, actor: string, key: string) =>
    refusalOf(
      database.sql,
      `INSERT INTO idempotency_records (actor_role, actor_id, key, request_hash, invoice_id, created_at)
       VALUES ('${role}', '${actor}', '${key}', 'hash', '${id}', now())`,
    );
  expect(await use('service', 'checkout', 'a')).toBe('accepted');
  expect(await use('service', 'checkout', 'a')).toEqual(duplicate('idempotency_records_pkey'));
  expect(await use('customer', 'checkout', 'a')).toBe('accepted');
  expect(await use('service', 'another', 'a')).toBe('accepted');
  expect(await use('service', 'checkout', 'A')).toBe('accepted');
});
