import { createHash } from 'node:crypto';
import type { Db, Tx } from '../db/client.js';
import { toAppError } from '../db/database-errors.js';
import { AppError } from '../kernel/errors.js';
import { keepLease, type Lease, LeaseLost } from '../kernel/lease.js';
import type { Log } from '../kernel/log.js';
import { orAborted } from '../kernel/or-aborted.js';
import type { EventRef } from '../outbox/events.js';
import { pdfObjectKey } from '../storage/object-key.js';
import type { ObjectStorage } from '../storage/object-storage.js';
import type { AttemptEnds } from './attempt-ends.js';
import type { PageSize } from './document/invoice-document.js';
import { TEMPLATE_VERSION } from './document/template-version.js';
import { loadDocument } from './load-document.js';
import { claimPdf, extendLease, type FinishedRendering, type PdfClaim } from './pdf-status.js';
import type { Renderer } from './renderer.js';

export interface GeneratePdfDeps {
  db: Db;
  renderer: Renderer;
  storage: Pick<ObjectStorage, 'put' | 'size'>;
  attempt: AttemptEnds;
  enqueueLater: (tx: Tx, event: EventRef, delaySeconds: number) => Promise<void>;
  leaseSeconds: number;
  renderTimeoutSeconds: number;
  pageSize: PageSize;
  log: Log;
}

/** What an attempt needs beside its rendering: to wait for a thread, to load and to store. Each has its own limit. */
const BESIDE_RENDERING_SECONDS = 180;

/**
 * Works on InvoiceCreated and InvoicePDFRegenerateRequested alike: claim, load, render, store, and then
 * GENERATED with its revision and its event in one commit. A second delivery finds the work done, or in
 * other hands. When the process stops, the work is handed back.
 *
 * It fails where the database does, and where its claim is lost: then the queue delivers again.
 */
export function makeGeneratePdf(
  deps: GeneratePdfDeps,
): (event: EventRef, stopping: AbortSignal) => Promise<void> {
  const { db, renderer, storage, attempt, enqueueLater, leaseSeconds, renderTimeoutSeconds, pageSize, log } =
    deps;

  return async (event, stopping) => {
    const claimedAt = performance.now();
    const result = await claimPdf(db, event.invoiceId, leaseSeconds);
    switch (result.kind) {
      case 'nothing to do':
        return;
      case 'later':
        return db.$transaction((tx) => enqueueLater(tx, event, Math.ceil(result.seconds)));
      case 'given up':
        return attempt.givenUp(event);
    }
    const { claim } = result;
    const lease = keepLease({
      extend: () => extendLease(db, claim, leaseSeconds),
      leaseSeconds,
      claimedAt,
      forAtMostSeconds: renderTimeoutSeconds + BESIDE_RENDERING_SECONDS,
      log,
    });
    const until = AbortSignal.any([lease.signal, stopping]);
    try {
      await attempt.finished(claim, await orAborted(renderAndStore(claim, lease), until));
    } catch (error) {
      if (stopping.aborted) return await attempt.handedBack(claim, event);
      // Neither a lost claim nor a database that is away is a fault of the document.
      if (error instanceof LeaseLost || toAppError(error)) throw error;
      await attempt.failed(claim, event, error);
    } finally {
      lease.release();
    }
  };

  async function renderAndStore(claim: PdfClaim, lease: Lease): Promise<FinishedRendering> {
    const { invoice, document } = await loadDocument(db, claim.invoiceId, { pageSize });
    const bytes = await renderer.render(document);
    const objectKey = pdfObjectKey(invoice, claim.attempt);
    if (!lease.isHeld()) throw new LeaseLost('The lease ran out while the document was rendered');
    await store(objectKey, bytes);
    return {
      objectKey,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.byteLength,
      templateVersion: TEMPLATE_VERSION,
    };
  }

  /** Asks for what it put: a store that lost the file, or half of it, has not stored it. */
  async function store(objectKey: string, bytes: Uint8Array): Promise<void> {
    await storage.put(objectKey, bytes);
    if ((await storage.size(objectKey)) !== bytes.byteLength) {
      throw new AppError('STORAGE_ERROR', 'The object store does not have the file as it was put');
    }
  }
}
