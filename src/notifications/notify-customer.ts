import type { Db, Tx } from '../db/client.js';
import { toAppError } from '../db/database-errors.js';
import { findInvoice, type Invoice, recordOnTimeline, subjectOf } from '../invoices/index.js';
import { keepLease, LeaseLost } from '../kernel/lease.js';
import type { Log } from '../kernel/log.js';
import { appendEvents } from '../outbox/append-events.js';
import type { EventRef } from '../outbox/events.js';
import type { SettleFailure } from '../outbox/settle-failure.js';
import {
  claimMail,
  endMailLease,
  extendMailLease,
  type MailClaim,
  recordMailFailed,
  recordMailWorkerLost,
  recordSent,
  setMailRetry,
  withholdMail,
} from './delivery-status.js';
import { invoiceEmail } from './invoice-email.js';
import { type Mailer, MailRefused, MailUnanswered } from './mailer.js';
import { hasAddress } from './request-notification.js';

export interface NotifyCustomerDeps {
  db: Db;
  mailer: Mailer;
  settleFailure: SettleFailure;
  enqueueLater: (tx: Tx, event: EventRef, delaySeconds: number) => Promise<void>;
  leaseSeconds: number;
  storefrontUrl: string;
  log: Log;
}

/** Longer than a mailer may take from connect to the server's last answer. */
const MAIL_ENDS_WITHIN_SECONDS = 120;

/**
 * Works on InvoicePDFGenerated: sends the mail that the event's commit made owed, one logical mail however
 * often the event arrives. Nothing of it touches the invoice or its PDF.
 *
 * A worker lost between the server's answer and our commit has sent a mail that nobody knows of: the next
 * one sends it again, with the same Message-ID, and counts it.
 */
export function makeNotifyCustomer(
  deps: NotifyCustomerDeps,
): (event: EventRef, stopping: AbortSignal) => Promise<void> {
  const { db, mailer, settleFailure, enqueueLater, leaseSeconds, storefrontUrl, log } = deps;

  return async (event, stopping) => {
    const invoice = await findInvoice(db, { id: event.invoiceId });
    if (invoice?.status === 'CANCELLED') return withholdMail(db, event.id);
    if (!invoice || !hasAddress(invoice)) return;

    const claimedAt = performance.now();
    const result = await claimMail(db, event.id, leaseSeconds);
    switch (result.kind) {
      case 'nothing to do':
        return;
      case 'later':
        return db.$transaction((tx) => enqueueLater(tx, event, Math.ceil(result.seconds)));
      case 'given up':
        return giveUp(event);
    }
    const { claim } = result;
    const lease = keepLease({
      extend: () => extendMailLease(db, claim, leaseSeconds),
      leaseSeconds,
      claimedAt,
      forAtMostSeconds: MAIL_ENDS_WITHIN_SECONDS,
      log,
    });
    // The mailer itself ends at either, since it alone knows how far the mail has come.
    const signal = AbortSignal.any([lease.signal, stopping]);
    try {
      const mail = invoiceEmail(invoice, { eventId: event.id, storefrontUrl });
      await mailer.send(mail, { signal, isHeld: lease.isHeld });
      await finish(claim, invoice);
    } catch (error) {
      // Neither a lost claim nor a database that is away is a fault of the mail.
      if (error instanceof LeaseLost || toAppError(error)) throw error;
      if (stopping.aborted && error === stopping.reason) return await handBack(claim, event);
      await fail(claim, event, error);
    } finally {
      lease.release();
    }
  };

  async function finish(claim: MailClaim, invoice: Invoice): Promise<void> {
    const { attempt } = claim;
    await db.$transaction(async (tx) => {
      if (!(await recordSent(tx, claim))) throw lost(claim);
      await recordOnTimeline(tx, invoice.id, 'InvoiceNotificationSent', { attempt });
      await appendEvents(tx, [{ type: 'InvoiceNotificationSent', invoice: subjectOf(invoice), data: {} }]);
    });
    log.info({ invoice_id: invoice.id, attempt }, 'customer notified');
  }

  async function fail(claim: MailClaim, event: EventRef, error: unknown): Promise<void> {
    const { attempt } = claim;
    const { unanswered, ...failure } = describe(error);
    const next = await db.$transaction(async (tx) => {
      const failures = await recordMailFailed(tx, claim, { code: failure.code, unanswered });
      if (failures === undefined) throw lost(claim);
      const follows = await settleFailure(tx, { event, failures, ...failure });
      if (follows.kind === 'retry') await setMailRetry(tx, claim, follows.delaySeconds);
      await recordOnTimeline(tx, event.invoiceId, 'InvoiceNotificationFailed', {
        attempt,
        code: failure.code,
      });
      return follows;
    });
    log.warn({ err: error, invoice_id: event.invoiceId, attempt, code: failure.code, next }, 'mail failed');
  }

  async function giveUp(event: EventRef): Promise<void> {
    const code = 'WORKER_LOST';
    const message = 'One worker after the other was lost with this mail';
    const ended = await db.$transaction(async (tx) => {
      const worker = await recordMailWorkerLost(tx, event.id);
      if (!worker) return undefined;
      const { attempt, failures } = worker;
      await settleFailure(tx, { event, failures, code, message, permanent: true });
      await recordOnTimeline(tx, event.invoiceId, 'InvoiceNotificationFailed', { attempt, code });
      return worker;
    });
    if (ended) log.error({ invoice_id: event.invoiceId, ...ended, code }, 'mail given up');
  }

  async function handBack(claim: MailClaim, event: EventRef): Promise<void> {
    await db.$transaction(async (tx) => {
      if (await endMailLease(tx, claim)) await enqueueLater(tx, event, 0);
    });
    log.info({ invoice_id: event.invoiceId, attempt: claim.attempt }, 'mail handed back: the process stops');
  }
}

const lost = ({ attempt }: MailClaim) =>
  new LeaseLost(`Attempt ${attempt} came too late: another one has the mail`);

function describe(error: unknown) {
  if (error instanceof MailRefused) {
    return {
      code: 'MAIL_REFUSED',
      message: 'The mail can never be sent',
      permanent: true,
      unanswered: false,
    };
  }
  if (error instanceof MailUnanswered) {
    const message = 'The mail went out, but the mail server did not answer: it may have arrived';
    return { code: 'MAIL_UNANSWERED', message, permanent: false, unanswered: true };
  }
  const message = 'The mail server did not accept the mail';
  return { code: 'MAIL_NOT_ACCEPTED', message, permanent: false, unanswered: false };
}
