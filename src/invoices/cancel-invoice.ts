import { type Actor, canOperate, unauthorized } from '../auth/actor.js';
import type { Db } from '../db/client.js';
import { AppError, invalid } from '../kernel/errors.js';
import { checkText } from '../kernel/text.js';
import { appendEvents } from '../outbox/append-events.js';
import { subjectOf } from './event-subject.js';
import { getInvoice } from './find-invoice.js';
import type { Invoice } from './invoice.js';
import { recordOnTimeline } from './timeline.js';

export type CancelInvoice = (actor: Actor, input: { invoiceId: string; reason: string }) => Promise<Invoice>;

/**
 * FINALIZED → CANCELLED, with a reason. Number, money, file and download stay; a mail that is not yet
 * sent is withheld by whoever would send it.
 *
 * @throws AppError UNAUTHORIZED_INVOICE_ACCESS, VALIDATION_ERROR, INVOICE_NOT_FOUND, INVALID_INVOICE_STATE
 */
export function makeCancelInvoice({ db }: { db: Db }): CancelInvoice {
  return async (actor, { invoiceId, reason }) => {
    if (!canOperate(actor)) throw unauthorized();
    checkText('reason', reason);
    if (reason.trim() === '') throw invalid('reason', 'must not be blank');
    return db.$transaction(async (tx) => {
      const cancelled = await tx.$executeRaw`
        UPDATE invoices
        SET status = 'CANCELLED', cancelled_at = clock_timestamp(), cancel_reason = ${reason}
        WHERE id = ${invoiceId}::uuid AND status = 'FINALIZED'`;
      const invoice = await getInvoice(tx, invoiceId);
      if (cancelled === 0) {
        throw new AppError(
          'INVALID_INVOICE_STATE',
          `Only a FINALIZED invoice can be cancelled; it is ${invoice.status}`,
        );
      }
      await recordOnTimeline(tx, invoiceId, 'InvoiceCancelled', { actor });
      await appendEvents(tx, [{ type: 'InvoiceCancelled', invoice: subjectOf(invoice), data: {} }]);
      return invoice;
    });
  };
}
