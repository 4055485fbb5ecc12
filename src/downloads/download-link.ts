import { type Actor, canOpenAnyRevision, canReadInvoice, unauthorized } from '../auth/actor.js';
import type { Db } from '../db/client.js';
import { getInvoice, type Invoice } from '../invoices/index.js';
import { AppError } from '../kernel/errors.js';
import type { ObjectStorage, SignedDownload } from '../storage/object-storage.js';

export type DownloadLink = (
  actor: Actor,
  input: { invoiceId: string; revision?: number | null },
) => Promise<SignedDownload>;

/**
 * Authorises, then gives out a URL that opens the file for a short time. The API is the only place where
 * that is decided: the store itself is closed.
 *
 * @throws AppError INVOICE_NOT_FOUND, UNAUTHORIZED_INVOICE_ACCESS, PDF_NOT_READY, STORAGE_ERROR
 */
export function makeDownloadLink({
  db,
  storage,
}: {
  db: Db;
  storage: Pick<ObjectStorage, 'signDownload'>;
}): DownloadLink {
  return async (actor, { invoiceId, revision }) => {
    const invoice = await getInvoice(db, invoiceId);
    if (!canReadInvoice(actor, invoice)) throw unauthorized();
    if (revision != null && !canOpenAnyRevision(actor)) throw unauthorized();
    const objectKey = revision == null ? currentKey(invoice) : await keyOfRevision(invoice, revision);
    return storage.signDownload(objectKey, { fileName: `${invoice.invoiceNumber}.pdf` });
  };

  async function keyOfRevision(invoice: Invoice, revision: number): Promise<string> {
    const found = await db.pdfRevision.findUnique({
      where: { invoiceId_revision: { invoiceId: invoice.id, revision } },
      select: { objectKey: true },
    });
    if (!found) throw notReady(`Revision ${revision} of this invoice has no file`);
    return found.objectKey;
  }
}

/** While a new rendering is asked for, the old one is not given out as if it were the current one. */
function currentKey({ pdfStatus, pdfObjectKey }: Invoice): string {
  if (pdfStatus !== 'GENERATED' || !pdfObjectKey) throw notReady('Invoice PDF is not ready');
  return pdfObjectKey;
}

function notReady(message: string): AppError {
  return new AppError('PDF_NOT_READY', message);
}
