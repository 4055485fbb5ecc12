import { type Actor, canOperate, unauthorized } from '../auth/actor.js';
import { type Db, Prisma, type Tx } from '../db/client.js';
import { AppError, invalid } from '../kernel/errors.js';
import { type Page, type PageRequest, pageOf, readPageRequest } from '../kernel/page.js';
import { checkText } from '../kernel/text.js';
import type { EventRef, EventType } from '../outbox/events.js';
import type { QueueName } from './queues.js';

/** Work that was given up and waits for an operator. */
export interface DeadLetter {
  /** UUID; outside it is written `dl_…`. */
  id: string;
  queue: string;
  invoiceId: string;
  code: string;
  message: string;
  /** Failed attempts, the last one included. */
  attempts: number;
  failedAt: Date;
}

export type ListDeadLetters = (actor: Actor, page: PageRequest) => Promise<Page<DeadLetter>>;

/** Open dead letters, newest first. @throws AppError UNAUTHORIZED_INVOICE_ACCESS, VALIDATION_ERROR */
export function makeListDeadLetters({ db }: { db: Db }): ListDeadLetters {
  return async (actor, page) => {
    if (!canOperate(actor)) throw unauthorized();
    const { take, before } = readPageRequest(page);
    const rows = await db.deadLetter.findMany({
      where: { replayedAt: null, ...(before ? { id: { lt: before } } : {}) },
      orderBy: { id: 'desc' },
      take,
    });
    return pageOf(rows, page);
  };
}

export interface ReplayDeadLetters {
  /** @returns the invoice's id. @throws AppError DEAD_LETTER_NOT_FOUND */
  one(actor: Actor, id: string | undefined): Promise<string>;
  /** The oldest first. @returns how many went back to work. */
  many(actor: Actor, filter: ReplayFilter): Promise<number>;
}

export interface ReplayFilter {
  queue?: string | null | undefined;
  code?: string | null | undefined;
  /** 1 to 1,000 */
  limit: number;
}

export interface ReplayDeadLettersDeps {
  db: Db;
  /** Takes the work behind an event back, by who gave it up: due again, with its full number of attempts. */
  takeBack: Readonly<Record<GaveUp, (tx: Tx, event: EventRef) => Promise<void>>>;
  /** Writes down who sent an invoice's work back. */
  recordReplay: (tx: Tx, invoiceId: string, actor: Actor) => Promise<void>;
}

/** Who may give up: the queues' handlers, and the forwarder. */
type GaveUp = QueueName | 'outbox';

const MOST_REPLAYS = 1_000;

/** Puts work back as if it had never failed; failing again, it comes back as a new dead letter. */
export function makeReplayDeadLetters(deps: ReplayDeadLettersDeps): ReplayDeadLetters {
  const { db, takeBack, recordReplay } = deps;

  async function replay(tx: Tx, letter: ReplayedRow, actor: Actor): Promise<void> {
    const event: EventRef = { id: letter.event_id, type: letter.event_type, invoiceId: letter.invoice_id };
    await takeBack[letter.queue](tx, event);
    await recordReplay(tx, event.invoiceId, actor);
  }

  return {
    async one(actor, id) {
      if (!canOperate(actor)) throw unauthorized();
      return db.$transaction(async (tx) => {
        const [letter] = id ? await markReplayed(tx, Prisma.sql`id = ${id}::uuid`, 1) : [];
        if (!letter) throw new AppError('DEAD_LETTER_NOT_FOUND', 'There is no such open dead letter');
        await replay(tx, letter, actor);
        return letter.invoice_id;
      });
    },

    async many(actor, { queue, code, limit }) {
      if (!canOperate(actor)) throw unauthorized();
      checkText('queue', queue ?? null);
      checkText('code', code ?? null);
      if (limit < 1 || limit > MOST_REPLAYS) throw invalid('limit', `must be 1 to ${MOST_REPLAYS}`);
      const conditions = [
        queue == null ? Prisma.sql`true` : Prisma.sql`queue = ${queue}`,
        code == null ? Prisma.sql`true` : Prisma.sql`code = ${code}`,
      ];
      return db.$transaction(async (tx) => {
        const letters = await markReplayed(tx, Prisma.join(conditions, ' AND '), limit);
        for (const letter of letters) await replay(tx, letter, actor);
        return letters.length;
      });
    },
  };
}

interface ReplayedRow {
  queue: GaveUp;
  event_id: string;
  event_type: EventType;
  invoice_id: string;
}

/** Two operators replaying at once take different letters. */
function markReplayed(tx: Tx, which: Prisma.Sql, limit: number): Promise<ReplayedRow[]> {
  return tx.$queryRaw<ReplayedRow[]>`
    UPDATE dead_letters SET replayed_at = clock_timestamp()
    WHERE id IN (
      SELECT id FROM dead_letters WHERE replayed_at IS NULL AND ${which}
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    RETURNING queue, event_id, event_type, invoice_id`;
}
