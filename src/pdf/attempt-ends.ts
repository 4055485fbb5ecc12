import type { Db, Tx } from '../db/client.js';
import {
  getInvoice,
  type Invoice,
  type PdfErrorCode,
  recordOnTimeline,
  subjectOf,
} from '../invoices/index.js';
import { AppError } from '../kernel/errors.js';
import { LeaseLost } from '../kernel/lease.js';
import type { Log } from '../kernel/log.js';
import { appendEvents } from '../outbox/append-events.js';
import type { EventRef } from '../outbox/events.js';
import type { SettleFailure } from '../outbox/settle-failure.js';
import {
  endLease,
  type FinishedRendering,
  type PdfClaim,
  recordFailed,
  recordGenerated,
  recordWorkerLost,
  setRetry,
} from './pdf-status.js';
import { RenderFailed, RenderTimeout } from './renderer.js';

/** How an attempt at a PDF may end. Each end is one commit: state, revision, timeline, event, and what follows. */
export interface AttemptEnds {
  /** GENERATED. @throws LeaseLost where another attempt has the invoice: then nothing was written. */
  finished(claim: PdfClaim, rendering: FinishedRendering): Promise<void>;
  /** FAILED, to be tried again or for good. @throws LeaseLost as above. */
  failed(claim: PdfClaim, event: EventRef, error: unknown): Promise<void>;
  /** FAILED for good, since its workers were lost one after the other. */
  givenUp(event: EventRef): Promise<void>;
  /** Nothing happened to the document, but its worker stops: the next one may begin at once. */
  handedBack(claim: PdfClaim, event: EventRef): Promise<void>;
}

export interface AttemptEndsDeps {
  db: Db;
  settleFailure: SettleFailure;
  /** Makes the mail owed that tells the customer of this event. */
  requestNotification: (tx: Tx, invoice: Invoice, eventId: string) => Promise<void>;
  enqueueLater: (tx: Tx, event: EventRef, delaySeconds: number) => Promise<void>;
  log: Log;
}

export function makeAttemptEnds(deps: AttemptEndsDeps): AttemptEnds {
  const { db, settleFailure, requestNotification, enqueueLater, log } = deps;

  return {
    async finished(claim, rendering) {
      const { invoiceId, attempt } = claim;
      await db.$transaction(async (tx) => {
        const held = await recordGenerated(tx, claim, rendering);
        if (!held) throw lost(claim);
        await recordOnTimeline(tx, invoiceId, 'InvoicePDFGenerated', { attempt });
        const invoice = await getInvoice(tx, invoiceId);
        const data = { object_key: rendering.objectKey, revision: attempt };
        const [eventId] = await appendEvents(tx, [
          { type: 'InvoicePDFGenerated', invoice: subjectOf(invoice), data },
        ]);
        if (eventId && held.notifyCustomer) await requestNotification(tx, invoice, eventId);
      });
      log.info({ invoice_id: invoiceId, attempt, bytes: rendering.bytes }, 'pdf generated');
    },

    async failed(claim, event, error) {
      const { invoiceId, attempt } = claim;
      const failure = describe(error);
      const next = await db.$transaction(async (tx) => {
        const failures = await recordFailed(tx, claim, failure.code);
        if (failures === undefined) throw lost(claim);
        const follows = await settleFailure(tx, { event, failures, ...failure });
        if (follows.kind === 'retry') {
          await setRetry(tx, claim, follows.delaySeconds);
          await recordOnTimeline(tx, invoiceId, 'InvoicePDFAttemptFailed', { attempt, code: failure.code });
        } else {
          await tellOfEnd(tx, invoiceId, { attempt, failures, code: failure.code });
        }
        return follows;
      });
      log.warn({ err: error, invoice_id: invoiceId, attempt, code: failure.code, next }, 'pdf failed');
    },

    async givenUp(event) {
      const { invoiceId } = event;
      const code = 'WORKER_LOST';
      const message = 'One worker after the other was lost with this document';
      const ended = await db.$transaction(async (tx) => {
        const worker = await recordWorkerLost(tx, invoiceId);
        if (!worker) return undefined;
        await settleFailure(tx, { event, failures: worker.failures, code, message, permanent: true });
        await tellOfEnd(tx, invoiceId, { ...worker, code });
        return worker;
      });
      if (ended) log.error({ invoice_id: invoiceId, ...ended, code }, 'pdf given up');
    },

    async handedBack(claim, event) {
      const { invoiceId, attempt } = claim;
      await db.$transaction(async (tx) => {
        if (await endLease(tx, claim)) await enqueueLater(tx, event, 0);
      });
      log.info({ invoice_id: invoiceId, attempt }, 'pdf handed back: the process stops');
    },
  };

  async function tellOfEnd(
    tx: Tx,
    invoiceId: string,
    { attempt, failures, code }: { attempt: number; failures: number; code: PdfErrorCode },
  ): Promise<void> {
    await recordOnTimeline(tx, invoiceId, 'InvoicePDFGenerationFailed', { attempt, code });
    const invoice = subjectOf(await getInvoice(tx, invoiceId));
    const data = { error_code: code, retry_count: failures - 1 };
    await appendEvents(tx, [{ type: 'InvoicePDFGenerationFailed', invoice, data }]);
  }
}

const lost = ({ attempt }: PdfClaim) =>
  new LeaseLost(`Attempt ${attempt} came too late: another one has the invoice`);

function describe(error: unknown): { code: PdfErrorCode; message: string; permanent: boolean } {
  if (error instanceof RenderFailed) {
    return { code: error.code, message: error.message, permanent: error.permanent };
  }
  if (error instanceof RenderTimeout) return { code: error.code, message: error.message, permanent: false };
  if (error instanceof AppError && error.code === 'STORAGE_ERROR') {
    return { code: 'STORAGE_ERROR', message: error.message, permanent: false };
  }
  const message = 'The rendering ended with an unforeseen error; the log has it';
  return { code: 'RENDER_FAILED', message, permanent: false };
}
