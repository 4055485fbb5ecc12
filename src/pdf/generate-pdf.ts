import { createHash } from 'node:crypto';
import type { Db, Tx } from '../db/client.js';
import { toAppError } from '../db/database-errors.js';
import { getInvoice, type PdfErrorCode, recordOnTimeline, subjectOf } from '../invoices/index.js';
import { AppError } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';
import { appendEvents } from '../outbox/append-events.js';
import type { EventRef } from '../outbox/events.js';
import type { SettleFailure } from '../outbox/settle-failure.js';
import { pdfObjectKey } from '../storage/object-key.js';
import type { ObjectStorage } from '../storage/object-storage.js';
import type { PageSize } from './document/invoice-document.js';
import { TEMPLATE_VERSION } from './document/template-version.js';
import { keepLease } from './keep-lease.js';
import { loadDocument } from './load-document.js';
import {
  claimPdf,
  type FinishedRendering,
  type PdfClaim,
  recordFailed,
  recordGenerated,
  setRetry,
} from './pdf-status.js';
import { type Renderer, RenderFailed, RenderTimeout } from './renderer.js';

export interface GeneratePdfDeps {
  db: Db;
  renderer: Renderer;
  storage: Pick<ObjectStorage, 'put'>;
  settleFailure: SettleFailure;
  enqueueLater: (tx: Tx, event: EventRef, delaySeconds: number) => Promise<void>;
  leaseSeconds: number;
  renderTimeoutSeconds: number;
  pageSize: PageSize;
  log: Log;
}

/** A store that has not taken the file by then has lost it, as far as this attempt is concerned. */
const STORE_WITHIN_SECONDS = 60;

/**
 * Works on InvoiceCreated and InvoicePDFRegenerateRequested alike: claim, load, render, put, and then
 * GENERATED with its revision and its event in one commit. A second delivery finds the work done, or in
 * other hands. It fails only where the database does.
 */
export function makeGeneratePdf(deps: GeneratePdfDeps): (event: EventRef) => Promise<void> {
  const {
    db,
    renderer,
    storage,
    settleFailure,
    enqueueLater,
    leaseSeconds,
    renderTimeoutSeconds,
    pageSize,
    log,
  } = deps;

  return async (event) => {
    const result = await claimPdf(db, event.invoiceId, leaseSeconds);
    if (result.kind === 'nothing to do') return;
    if (result.kind === 'later') {
      await db.$transaction((tx) => enqueueLater(tx, event, Math.ceil(result.seconds)));
      return;
    }
    const { claim } = result;
    const forAtMostSeconds = renderTimeoutSeconds + STORE_WITHIN_SECONDS;
    const lease = keepLease({ db, claim, leaseSeconds, forAtMostSeconds, log });
    try {
      await finish(claim, await renderAndStore(claim));
    } catch (error) {
      // A database that is away is no fault of the document: the lease, and the queue, bring it back.
      if (toAppError(error)) throw error;
      await fail(claim, event, error);
    } finally {
      lease.release();
    }
  };

  async function renderAndStore({ invoiceId, attempt }: PdfClaim): Promise<FinishedRendering> {
    const { invoice, document } = await loadDocument(db, invoiceId, { pageSize });
    const bytes = await renderer.render(document);
    const objectKey = pdfObjectKey(invoice, attempt);
    await storage.put(objectKey, bytes);
    return {
      objectKey,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.byteLength,
      templateVersion: TEMPLATE_VERSION,
    };
  }

  async function finish(claim: PdfClaim, rendering: FinishedRendering): Promise<void> {
    const { invoiceId, attempt } = claim;
    const generated = await db.$transaction(async (tx) => {
      const held = await recordGenerated(tx, claim, rendering);
      if (!held) return false;
      const data = {
        object_key: rendering.objectKey,
        revision: attempt,
        notify_customer: held.notifyCustomer,
      };
      await recordOnTimeline(tx, invoiceId, 'InvoicePDFGenerated', { attempt });
      const invoice = subjectOf(await getInvoice(tx, invoiceId));
      await appendEvents(tx, [{ type: 'InvoicePDFGenerated', invoice, data }]);
      return true;
    });
    if (!generated) return logLost(claim);
    log.info({ invoice_id: invoiceId, attempt, bytes: rendering.bytes }, 'pdf generated');
  }

  /** State, timeline, retry or dead letter, and event change together. */
  async function fail(claim: PdfClaim, event: EventRef, error: unknown): Promise<void> {
    const { invoiceId, attempt } = claim;
    const { code, message } = describe(error);
    const next = await db.$transaction(async (tx) => {
      const failures = await recordFailed(tx, claim, code);
      if (failures === undefined) return undefined;
      const follows = await settleFailure(tx, { event, failures, code, message, permanent: false });
      const told = follows.kind === 'dead' ? 'InvoicePDFGenerationFailed' : 'InvoicePDFAttemptFailed';
      await recordOnTimeline(tx, invoiceId, told, { attempt, code });
      if (follows.kind === 'retry') {
        await setRetry(tx, claim, follows.delaySeconds);
      } else {
        const invoice = subjectOf(await getInvoice(tx, invoiceId));
        const data = { error_code: code, retry_count: failures - 1 };
        await appendEvents(tx, [{ type: 'InvoicePDFGenerationFailed', invoice, data }]);
      }
      return follows;
    });
    if (!next) return logLost(claim);
    log.warn({ err: error, invoice_id: invoiceId, attempt, code, next }, 'pdf failed');
  }

  function logLost({ invoiceId, attempt }: PdfClaim): void {
    log.warn({ invoice_id: invoiceId, attempt }, 'the lease was lost; another attempt has the invoice now');
  }
}

function describe(error: unknown): { code: PdfErrorCode; message: string } {
  if (error instanceof RenderTimeout || error instanceof RenderFailed) {
    return { code: error.code, message: error.message };
  }
  if (error instanceof AppError && error.code === 'STORAGE_ERROR') {
    return { code: 'STORAGE_ERROR', message: error.message };
  }
  return { code: 'RENDER_FAILED', message: 'The rendering ended with an unforeseen error; the log has it' };
}
