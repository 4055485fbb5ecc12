import type { Db, Tx } from '../db/client.js';
import { findInvoice, type Invoice, recordOnTimeline, subjectOf } from '../invoices/index.js';
import type { Log } from '../kernel/log.js';
import { appendEvents } from '../outbox/append-events.js';
import type { EventRef } from '../outbox/events.js';
import type { SettleFailure } from '../outbox/settle-failure.js';
import {
  claimMail,
  customerIsToBeTold,
  type MailClaim,
  recordMailFailed,
  recordSent,
  setMailRetry,
  withholdMail,
} from './delivery-status.js';
import { invoiceEmail } from './invoice-email.js';
import { type Mailer, MailRefused } from './mailer.js';

export interface NotifyCustomerDeps {
  db: Db;
  mailer: Mailer;
  settleFailure: SettleFailure;
  enqueueLater: (tx: Tx, event: EventRef, delaySeconds: number) => Promise<void>;
  storefrontUrl: string;
  log: Log;
}

/** Longer than a mail server may take from connect to its last answer. */
const LEASE_SECONDS = 60;

/**
 * Works on InvoicePDFGenerated: one logical mail per event, however often the event arrives. Nothing of
 * it touches the invoice or its PDF.
 */
export function makeNotifyCustomer(deps: NotifyCustomerDeps): (event: EventRef) => Promise<void> {
  const { db, mailer, settleFailure, enqueueLater, storefrontUrl, log } = deps;

  return async (event) => {
    const invoice = await findInvoice(db, { id: event.invoiceId });
    if (!invoice || !hasAddress(invoice)) return;
    if (invoice.status !== 'FINALIZED') return withholdMail(db, event.id);
    if (!(await customerIsToBeTold(db, event.id))) return;

    const result = await db.$transaction((tx) => claim(tx, event, invoice));
    if (result.kind !== 'claimed') return;
    try {
      await mailer.send(invoiceEmail(invoice, { eventId: event.id, storefrontUrl }));
    } catch (error) {
      return fail(result.claim, event, error);
    }
    await finish(result.claim, invoice);
  };

  async function claim(tx: Tx, event: EventRef, invoice: Invoice) {
    const result = await claimMail(tx, event, LEASE_SECONDS);
    if (result.kind === 'later') await enqueueLater(tx, event, Math.ceil(result.seconds));
    if (result.kind === 'claimed' && result.first) {
      await appendEvents(tx, [
        { type: 'InvoiceNotificationRequested', invoice: subjectOf(invoice), data: {} },
      ]);
    }
    return result;
  }

  async function finish(claim: MailClaim, invoice: Invoice): Promise<void> {
    const { attempt } = claim;
    const sent = await db.$transaction(async (tx) => {
      if (!(await recordSent(tx, claim))) return false;
      await recordOnTimeline(tx, invoice.id, 'InvoiceNotificationSent', { attempt });
      await appendEvents(tx, [{ type: 'InvoiceNotificationSent', invoice: subjectOf(invoice), data: {} }]);
      return true;
    });
    if (sent) log.info({ invoice_id: invoice.id, attempt }, 'customer notified');
  }

  async function fail(claim: MailClaim, event: EventRef, error: unknown): Promise<void> {
    const { attempt } = claim;
    const permanent = error instanceof MailRefused;
    const code = permanent ? 'MAIL_REFUSED' : 'MAIL_NOT_ACCEPTED';
    const message = permanent ? 'The mail can never be sent' : 'The mail server did not accept the mail';
    const next = await db.$transaction(async (tx) => {
      const failures = await recordMailFailed(tx, claim, code);
      if (failures === undefined) return undefined;
      const follows = await settleFailure(tx, { event, failures, code, message, permanent });
      if (follows.kind === 'retry') await setMailRetry(tx, claim, follows.delaySeconds);
      await recordOnTimeline(tx, event.invoiceId, 'InvoiceNotificationFailed', { attempt, code });
      return follows;
    });
    if (next) log.warn({ err: error, invoice_id: event.invoiceId, attempt, code, next }, 'mail failed');
  }
}

function hasAddress(invoice: Invoice): invoice is Invoice & { customer: { email: string } } {
  return Boolean(invoice.customer.email?.trim());
}
