import { type Actor, canOperate, unauthorized } from '../auth/actor.js';
import type { Db } from '../db/client.js';
import { getInvoice, type Invoice, recordOnTimeline, subjectOf } from '../invoices/index.js';
import { AppError } from '../kernel/errors.js';
import { appendEvents } from '../outbox/append-events.js';
import { closeDeadLetters } from '../outbox/dead-letter-rows.js';
import { requestAgain } from './pdf-status.js';

export interface RegeneratePdfInput {
  invoiceId: string;
  notifyCustomer: boolean;
}

export type RegeneratePdf = (actor: Actor, input: RegeneratePdfInput) => Promise<Invoice>;

/**
 * Asks for the same snapshot to be rendered once more. No money is touched, and the files made before
 * stay where they are.
 *
 * @throws AppError UNAUTHORIZED_INVOICE_ACCESS, INVOICE_NOT_FOUND, INVALID_INVOICE_STATE
 */
export function makeRegeneratePdf({ db }: { db: Db }): RegeneratePdf {
  return async (actor, { invoiceId, notifyCustomer }) => {
    if (!canOperate(actor)) throw unauthorized();
    return db.$transaction(async (tx) => {
      const requested = await requestAgain(tx, invoiceId, { notifyCustomer });
      const invoice = await getInvoice(tx, invoiceId);
      if (!requested) {
        throw new AppError(
          'INVALID_INVOICE_STATE',
          `Only a FINALIZED invoice whose PDF is GENERATED or FAILED can be rendered again; it is ${invoice.status}, its PDF ${invoice.pdfStatus}`,
        );
      }
      // The work that they tell of is asked for anew: replayed later, they would do nothing.
      await closeDeadLetters(tx, { queue: 'pdf', invoiceId });
      await recordOnTimeline(tx, invoiceId, 'InvoicePDFRegenerateRequested', { actor });
      await appendEvents(tx, [
        { type: 'InvoicePDFRegenerateRequested', invoice: subjectOf(invoice), data: {} },
      ]);
      return invoice;
    });
  };
}
