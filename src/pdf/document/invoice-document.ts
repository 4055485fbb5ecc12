/**
 * What the document shows, and nothing else: the frozen rows of one invoice as plain values that may
 * cross a thread boundary. Amounts are plain decimal strings with the currency's decimals ("81.00",
 * "1935"), unit prices with as many more as they have, quantities in their shortest form.
 */
export interface InvoiceDocument {
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
  seller: DocumentSeller;
  customer: DocumentCustomer;
  lines: DocumentLine[];
  subtotal: string;
  discount: string;
  tax: string;
  total: string;
}

export type PageSize = 'A4' | 'LETTER';

export interface DocumentSeller {
  name: string;
  /** Lines separated by newline. */
  address: string;
  taxId: string | null;
  email: string | null;
  logo: DocumentLogo | null;
}

export interface DocumentLogo {
  mediaType: 'image/png' | 'image/jpeg';
  bytes: Uint8Array;
}

export interface DocumentCustomer {
  name: string;
  email: string | null;
  taxId: string | null;
  address: {
    line1: string;
    line2: string | null;
    city: string;
    region: string | null;
    postalCode: string | null;
    /** As the order gave it, usually an ISO 3166-1 code. */
    country: string;
  };
}

export interface DocumentLine {
  productId: string;
  description: string;
  quantity: string;
  unitPrice: string;
  discount: string;
  tax: string;
  total: string;
}
