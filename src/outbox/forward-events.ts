import type { Db, Tx } from '../db/client.js';
import type { Log } from '../kernel/log.js';
import { writeDeadLetter } from './dead-letter-rows.js';
import type { EventRef } from './events.js';

/** Joins the queue to the caller's transaction: the jobs exist if it commits. */
export type Enqueue = (tx: Tx, events: readonly EventRef[]) => Promise<void>;

export interface ForwardedCounts {
  published: number;
  refused: number;
  /** Whether the batch was full, so that more may be waiting. */
  more: boolean;
}

export type ForwardEvents = () => Promise<ForwardedCounts>;

/** Large enough that a backlog drains by thousands a second, small enough that one commit stays short. */
const BATCH = 500;

/** One forwarder at a time keeps the events of an invoice in order; any process may be the one. */
const FORWARDER_LOCK = 7_001;

/** After so many refusals an event is FAILED: it waits for an operator and holds back only its invoice. */
const MOST_REFUSALS = 10;

/**
 * One pass: takes the oldest pending events and, in one transaction, inserts their jobs and marks them
 * PUBLISHED. If the batch is refused, each event is tried alone, so that one event at fault delays no
 * other invoice.
 */
export function makeForwardEvents(deps: { db: Db; enqueue: Enqueue; log: Log }): ForwardEvents {
  const { db, enqueue, log } = deps;
  return async () => {
    try {
      return await forwardBatch();
    } catch (error) {
      log.warn({ err: error }, 'a batch of events was refused; trying one by one');
      return forwardOneByOne();
    }
  };

  function forwardBatch(): Promise<ForwardedCounts> {
    return db.$transaction(async (tx) => {
      const events = (await becomeForwarder(tx)) ? await lockPending(tx) : [];
      await publish(tx, events);
      return { published: events.length, refused: 0, more: events.length === BATCH };
    });
  }

  async function forwardOneByOne(): Promise<ForwardedCounts> {
    const counts: ForwardedCounts = { published: 0, refused: 0, more: false };
    for (const { id } of await db.$transaction((tx) => lockPending(tx))) {
      const outcome = await forwardOne(id);
      if (outcome) counts[outcome] += 1;
    }
    return counts;
  }

  /** Looks again under the lock: meanwhile it may be published, or held back by one before it. */
  async function forwardOne(id: string): Promise<'published' | 'refused' | undefined> {
    let event: EventRef | undefined;
    try {
      await db.$transaction(async (tx) => {
        if (await becomeForwarder(tx)) [event] = await lockPending(tx, id);
        if (event) await publish(tx, [event]);
      });
      return event && 'published';
    } catch (error) {
      if (!event) throw error;
      log.error({ err: error, event_id: event.id, invoice_id: event.invoiceId }, 'an event was refused');
      await recordRefusal(db, event, error);
      return 'refused';
    }
  }

  async function publish(tx: Tx, events: readonly EventRef[]): Promise<void> {
    if (events.length === 0) return;
    await enqueue(tx, events);
    await tx.$executeRaw`
      UPDATE outbox_events SET status = 'PUBLISHED', published_at = clock_timestamp(), last_error = NULL
      WHERE id = ANY (${events.map(({ id }) => id)}::uuid[]) AND status = 'PENDING'`;
  }
}

async function becomeForwarder(tx: Tx): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ locked: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(${FORWARDER_LOCK}) AS locked`;
  return row?.locked === true;
}

/**
 * The oldest events that are due, none whose own invoice has an earlier one still held back. Asked for one
 * alone, none that has any earlier one left: what stood before it in a batch does not come along here.
 */
function lockPending(tx: Tx, onlyId?: string): Promise<EventRef[]> {
  return tx.$queryRaw<EventRef[]>`
    SELECT id, event_type AS type, aggregate_id AS "invoiceId"
    FROM outbox_events AS event
    WHERE status = 'PENDING' AND next_attempt_at <= clock_timestamp()
      AND (${onlyId ?? null}::uuid IS NULL OR id = ${onlyId ?? null}::uuid)
      AND NOT EXISTS (
        SELECT FROM outbox_events AS earlier
        WHERE earlier.aggregate_id = event.aggregate_id AND earlier.position < event.position
          AND earlier.status <> 'PUBLISHED'
          AND (${onlyId ?? null}::uuid IS NOT NULL
               OR earlier.status = 'FAILED' OR earlier.next_attempt_at > clock_timestamp())
      )
    ORDER BY position LIMIT ${BATCH} FOR UPDATE`;
}

async function recordRefusal(db: Db, event: EventRef, error: unknown): Promise<void> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, 500);
  await db.$transaction(async (tx) => {
    // Twice as long after each refusal, from one second to about eight minutes.
    const [refused] = await tx.$queryRaw<{ status: string; refusals: number }[]>`
      UPDATE outbox_events
      SET retry_count = retry_count + 1, last_error = ${reason},
          status = CASE WHEN retry_count + 1 >= ${MOST_REFUSALS} THEN 'FAILED' ELSE status END,
          next_attempt_at = clock_timestamp() + make_interval(secs => power(2, least(retry_count, 9)))
      WHERE id = ${event.id}::uuid AND status = 'PENDING'
      RETURNING status, retry_count AS refusals`;
    if (refused?.status !== 'FAILED') return;
    const message = 'The event could not be forwarded; the log has the reason';
    await writeDeadLetter(tx, {
      queue: 'outbox',
      event,
      code: 'NOT_FORWARDED',
      message,
      attempts: refused.refusals,
    });
  });
}

/** FAILED → PENDING, due at once and with its full number of refusals, for a replay. */
export async function forwardAgain(tx: Tx, event: EventRef): Promise<void> {
  await tx.$executeRaw`
    UPDATE outbox_events SET status = 'PENDING', retry_count = 0, next_attempt_at = clock_timestamp()
    WHERE id = ${event.id}::uuid AND status = 'FAILED'`;
}
