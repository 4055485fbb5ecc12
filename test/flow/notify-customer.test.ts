import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { askForMailAgain } from '../../src/notifications/delivery-status.js';
import { type Mail, MailRefused } from '../../src/notifications/mailer.js';
import { makeNotifyCustomer } from '../../src/notifications/notify-customer.js';
import { appendEvents } from '../../src/outbox/append-events.js';
import type { EventRef } from '../../src/outbox/events.js';
import { makeSettleFailure } from '../../src/outbox/settle-failure.js';
import { queueOf } from '../../src/queue/queues.js';
import { useDatabase } from '../helpers/database.js';
import { eventOf, eventsOf } from '../helpers/events.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { anOrder } from '../helpers/orders.js';

const database = useDatabase();
const sent: Mail[] = [];
const enqueued: { event: EventRef; delaySeconds: number }[] = [];
let send: (mail: Mail) => Promise<void>;
let notifyCustomer: (event: EventRef) => Promise<void>;

beforeAll(() => {
  const enqueueLater = async (_: Tx, event: EventRef, delaySeconds: number) => {
    enqueued.push({ event, delaySeconds });
  };
  notifyCustomer = makeNotifyCustomer({
    db: database.db,
    mailer: { send: (mail) => send(mail) },
    settleFailure: makeSettleFailure({ retryDelaysSeconds: [1, 5], queueOf, enqueueLater }),
    enqueueLater,
    storefrontUrl: 'https://shop.example',
    log: pino({ level: 'silent' }),
  });
});

beforeEach(() => {
  sent.length = 0;
  enqueued.length = 0;
  send = async (mail) => {
    sent.push(mail);
  };
});

/** An invoice whose PDF was just generated, as far as the mail can tell. */
async function generated(options: { order?: ReturnType<typeof anOrder>; notify?: boolean } = {}) {
  const order = options.order ?? anOrder();
  const invoiceId = await issueInvoice(database.db, order);
  const invoice = { invoiceId, orderId: order.order_id, customerId: order.customer_id };
  const data = { object_key: 'k', revision: 1, notify_customer: options.notify ?? true };
  await database.db.$transaction((tx) => appendEvents(tx, [{ type: 'InvoicePDFGenerated', invoice, data }]));
  return { invoiceId, event: await eventOf(database.sql, invoiceId, 'InvoicePDFGenerated') };
}

const notificationsOf = async (invoiceId: string) =>
  (
    await database.sql.query(
      'SELECT status, error_code AS code, attempt FROM notifications WHERE invoice_id = $1',
      [invoiceId],
    )
  ).rows;

/** The delay of a retry is over; a dead one has none. */
const makeDue = (invoiceId: string) =>
  database.sql.query(
    'UPDATE notifications SET retry_at = now() WHERE invoice_id = $1 AND retry_at IS NOT NULL',
    [invoiceId],
  );

test('an event sends one mail with number, total and the way to the storefront', async () => {
  const { invoiceId, event } = await generated();
  await notifyCustomer(event);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    messageId: `<${event.id}@folio>`,
    to: { name: 'Alice Example', address: 'alice@example.com' },
    subject: expect.stringMatching(/INV-\d{4}-\d{8}/),
  });
  expect(sent[0]?.text).toContain('USD 81.00');
  expect(sent[0]?.text).toMatch(/https:\/\/shop\.example\/invoices\/inv_[0-9a-z]{26}/);
  expect(await notificationsOf(invoiceId)).toEqual([{ status: 'SENT', code: null, attempt: 1 }]);
  expect((await eventsOf(database.sql, invoiceId)).map(({ type }) => type)).toEqual([
    'InvoiceCreated',
    'InvoicePDFGenerated',
    'InvoiceNotificationRequested',
    'InvoiceNotificationSent',
  ]);
});

test('an event that comes again, also at the same time, sends no second mail', async () => {
  const { invoiceId, event } = await generated();
  // The first one is still talking to the mail server while the others come and go.
  let others: Promise<unknown> | undefined;
  send = async (mail) => {
    sent.push(mail);
    others ??= Promise.all([notifyCustomer(event), notifyCustomer(event)]);
    await others;
  };
  await notifyCustomer(event);
  await notifyCustomer(event);
  expect(sent).toHaveLength(1);
  expect(enqueued.map(({ delaySeconds }) => delaySeconds > 0)).toEqual([true, true]);
  expect(await notificationsOf(invoiceId)).toHaveLength(1);
});

test.each([
  ['no address', { order: anOrder({ customer: { ...anOrder().customer, email: null } }) }],
  ['an address of spaces', { order: anOrder({ customer: { ...anOrder().customer, email: '  ' } }) }],
  ['a later revision that nobody is to be told of', { notify: false }],
])('%s: no mail and no notification', async (_, options) => {
  const { invoiceId, event } = await generated(options);
  await notifyCustomer(event);
  expect(sent).toEqual([]);
  expect(await notificationsOf(invoiceId)).toEqual([]);
});

test('a cancelled invoice withholds its mail', async () => {
  const { invoiceId, event } = await generated();
  await database.sql.query(
    `UPDATE invoices SET status = 'CANCELLED', cancelled_at = now(), cancel_reason = 'test' WHERE id = $1`,
    [invoiceId],
  );
  await notifyCustomer(event);
  expect(sent).toEqual([]);
});

test('a mail asked for again after a cancel ends FAILED, not PENDING for ever', async () => {
  const { invoiceId, event } = await generated();
  send = () => Promise.reject(new MailRefused('no such address'));
  await notifyCustomer(event);
  await database.sql.query(
    `UPDATE invoices SET status = 'CANCELLED', cancelled_at = now(), cancel_reason = 'test' WHERE id = $1`,
    [invoiceId],
  );
  await database.db.$transaction((tx) => askForMailAgain(tx, event.id));
  await notifyCustomer(event);
  expect(await notificationsOf(invoiceId)).toEqual([
    { status: 'FAILED', code: 'INVOICE_CANCELLED', attempt: 1 },
  ]);
});

test('a mail that is not accepted is tried again after its delays, then a dead letter', async () => {
  const { invoiceId, event } = await generated();
  send = () => Promise.reject(new Error('450 try later'));
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await notifyCustomer(event);
    await notifyCustomer(event);
    await makeDue(invoiceId);
  }
  // Each delay is enqueued by the failure, and once more by the delivery that came too early.
  expect(enqueued.map(({ delaySeconds }) => delaySeconds)).toEqual([1, 1, 5, 5]);
  expect(await notificationsOf(invoiceId)).toEqual([
    { status: 'FAILED', code: 'MAIL_NOT_ACCEPTED', attempt: 3 },
  ]);
  const { rows } = await database.sql.query(
    'SELECT queue, code, attempts FROM dead_letters WHERE invoice_id = $1',
    [invoiceId],
  );
  expect(rows).toEqual([{ queue: 'notification', code: 'MAIL_NOT_ACCEPTED', attempts: 3 }]);
});

test('a mail that can never be sent is a dead letter at once', async () => {
  const { invoiceId, event } = await generated();
  send = () => Promise.reject(new MailRefused('no such address'));
  await notifyCustomer(event);
  expect(enqueued).toEqual([]);
  expect(await notificationsOf(invoiceId)).toEqual([{ status: 'FAILED', code: 'MAIL_REFUSED', attempt: 1 }]);
});

test('an event that the outbox does not know mails nothing', async () => {
  const { invoiceId } = await generated();
  await notifyCustomer({ id: randomUUID(), type: 'InvoicePDFGenerated', invoiceId });
  expect(sent).toEqual([]);
});
