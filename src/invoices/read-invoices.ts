import { type Actor, canReadInvoice, unauthorized } from '../auth/actor.js';
import type { Db } from '../db/client.js';
import { isOrderId } from '../orders/order-source.js';
import { findInvoice, invoiceNotFound } from './find-invoice.js';
import type { Invoice, InvoiceLine, NotificationStatus, PdfRevision } from './invoice.js';
import { toInvoice, toLine, WITH_SELLER } from './invoice-row.js';

export type ReadInvoice = (actor: Actor, where: { id: string } | { orderId: string }) => Promise<Invoice>;

/** @throws AppError INVOICE_NOT_FOUND, UNAUTHORIZED_INVOICE_ACCESS */
export function makeReadInvoice({ db }: { db: Db }): ReadInvoice {
  return async (actor, where) => {
    // An id that no order can have is not worth a query, nor fit for one.
    const asked = !('orderId' in where) || isOrderId(where.orderId);
    const invoice = asked ? await findInvoice(db, where) : undefined;
    if (!invoice) throw invoiceNotFound();
    if (!canReadInvoice(actor, invoice)) throw unauthorized();
    return invoice;
  };
}

/**
 * Parts of invoices that the caller has already been allowed to read, for many of them in one query:
 * one answer per id, in the order of `invoiceIds`.
 */
export interface ReadInvoiceParts {
  invoices(invoiceIds: readonly string[]): Promise<(Invoice | undefined)[]>;
  lines(invoiceIds: readonly string[]): Promise<InvoiceLine[][]>;
  notificationStatuses(invoiceIds: readonly string[]): Promise<(NotificationStatus | null)[]>;
  /** Oldest first. */
  pdfRevisions(invoiceIds: readonly string[]): Promise<PdfRevision[][]>;
}

export function makeReadInvoiceParts({ db }: { db: Db }): ReadInvoiceParts {
  return {
    async invoices(invoiceIds) {
      const rows = await db.invoice.findMany({
        where: { id: { in: [...invoiceIds] } },
        include: WITH_SELLER,
      });
      const byId = new Map(rows.map((row) => [row.id, toInvoice(row)]));
      return invoiceIds.map((id) => byId.get(id));
    },

    async lines(invoiceIds) {
      const rows = await db.invoiceItem.findMany({
        where: { invoiceId: { in: [...invoiceIds] } },
        orderBy: [{ invoiceId: 'asc' }, { lineNumber: 'asc' }],
      });
      const linesOf = Map.groupBy(rows, (row) => row.invoiceId);
      return invoiceIds.map((id) => (linesOf.get(id) ?? []).map(toLine));
    },

    async notificationStatuses(invoiceIds) {
      // An invoice may have been announced more than once: the newest counts.
      const rows = await db.$queryRaw<{ invoice_id: string; status: NotificationStatus }[]>`
        SELECT DISTINCT ON (invoice_id) invoice_id, status FROM notifications
        WHERE invoice_id = ANY (${invoiceIds}::uuid[])
        ORDER BY invoice_id, created_at DESC`;
      const statusOf = new Map(rows.map((row) => [row.invoice_id, row.status]));
      return invoiceIds.map((id) => statusOf.get(id) ?? null);
    },

    async pdfRevisions(invoiceIds) {
      const rows = await db.pdfRevision.findMany({
        where: { invoiceId: { in: [...invoiceIds] } },
        orderBy: { revision: 'asc' },
      });
      const revisionsOf = Map.groupBy(rows, (row) => row.invoiceId);
      return invoiceIds.map((id) => revisionsOf.get(id) ?? []);
    },
  };
}
