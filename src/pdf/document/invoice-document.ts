import type { Buyer, InvoiceLine, Seller, SellerLogo, Totals } from '../../invoices/index.js';

/**
 * What the document shows, and nothing else: the frozen rows of one invoice as plain values that may
 * cross a thread boundary. Amounts are plain decimal strings with the currency's decimals ("81.00",
 * "1935"), unit prices with as many more as they have, quantities in their shortest form.
 */
export interface InvoiceDocument extends Totals {
  invoiceNumber: string;
  orderId: string;
  /** ISO 4217 code. */
  currency: string;
  /** Decimals of the currency: JPY 0, USD 2, KWD 3, CLF 4. */
  minorUnit: number;
  /** BCP 47 tag frozen at issue: labels and number formats follow it. */
  locale: string;
  pageSize: PageSize;
  /** Calendar date of issue in the seller's time zone, YYYY-MM-DD. */
  issueDate: string;
  /** ISO 8601 in UTC; becomes the file's creation date, so that equal snapshots give equal bytes. */
  finalizedAt: string;
  seller: Seller & { logo: SellerLogo | null };
  customer: Buyer;
  lines: InvoiceLine[];
}

export type PageSize = 'A4' | 'LETTER';
