import type { Tx } from '../db/client.js';
import { getInvoice, type Invoice, type SellerLogo, toLine } from '../invoices/index.js';
import type { InvoiceDocument, PageSize } from './document/invoice-document.js';

/** Reads what an invoice froze, as the document shows it. The order, and today's settings, have no say. */
export async function loadDocument(
  tx: Tx,
  invoiceId: string,
  { pageSize }: { pageSize: PageSize },
): Promise<{ invoice: Invoice; document: InvoiceDocument }> {
  const invoice = await getInvoice(tx, invoiceId);
  const lines = await tx.invoiceItem.findMany({ where: { invoiceId }, orderBy: { lineNumber: 'asc' } });
  const { seller: logo } = await tx.invoice.findUniqueOrThrow({
    where: { id: invoiceId },
    select: { seller: { select: { logo: true, logoMediaType: true } } },
  });
  const document: InvoiceDocument = {
    invoiceNumber: invoice.invoiceNumber,
    orderId: invoice.orderId,
    currency: invoice.currency,
    minorUnit: invoice.minorUnit,
    locale: invoice.locale,
    pageSize,
    issueDate: invoice.issueDate,
    finalizedAt: invoice.finalizedAt.toISOString(),
    seller: {
      ...invoice.seller,
      // The CHECK on sellers holds both columns together and the media type to these two.
      logo: logo.logo && {
        bytes: logo.logo,
        mediaType: logo.logoMediaType as SellerLogo['mediaType'],
      },
    },
    customer: invoice.customer,
    lines: lines.map(toLine),
    subtotal: invoice.subtotal,
    discount: invoice.discount,
    tax: invoice.tax,
    total: invoice.total,
  };
  return { invoice, document };
}
