import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { LeaseLost } from '../../src/kernel/lease.js';
import { askForMailAgain, claimMail } from '../../src/notifications/delivery-status.js';
import { type Mail, MailRefused, MailUnanswered } from '../../src/notifications/mailer.js';
import { makeNotifyCustomer } from '../../src/notifications/notify-customer.js';
import type { EventRef } from '../../src/outbox/events.js';
import { makeSettleFailure } from '../../src/outbox/settle-failure.js';
import { makeRegeneratePdf } from '../../src/pdf/regenerate-pdf.js';
import { queueOf } from '../../src/queue/queues.js';
import { useDatabase } from '../helpers/database.js';
import { eventOf, eventsOf } from '../helpers/events.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { RUNNING } from '../helpers/leases.js';
import { anOrder } from '../helpers/orders.js';
import { makePdfWork } from '../helpers/pdf-work.js';

const database = useDatabase();
const sent: Mail[] = [];
const enqueued: { event: EventRef; delaySeconds: number }[] = [];
let send: (mail: Mail) => Promise<void>;
let notify: ReturnType<typeof makeNotifyCustomer>;
const notifyCustomer = (event: EventRef, stopping = RUNNING) => notify(event, stopping);

beforeAll(() => {
  const enqueueLater = async (_: Tx, event: EventRef, delaySeconds: number) => {
    enqueued.push({ event, delaySeconds });
  };
  notify = makeNotifyCustomer({
    db: database.db,
    mailer: { send: (mail) => send(mail) },
    settleFailure: makeSettleFailure({ retryDelaysSeconds: [1, 5], queueOf, enqueueLater }),
    enqueueLater,
    leaseSeconds: 60,
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

/** An invoice whose PDF was just generated. */
async function generated(order = anOrder()) {
  const invoiceId = await issueInvoice(database.db, order);
  const { generatePdf } = makePdfWork(() => database.db);
  await generatePdf(await eventOf(database.sql, invoiceId, 'InvoiceCreated'));
  return { invoiceId, event: await eventOf(database.sql, invoiceId, 'InvoicePDFGenerated') };
}

/** Asks for its PDF once more, as an admin does. */
async function regenerated(invoiceId: string, options: { notifyCustomer: boolean }) {
  const regenerate = makeRegeneratePdf({ db: database.db });
  await regenerate({ id: 'u_admin', role: 'admin' }, { invoiceId, ...options });
  const { generatePdf } = makePdfWork(() => database.db);
  await generatePdf(await eventOf(database.sql, invoiceId, 'InvoicePDFRegenerateRequested'));
  return eventOf(database.sql, invoiceId, 'InvoicePDFGenerated');
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

test.each([null, '  '])('an address of %j: no mail and no notification', async (email) => {
  const { invoiceId, event } = await generated(anOrder({ customer: { ...anOrder().customer, email } }));
  await notifyCustomer(event);
  expect(sent).toEqual([]);
  expect(await notificationsOf(invoiceId)).toEqual([]);
});

test('a later revision mails only where it was asked to', async () => {
  const { invoiceId, event } = await generated();
  await notifyCustomer(event);
  await notifyCustomer(await regenerated(invoiceId, { notifyCustomer: false }));
  expect(sent).toHaveLength(1);
  const later = await regenerated(invoiceId, { notifyCustomer: true });
  await notifyCustomer(later);
  expect(sent.map(({ messageId }) => messageId)).toEqual([`<${event.id}@folio>`, `<${later.id}@folio>`]);
});

test('the mail is owed from the commit that made the file current', async () => {
  const { invoiceId } = await generated();
  expect(await notificationsOf(invoiceId)).toEqual([{ status: 'PENDING', code: null, attempt: 0 }]);
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

describe('a claimant that was lost', () => {
  const endLeaseOf = (invoiceId: string) =>
    database.sql.query(`UPDATE notifications SET lease_until = clock_timestamp() WHERE invoice_id = $1`, [
      invoiceId,
    ]);
  const unansweredOf = async (invoiceId: string) =>
    (await database.sql.query('SELECT unanswered FROM notifications WHERE invoice_id = $1', [invoiceId]))
      .rows;

  test('may have sent the mail: it goes out again, the same, and is counted', async () => {
    const { invoiceId, event } = await generated();
    await claimMail(database.db, event.id, 60);
    await endLeaseOf(invoiceId);
    await notifyCustomer(event);
    expect(sent.map(({ messageId }) => messageId)).toEqual([`<${event.id}@folio>`]);
    expect(await notificationsOf(invoiceId)).toEqual([{ status: 'SENT', code: null, attempt: 2 }]);
    expect(await unansweredOf(invoiceId)).toEqual([{ unanswered: 1 }]);
  });

  test('says nothing when it wakes up', async () => {
    const { invoiceId, event } = await generated();
    let overtaken = 0;
    send = async (mail) => {
      sent.push(mail);
      if (overtaken++ > 0) return;
      await endLeaseOf(invoiceId);
      await notifyCustomer(event);
    };
    await expect(notifyCustomer(event)).rejects.toBeInstanceOf(LeaseLost);
    expect(await notificationsOf(invoiceId)).toEqual([{ status: 'SENT', code: null, attempt: 2 }]);
    const types = (await eventsOf(database.sql, invoiceId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'InvoiceNotificationSent')).toHaveLength(1);
  });

  test('is followed by ten more at most, and then WORKER_LOST', async () => {
    const { invoiceId, event } = await generated();
    for (let worker = 1; worker <= 11; worker += 1) {
      expect(await claimMail(database.db, event.id, 60)).toMatchObject({ kind: 'claimed' });
      await endLeaseOf(invoiceId);
    }
    await notifyCustomer(event);
    expect(sent).toEqual([]);
    expect(await notificationsOf(invoiceId)).toEqual([
      { status: 'FAILED', code: 'WORKER_LOST', attempt: 11 },
    ]);
    const { rows } = await database.sql.query(
      'SELECT queue, code, attempts FROM dead_letters WHERE invoice_id = $1',
      [invoiceId],
    );
    expect(rows).toEqual([{ queue: 'notification', code: 'WORKER_LOST', attempts: 11 }]);
  });
});

test('a mail without an answer may have arrived: it is tried again and counted', async () => {
  const { invoiceId, event } = await generated();
  send = () => Promise.reject(new MailUnanswered('cut'));
  await notifyCustomer(event);
  const { rows } = await database.sql.query(
    'SELECT status, error_code, unanswered FROM notifications WHERE invoice_id = $1',
    [invoiceId],
  );
  expect(rows).toEqual([{ status: 'FAILED', error_code: 'MAIL_UNANSWERED', unanswered: 1 }]);
  expect(enqueued).toEqual([{ event, delaySeconds: 1 }]);
});

test('a process that stops hands its mail back', async () => {
  const { invoiceId, event } = await generated();
  const stop = new AbortController();
  send = async () => {
    stop.abort(new Error('The process stops'));
    throw stop.signal.reason;
  };
  await notifyCustomer(event, stop.signal);
  expect(enqueued).toEqual([{ event, delaySeconds: 0 }]);
  expect(await notificationsOf(invoiceId)).toEqual([{ status: 'PENDING', code: null, attempt: 1 }]);
  send = async (mail) => void sent.push(mail);
  await notifyCustomer(event);
  expect(sent).toHaveLength(1);
});
