import { getDocumentProxy } from 'unpdf';
import type { InvoiceLine } from '../../src/invoices/index.js';
import type { InvoiceDocument } from '../../src/pdf/document/invoice-document.js';
import { renderInvoicePdf } from '../../src/pdf/document/render-invoice-pdf.js';

/** A run of text on a page, in points from the lower left corner. */
export interface Piece {
  str: string;
  left: number;
  right: number;
  bottom: number;
}

/** Renders the document and reads its text back, as copying it out of a viewer would. */
export async function read(document: InvoiceDocument): Promise<{ pages: Piece[][]; text: string }> {
  const pages = await readPages(await renderInvoicePdf(document));
  return { pages, text: textOf(pages.flat()) };
}

/** All text of a PDF that came from somewhere else, in the order of its pages. */
export async function readText(bytes: Uint8Array): Promise<string> {
  return textOf((await readPages(bytes)).flat());
}

async function readPages(bytes: Uint8Array): Promise<Piece[][]> {
  const pdf = await getDocumentProxy(bytes);
  const pages: Piece[][] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    pages.push(
      items.flatMap((item) => {
        if (!('str' in item) || item.str.trim() === '') return [];
        const [left, bottom] = [Number(item.transform[4]), Number(item.transform[5])];
        return [{ str: item.str, left, right: left + item.width, bottom }];
      }),
    );
  }
  await pdf.loadingTask.destroy();
  return pages;
}

export function textOf(pieces: Piece[]): string {
  const text = pieces.map(({ str, left, bottom }, index) => {
    const previous = pieces[index - 1];
    // A change of font makes a new piece, also in the middle of a word or an amount.
    const joined =
      previous && Math.abs(left - previous.right) < 0.5 && Math.abs(bottom - previous.bottom) < 0.5;
    return joined ? str : ` ${str}`;
  });
  return text.join('').replace(/\s+/g, ' ');
}

export function lines(count: number): InvoiceLine[] {
  return Array.from({ length: count }, (_, index) => line(index + 1));
}

export function line(number: number, changes: Partial<InvoiceLine> = {}): InvoiceLine {
  return {
    productId: `SKU-${String(number).padStart(4, '0')}`,
    description: `Item ${number}`,
    quantity: '1',
    unitPrice: '40.00',
    discount: '0.00',
    tax: '3.15',
    total: `43.${String(number).padStart(2, '0')}`,
    ...changes,
  };
}

export function sample(changes: Partial<InvoiceDocument> = {}): InvoiceDocument {
  return {
    invoiceNumber: 'INV-2026-00000042',
    orderId: 'ord_42',
    currency: 'USD',
    minorUnit: 2,
    locale: 'en-US',
    pageSize: 'A4',
    issueDate: '2026-11-30',
    finalizedAt: '2026-11-30T21:50:00.000Z',
    seller: {
      name: 'Northwind Paper Co.',
      address: '18 Harbour Street\nPortland, ME 04101',
      taxId: 'US 84-1234567',
      email: 'billing@northwind.example',
      logo: null,
    },
    customer: {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      taxId: null,
      address: {
        line1: '12 St James Square',
        line2: null,
        city: 'London',
        region: null,
        postalCode: 'SW1Y 4LB',
        country: 'GB',
      },
    },
    lines: lines(1),
    subtotal: '140.00',
    discount: '1.00',
    tax: '20.97',
    total: '159.97',
    ...changes,
  };
}
