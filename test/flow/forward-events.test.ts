import pino from 'pino';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { appendEvents } from '../../src/outbox/append-events.js';
import type { EventRef } from '../../src/outbox/events.js';
import { type ForwardEvents, forwardAgain, makeForwardEvents } from '../../src/outbox/forward-events.js';
import { useDatabase } from '../helpers/database.js';
import { eventsOf } from '../helpers/events.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { anOrder } from '../helpers/orders.js';

const database = useDatabase();
const enqueued: EventRef[] = [];
let refuse: (event: EventRef) => boolean;
let forwardEvents: ForwardEvents;

beforeAll(() => {
  forwardEvents = makeForwardEvents({
    db: database.db,
    enqueue: async (_, events) => {
      const refused = events.find((event) => refuse(event));
      if (refused) throw new Error(`refused ${refused.type}`);
      enqueued.push(...events);
    },
    log: pino({ level: 'silent' }),
  });
});

beforeEach(async () => {
  refuse = () => false;
  await forwardEvents();
  enqueued.length = 0;
});

/** An invoice with two events. */
async function issueAndCancel(): Promise<string> {
  const order = anOrder();
  const invoiceId = await issueInvoice(database.db, order);
  const invoice = { invoiceId, orderId: order.order_id, customerId: order.customer_id };
  await database.db.$transaction((tx) => appendEvents(tx, [{ type: 'InvoiceCancelled', invoice, data: {} }]));
  return invoiceId;
}

const statusesOf = async (invoiceId: string) =>
  (
    await database.sql.query('SELECT status FROM outbox_events WHERE aggregate_id = $1 ORDER BY position', [
      invoiceId,
    ])
  ).rows.map(({ status }) => status);

test('events are enqueued in order and marked PUBLISHED', async () => {
  const invoiceId = await issueAndCancel();
  expect(await forwardEvents()).toEqual({ published: 2, refused: 0, more: false });
  expect(enqueued).toEqual(await eventsOf(database.sql, invoiceId));
  expect(await statusesOf(invoiceId)).toEqual(['PUBLISHED', 'PUBLISHED']);
  expect(await forwardEvents()).toMatchObject({ published: 0 });
});

test('several forwarders at once enqueue each event once', async () => {
  const invoices = await Promise.all(Array.from({ length: 10 }, issueAndCancel));
  await Promise.all(Array.from({ length: 5 }, () => forwardEvents()));
  await forwardEvents();
  expect(enqueued).toHaveLength(2 * invoices.length);
  for (const invoiceId of invoices) {
    expect(enqueued.filter((event) => event.invoiceId === invoiceId)).toEqual(
      await eventsOf(database.sql, invoiceId),
    );
  }
});

test('while one forwarder is at work, another one leaves at once', async () => {
  await issueAndCancel();
  let other: Awaited<ReturnType<ForwardEvents>> | undefined;
  const counts = await makeForwardEvents({
    db: database.db,
    enqueue: async () => {
      other = await forwardEvents();
    },
    log: pino({ level: 'silent' }),
  })();
  expect(other).toEqual({ published: 0, refused: 0, more: false });
  expect(counts).toMatchObject({ published: 2, refused: 0 });
});

test('an event that is refused holds back its own invoice and no other', async () => {
  const [stuck, other] = [await issueAndCancel(), await issueAndCancel()];
  refuse = (event) => event.invoiceId === stuck && event.type === 'InvoiceCreated';
  expect(await forwardEvents()).toEqual({ published: 2, refused: 1, more: false });
  expect(await statusesOf(stuck)).toEqual(['PENDING', 'PENDING']);
  expect(await statusesOf(other)).toEqual(['PUBLISHED', 'PUBLISHED']);
  // Its second event waits for the first, which is not due yet.
  expect(await forwardEvents()).toEqual({ published: 0, refused: 0, more: false });

  refuse = () => false;
  await database.sql.query('UPDATE outbox_events SET next_attempt_at = now() WHERE aggregate_id = $1', [
    stuck,
  ]);
  expect(await forwardEvents()).toMatchObject({ published: 2 });
  expect(enqueued.filter((event) => event.invoiceId === stuck)).toEqual(await eventsOf(database.sql, stuck));
});

test('an event refused ten times is FAILED and says why', async () => {
  const invoiceId = await issueAndCancel();
  refuse = (event) => event.invoiceId === invoiceId;
  for (let pass = 1; pass <= 10; pass += 1) {
    await database.sql.query('UPDATE outbox_events SET next_attempt_at = now() WHERE aggregate_id = $1', [
      invoiceId,
    ]);
    await forwardEvents();
  }
  const { rows } = await database.sql.query(
    'SELECT status, retry_count, last_error FROM outbox_events WHERE aggregate_id = $1 ORDER BY position LIMIT 1',
    [invoiceId],
  );
  expect(rows).toEqual([{ status: 'FAILED', retry_count: 10, last_error: 'refused InvoiceCreated' }]);
  expect(await statusesOf(invoiceId)).toEqual(['FAILED', 'PENDING']);
});

test('an event that is given up is a dead letter, once; taken back, it leaves before the later ones', async () => {
  const invoiceId = await issueAndCancel();
  const [created] = await eventsOf(database.sql, invoiceId);
  refuse = (event) => event.invoiceId === invoiceId;
  const refuseUntilGivenUp = async () => {
    await database.sql.query(
      `UPDATE outbox_events SET next_attempt_at = now(), retry_count = 9 WHERE id = $1 AND status = 'PENDING'`,
      [created?.id],
    );
    await forwardEvents();
    await forwardEvents();
  };
  const letters = async () =>
    (
      await database.sql.query(
        'SELECT queue, code, event_id, event_type, attempts, message FROM dead_letters WHERE invoice_id = $1',
        [invoiceId],
      )
    ).rows;
  await refuseUntilGivenUp();
  const letter = {
    queue: 'outbox',
    code: 'NOT_FORWARDED',
    event_id: created?.id,
    event_type: 'InvoiceCreated',
    attempts: 10,
    message: expect.not.stringContaining('refused'),
  };
  expect(await letters()).toEqual([letter]);

  // Taken back and refused again, it comes back.
  await database.db.$transaction((tx) => forwardAgain(tx, created as EventRef));
  await refuseUntilGivenUp();
  expect(await letters()).toEqual([letter, letter]);

  refuse = () => false;
  await database.db.$transaction((tx) => forwardAgain(tx, created as EventRef));
  expect(await forwardEvents()).toMatchObject({ published: 2 });
  expect(enqueued.filter((event) => event.invoiceId === invoiceId)).toEqual(
    await eventsOf(database.sql, invoiceId),
  );
});
