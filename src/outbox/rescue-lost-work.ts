import type { Db, Tx } from '../db/client.js';
import { Prisma } from '../db/client.js';
import type { EventRef } from './events.js';

/** Work that one of our tables says is due, whoever may know of it. */
export interface DueWork {
  /** The queue that works on it. */
  queue: string;
  /** The states in which work can be due. */
  states: readonly string[];
  /**
   * SQL of the rows in one state, by id: `id`, `due` (boolean), and of the event that brings the work back
   * `event_id`, `event_type`, `invoice_id`.
   */
  rowsInState: (state: string, after: string, limit: number) => Prisma.Sql;
  /** SQL, of a row of the above: whether an event is still to be forwarded that brings its job. */
  hasEventToCome: Prisma.Sql;
}

export interface RescuedCounts {
  /** Rows looked at. */
  looked: number;
  /** Work that was due without a job, and has one again. */
  rescued: number;
}

export interface RescueDeps {
  db: Db;
  work: DueWork;
  /** SQL, of a row of the above: whether the queue has a job that waits or runs for it. */
  hasJob: (event: { queue: string; id: Prisma.Sql; invoiceId: Prisma.Sql }) => Prisma.Sql;
  enqueueAgain: (tx: Tx, events: readonly EventRef[]) => Promise<void>;
  rowsAtOnce?: number;
}

/** Some tens of milliseconds for each look, however many wait in a backlog. */
const ROWS_AT_ONCE = 2_000;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** One rescuer at a time, so that two processes do not bring the same work back twice. */
const RESCUER_LOCK = 7_002;

/**
 * One pass over all that is not done: what is due and has neither a job nor an event that will bring one gets
 * a job again. It trusts our own tables alone; the queue's only tell it what need not be done. So it brings
 * back what a queue lost, down to the last job, and never doubles a backlog.
 */
export function makeRescueLostWork(deps: RescueDeps): () => Promise<RescuedCounts> {
  const { db, work, hasJob, enqueueAgain, rowsAtOnce = ROWS_AT_ONCE } = deps;

  return async () => {
    const counts: RescuedCounts = { looked: 0, rescued: 0 };
    for (const state of work.states) {
      let after: string | undefined = BEFORE_ALL;
      while (after !== undefined) {
        const window = await rescueWindow(state, after);
        counts.looked += window.looked;
        counts.rescued += window.rescued;
        after = window.next;
      }
    }
    return counts;
  };

  function rescueWindow(state: string, after: string) {
    return db.$transaction(async (tx) => {
      const [lock] = await tx.$queryRaw<{ locked: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(${RESCUER_LOCK}) AS locked`;
      if (!lock?.locked) return { looked: 0, rescued: 0, next: undefined };
      // One snapshot of rows, events and jobs: each of them is moved on in the commit that moves the other.
      const rows = await tx.$queryRaw<(EventRef & { row: string; lost: boolean })[]>`
        WITH work AS MATERIALIZED (${work.rowsInState(state, after, rowsAtOnce)})
        SELECT id AS row, event_id AS id, event_type AS type, invoice_id AS "invoiceId",
               due AND NOT (${work.hasEventToCome})
               AND NOT (${hasJob({ queue: work.queue, id: Prisma.sql`work.event_id`, invoiceId: Prisma.sql`work.invoice_id` })})
               AS lost
        FROM work ORDER BY work.id`;
      const lost = rows.filter((row) => row.lost);
      if (lost.length > 0) await enqueueAgain(tx, lost);
      const next = rows.length === rowsAtOnce ? rows.at(-1)?.row : undefined;
      return { looked: rows.length, rescued: lost.length, next };
    });
  }
}
