import { makeFileMailer } from '../notifications/file-mailer.js';
import { makeNotifyCustomer } from '../notifications/notify-customer.js';
import { requestNotification } from '../notifications/request-notification.js';
import { makeSettleFailure } from '../outbox/settle-failure.js';
import { makeAttemptEnds } from '../pdf/attempt-ends.js';
import { makeGeneratePdf } from '../pdf/generate-pdf.js';
import type { Renderer } from '../pdf/renderer.js';
import { queueOf } from '../queue/queues.js';
import type { Parts } from './parts.js';

/** A mail server answers in parts of a second; the second one is for the case that it does not. */
const MAILS_AT_ONCE = 2;

/** Works on the queues: renders and stores PDFs, and tells the customers. */
export async function startWorker(parts: Parts, renderer: Renderer): Promise<void> {
  const { config, adapters, db, queue, storage, log } = parts;
  const { enqueueLater } = queue;
  const { retryDelaysSeconds } = config;
  const settleFailure = makeSettleFailure({ retryDelaysSeconds, queueOf, enqueueLater });

  const generatePdf = makeGeneratePdf({
    ...config.pdf,
    db,
    renderer,
    storage,
    attempt: makeAttemptEnds({ db, settleFailure, requestNotification, enqueueLater, log }),
    enqueueLater,
    log,
  });
  const notifyCustomer = makeNotifyCustomer({
    db,
    mailer: adapters.mailer ?? makeFileMailer(config.mail),
    settleFailure,
    enqueueLater,
    // One lease for every claim: it is extended for as long as the work takes.
    leaseSeconds: config.pdf.leaseSeconds,
    storefrontUrl: config.storefrontUrl,
    log,
  });
  await queue.work('pdf', generatePdf, config.pdf.concurrency);
  await queue.work('notification', notifyCustomer, MAILS_AT_ONCE);
}
