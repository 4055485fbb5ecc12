import { makePruneIdempotencyKeys } from '../invoices/prune-idempotency-keys.js';
import { startLoop } from '../kernel/loop.js';
import { DUE_MAILS } from '../notifications/due-mails.js';
import { makeForwardEvents } from '../outbox/forward-events.js';
import { makeRescueLostWork } from '../outbox/rescue-lost-work.js';
import { DUE_PDFS } from '../pdf/due-pdfs.js';
import { hasLiveJob } from '../queue/live-jobs.js';
import type { Parts } from './parts.js';

/** Well within the 30 s after a lease in which nothing may be stuck, and rare enough to cost nothing. */
const RESCUE_EVERY_MS = 10_000;

/** Days are what pruning counts in; the hour is for a process that lives no longer. */
const PRUNE_EVERY_MS = 3_600_000;

/** Moves on what would otherwise lie still: events to their queues, lost work back to them, old rows away. */
export function startRelay({ config, db, queue, log, started }: Parts): void {
  const repeat = (name: string, everyMs: number, runOnce: () => Promise<boolean>) =>
    started.adopt(startLoop({ name, everyMs, runOnce, log }), (loop) => loop.stop());

  const forwardEvents = makeForwardEvents({ db, enqueue: queue.enqueue, log });
  repeat('forward events', config.outboxPollMs, async () => (await forwardEvents()).more);

  const { enqueueAgain } = queue;
  const rescues = [DUE_PDFS, DUE_MAILS].map((work) => ({
    queue: work.queue,
    rescue: makeRescueLostWork({ db, work, hasJob: hasLiveJob, enqueueAgain }),
  }));
  repeat('rescue lost work', RESCUE_EVERY_MS, async () => {
    // Without its queue a job is dropped and nobody is told.
    await queue.ensureQueues();
    for (const { queue: name, rescue } of rescues) {
      const { rescued } = await rescue();
      if (rescued > 0) log.warn({ queue: name, rescued }, 'lost work has its jobs again');
    }
    return false;
  });

  const pruneIdempotencyKeys = makePruneIdempotencyKeys({
    db,
    retentionDays: config.idempotencyRetentionDays,
  });
  repeat('prune idempotency keys', PRUNE_EVERY_MS, async () => {
    const { pruned, more } = await pruneIdempotencyKeys();
    if (pruned > 0) log.info({ pruned }, 'old idempotency keys were forgotten');
    return more;
  });
}
