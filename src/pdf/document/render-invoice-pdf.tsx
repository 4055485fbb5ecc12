import { pdf } from '@react-pdf/renderer';
import { prepareFonts } from './fonts.js';
import type { InvoiceDocument } from './invoice-document.js';
import { invoicePages } from './invoice-pages.js';

/**
 * One invoice as the bytes of a PDF. The same input gives the same bytes, on any day and in any thread.
 * It blocks its thread while it lays out the pages, and shares the thread's fonts: one call at a time,
 * which the renderer pool sees to.
 */
export async function renderInvoicePdf(document: InvoiceDocument): Promise<Uint8Array> {
  await prepareFonts();
  const blob = await pdf(invoicePages(document)).toBlob();
  return new Uint8Array(await blob.arrayBuffer());
}
