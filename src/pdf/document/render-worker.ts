import type { MessagePort } from 'node:worker_threads';
import { prepareFonts } from './fonts.js';
import type { InvoiceDocument } from './invoice-document.js';
import { renderInvoicePdf } from './render-invoice-pdf.js';

/** What a thread answers: a refusal is the document's own, and the same document gets it again. */
export type Rendered = { bytes: Uint8Array } | { refusal: unknown };

/** What the renderer pool sends to a thread. */
export interface RenderTask {
  document: InvoiceDocument;
  /** Told when the work begins, because a document's time limit does not count its wait for a thread. */
  started: MessagePort;
}

// Before the thread reports for work, so that its first document does not wait for the fonts.
await prepareFonts();

/** The entry of a rendering thread; the pool calls it for one document at a time. */
export async function render({ document, started }: RenderTask): Promise<Rendered> {
  started.postMessage(null);
  try {
    return { bytes: await renderInvoicePdf(document) };
  } catch (error) {
    if (isOfTheMachine(error)) throw error;
    return { refusal: error };
  }
}

/** No memory, no more open files: another time, or elsewhere, the same document may render. */
function isOfTheMachine(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && 'code' in error);
}
