import { type Actor, canCreateInvoiceFor, canReadInvoice, unauthorized } from '../auth/actor.js';
import type { Db } from '../db/client.js';
import { AppError, invalid } from '../kernel/errors.js';
import { publicId } from '../kernel/ids.js';
import { isOrderId, type OrderSource } from '../orders/order-source.js';
import { assertSameRequest, claimFor } from './claim-idempotency-key.js';
import type { Draft, IssueOutcome } from './draft.js';
import { getInvoice } from './find-invoice.js';
import { makeFindIssued } from './find-issued.js';
import type { Invoice, InvoiceLine, Seller } from './invoice.js';
import type { IssueInvoice } from './issue-in-sets.js';
import { snapshotOrder } from './snapshot-order.js';

/** What the settings add to an order: who sells, and how the document is dated and written. */
export interface Issuer {
  sellerId: string;
  seller: Seller;
  timeZone: string;
  locale: string;
}

export interface CreateInvoiceInput {
  orderId: string;
  idempotencyKey: string;
}

export interface CreatedInvoice {
  /** With its lines where this very call issued it; a replay leaves them to be read. */
  invoice: Invoice & { items?: InvoiceLine[] };
  replayed: boolean;
}

/** @param patience ends the wait for what has not begun; what was begun may still come true. */
export type CreateInvoice = (
  actor: Actor,
  input: CreateInvoiceInput,
  patience?: AbortSignal,
) => Promise<CreatedInvoice>;

/**
 * Issues the invoice of a paid order, exactly once, or finds the one that this key issued before. The
 * checks run in the order of the contract, and a refusal at any of them spends nothing: no row, no
 * number, no key.
 *
 * @throws AppError with one of the codes of section 3.
 */
export function makeCreateInvoice(deps: {
  db: Db;
  orders: OrderSource;
  issueInvoice: IssueInvoice;
  issuer: Issuer;
}): CreateInvoice {
  const { db, orders, issueInvoice, issuer } = deps;
  const findIssued = makeFindIssued({ db });

  return async (actor, { orderId, idempotencyKey }, patience) => {
    if (!isOrderId(orderId)) throw invalid('orderId', 'must be 1 to 100 of A-Z a-z 0-9 . _ -');
    const claim = claimFor(actor, idempotencyKey, { orderId });
    const already = await findIssued(claim, orderId);
    if (already.byKey) return replay(already.byKey);
    if (already.forOrder) throw await refusalOf(actor, already.forOrder);

    const order = await orders.fetchOrder(orderId, patience);
    if (!canCreateInvoiceFor(actor, order)) throw unauthorized();
    if (order.status !== 'PAID') throw new AppError('ORDER_NOT_PAID', `Order ${orderId} is not paid`);
    const draft: Draft = { claim, snapshot: snapshotOrder(order), ...issuer };

    // Another caller may have been faster since the checks above: the transaction looked again.
    const outcome = await issueInvoice(draft, patience);
    switch (outcome.kind) {
      case 'issued':
        return { invoice: asIssued(draft, issuer.seller, outcome), replayed: false };
      case 'key used':
        assertSameRequest(claim, outcome.requestHash);
        return replay(outcome.invoiceId);
      case 'order invoiced':
        throw await refusalOf(actor, outcome.invoiceId);
    }
  };

  async function replay(invoiceId: string): Promise<CreatedInvoice> {
    return { invoice: await getInvoice(db, invoiceId), replayed: true };
  }

  async function refusalOf(actor: Actor, invoiceId: string): Promise<AppError> {
    const invoice = await getInvoice(db, invoiceId);
    // Whoever may not read the invoice must not learn from here that it exists.
    if (!canReadInvoice(actor, invoice)) return unauthorized();
    return new AppError('INVOICE_ALREADY_EXISTS', `Order ${invoice.orderId} has its invoice already`, {
      invoiceId: publicId('inv', invoice.id),
      invoiceNumber: invoice.invoiceNumber,
      invoiceStatus: invoice.status,
    });
  }
}

/** The row as the issuing commit left it, without reading it back. */
function asIssued(
  { snapshot, timeZone, locale }: Draft,
  seller: Seller,
  { invoiceId, invoiceNumber, issueDate, finalizedAt }: Extract<IssueOutcome, { kind: 'issued' }>,
): CreatedInvoice['invoice'] {
  const { lines: items, ...frozen } = snapshot;
  return {
    ...frozen,
    items,
    id: invoiceId,
    invoiceNumber,
    issueDate,
    timeZone,
    locale,
    seller,
    status: 'FINALIZED',
    pdfStatus: 'PENDING',
    pdfErrorCode: null,
    pdfRevision: null,
    pdfObjectKey: null,
    version: 1,
    createdAt: finalizedAt,
    finalizedAt,
    cancelledAt: null,
  };
}
