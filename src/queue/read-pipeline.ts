import { type Actor, canOperate, unauthorized } from '../auth/actor.js';
import type { Db } from '../db/client.js';

/** How much waits where, counted in our own tables: the broker's may be emptied and nothing is lost. */
export interface Pipeline {
  outboxPending: number;
  outboxOldestSeconds: number;
  pdfPending: number;
  pdfProcessing: number;
  pdfFailed: number;
  notificationPending: number;
  notificationFailed: number;
  deadLetters: number;
}

export type ReadPipeline = (actor: Actor) => Promise<Pipeline>;

/** @throws AppError UNAUTHORIZED_INVOICE_ACCESS */
export function makeReadPipeline({ db }: { db: Db }): ReadPipeline {
  return async (actor) => {
    if (!canOperate(actor)) throw unauthorized();
    const [counts] = await db.$queryRaw<Pipeline[]>`
      SELECT
        outbox.pending::integer AS "outboxPending",
        coalesce(extract(epoch FROM clock_timestamp() - outbox.oldest), 0)::float AS "outboxOldestSeconds",
        (SELECT count(*)::integer FROM invoices WHERE pdf_status = 'PENDING') AS "pdfPending",
        (SELECT count(*)::integer FROM invoices WHERE pdf_status = 'PROCESSING') AS "pdfProcessing",
        (SELECT count(*)::integer FROM invoices WHERE pdf_status = 'FAILED') AS "pdfFailed",
        (SELECT count(*)::integer FROM notifications WHERE status = 'PENDING') AS "notificationPending",
        (SELECT count(*)::integer FROM notifications WHERE status = 'FAILED') AS "notificationFailed",
        (SELECT count(*)::integer FROM dead_letters WHERE replayed_at IS NULL) AS "deadLetters"
      FROM (
        SELECT count(*) AS pending, min(created_at) AS oldest FROM outbox_events WHERE status <> 'PUBLISHED'
      ) AS outbox`;
    if (!counts) throw new Error('A query without conditions had no row');
    return counts;
  };
}
