export const INVOICE_STATUSES = ['PENDING', 'FINALIZED', 'CANCELLED'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const PDF_STATUSES = ['PENDING', 'PROCESSING', 'GENERATED', 'FAILED'] as const;
export type PdfStatus = (typeof PDF_STATUSES)[number];

export const PDF_ERROR_CODES = [
  'RENDER_FAILED',
  'RENDER_TIMEOUT',
  'CHECK_FAILED',
  'STORAGE_ERROR',
  'WORKER_LOST',
] as const;
export type PdfErrorCode = (typeof PDF_ERROR_CODES)[number];

export const NOTIFICATION_STATUSES = ['PENDING', 'SENT', 'FAILED'] as const;
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number];

/** Amounts as plain decimal strings with the currency's decimals: "81.00", "1935". */
export interface Totals {
  subtotal: string;
  discount: string;
  tax: string;
  total: string;
}

/** One frozen line. The product is quantity × unit price, rounded to the currency's minor unit. */
export interface InvoiceLine {
  productId: string;
  description: string;
  /** Shortest plain notation: "2", "1.333". */
  quantity: string;
  /** At least the currency's decimals, and as many more as the price has: "40.00", "0.02925". */
  unitPrice: string;
  discount: string;
  tax: string;
  total: string;
}

export interface Address {
  line1: string;
  line2: string | null;
  city: string;
  region: string | null;
  postalCode: string | null;
  country: string;
}

/** The buyer as the order named it at issue. */
export interface Buyer {
  name: string;
  email: string | null;
  taxId: string | null;
  address: Address;
}

/** The seller as printed. `address` has its lines separated by newline. */
export interface Seller {
  name: string;
  address: string;
  taxId: string | null;
  email: string | null;
}

export interface SellerLogo {
  mediaType: 'image/png' | 'image/jpeg';
  bytes: Uint8Array;
}

/** The issued document without its lines, which may be thousands: they are read where they are shown. */
export interface Invoice extends Totals {
  /** UUID; outside it is written `inv_…`. */
  id: string;
  invoiceNumber: string;
  orderId: string;
  customerId: string;
  status: InvoiceStatus;
  /** ISO 4217 code. */
  currency: string;
  /** Decimals of the currency. */
  minorUnit: number;
  seller: Seller;
  customer: Buyer;
  /** Calendar date in `timeZone`, YYYY-MM-DD. */
  issueDate: string;
  timeZone: string;
  /** BCP 47 tag of the document's language and formats. */
  locale: string;
  pdfStatus: PdfStatus;
  pdfErrorCode: PdfErrorCode | null;
  /** The newest finished rendering, null before the first. */
  pdfRevision: number | null;
  pdfObjectKey: string | null;
  version: number;
  createdAt: Date;
  finalizedAt: Date;
  cancelledAt: Date | null;
}

/** A finished rendering, kept for ever. */
export interface PdfRevision {
  revision: number;
  createdAt: Date;
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
  templateVersion: string;
}
