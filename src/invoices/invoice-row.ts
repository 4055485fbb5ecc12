import type { Prisma } from '../db/client.js';
import { decimalFromBooks, formatMoney, formatQuantity } from '../kernel/money.js';
import type { Invoice, InvoiceLine, InvoiceStatus, PdfErrorCode, PdfStatus } from './invoice.js';

/** What is read with an invoice. The logo stays behind: only a rendering needs it. */
export const WITH_SELLER = { seller: { omit: { logo: true, logoMediaType: true } } } as const;

type InvoiceRow = Prisma.InvoiceGetPayload<{ include: typeof WITH_SELLER }>;

export function toInvoice(row: InvoiceRow): Invoice {
  const money = (value: Prisma.Decimal) => formatMoney(decimalFromBooks(value), row.minorUnit);
  const { id: _, ...seller } = row.seller;
  return {
    id: row.id,
    invoiceNumber: row.invoiceNumber,
    orderId: row.orderId,
    customerId: row.customerId,
    // The CHECK constraints of these names hold the three lists.
    status: row.status as InvoiceStatus,
    pdfStatus: row.pdfStatus as PdfStatus,
    pdfErrorCode: row.pdfErrorCode as PdfErrorCode | null,
    currency: row.currency,
    minorUnit: row.minorUnit,
    subtotal: money(row.subtotal),
    discount: money(row.discount),
    tax: money(row.tax),
    total: money(row.total),
    seller,
    customer: {
      name: row.customerName,
      email: row.customerEmail,
      taxId: row.customerTaxId,
      address: {
        line1: row.addressLine1,
        line2: row.addressLine2,
        city: row.addressCity,
        region: row.addressRegion,
        postalCode: row.addressPostalCode,
        country: row.addressCountry,
      },
    },
    issueDate: row.issueDate.toISOString().slice(0, 10),
    timeZone: row.timeZone,
    locale: row.locale,
    pdfRevision: row.pdfRevision,
    pdfObjectKey: row.pdfObjectKey,
    version: row.version,
    createdAt: row.createdAt,
    finalizedAt: row.finalizedAt,
    cancelledAt: row.cancelledAt,
  };
}

export function toLine(row: Prisma.InvoiceItemGetPayload<object>): InvoiceLine {
  const money = (value: Prisma.Decimal) => formatMoney(decimalFromBooks(value), row.minorUnit);
  return {
    productId: row.productId,
    description: row.description,
    quantity: formatQuantity(decimalFromBooks(row.quantity)),
    unitPrice: money(row.unitPrice),
    discount: money(row.discount),
    tax: money(row.tax),
    total: money(row.total),
  };
}
