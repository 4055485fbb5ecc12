import { labelsEn } from './labels-en.js';

/** Every word the document adds to the snapshot's own text. One file per language holds them. */
export interface Labels {
  invoice: string;
  invoiceNumber: string;
  issueDate: string;
  orderId: string;
  currency: string;
  billedTo: string;
  taxId: string;
  description: string;
  quantity: string;
  unitPrice: string;
  discount: string;
  tax: string;
  lineTotal: string;
  subtotal: string;
  total: string;
  page(number: number, count: number): string;
}

/** To add a language: write labels-xx.ts and name it here by its ISO 639 code. */
const LABELS: Readonly<Record<string, Labels>> = {
  en: labelsEn,
};

/** The labels in the language of a BCP 47 tag; English where that language has none yet. */
export function labelsFor(locale: string): Labels {
  return LABELS[new Intl.Locale(locale).language] ?? labelsEn;
}
