import { toAppError } from '../db/database-errors.js';
import { AppError } from '../kernel/errors.js';
import type { Draft, IssueOutcome } from './draft.js';
import type { IssueInvoices } from './issue-invoices.js';

/**
 * Issues one draft, together with whoever waits beside it.
 *
 * @param patience ends the wait: a draft that has not left by then is not issued.
 * @throws AppError DEPENDENCY_UNAVAILABLE where too many wait already, or the database was lost: the
 * outcome is unknown then, and the same key finds it. The reason of `patience` where that ended first.
 */
export type IssueInvoice = (draft: Draft, patience?: AbortSignal) => Promise<IssueOutcome>;

/** Bigger sets cost each of their members the same (bench/create.ts), and make all of them wait longer. */
const MOST_MEMBERS = 128;

/** What goes along with the oldest. An order of 5,000 lines holds the others up once, never twice in a row. */
const MOST_LINES_ALONG = 1_000;

/** About what is issued while a request may take its time: who comes later would wait in vain. */
const MOST_WAITING = 8_000;

/** Bounds the memory of those who wait: ten orders of the greatest length. Short ones are let in beside them. */
const MOST_LINES_WAITING = 50_000;
const LINES_OF_A_SHORT_ORDER = 50;

interface Member {
  draft: Draft;
  /** The caller's, as one string. */
  key: string;
  patience: AbortSignal | undefined;
  resolve: (outcome: IssueOutcome) => void;
  reject: (reason: unknown) => void;
}

/**
 * Lets creates that wait go together. The counter's row admits one transaction at a time, so whoever waits
 * for it can as well be issued by it: while one set is under way the next one gathers, and it leaves when
 * the last has committed. Nothing waits on a timer, and a create that comes alone leaves alone.
 */
export function makeIssueInSets({ issueInvoices }: { issueInvoices: IssueInvoices }): IssueInvoice {
  const waiting = new Set<Member>();
  let linesWaiting = 0;
  let underWay = false;

  return async (draft, patience) => {
    patience?.throwIfAborted();
    const lines = draft.snapshot.lines.length;
    const tooLong = lines > LINES_OF_A_SHORT_ORDER && linesWaiting + lines > MOST_LINES_WAITING;
    if (waiting.size >= MOST_WAITING || tooLong) {
      throw new AppError('DEPENDENCY_UNAVAILABLE', 'Too many creates wait already; repeat with the same key');
    }
    const { promise, resolve, reject } = Promise.withResolvers<IssueOutcome>();
    const { actor, key } = draft.claim;
    const member = { draft, key: JSON.stringify([actor.role, actor.id, key]), patience, resolve, reject };
    const giveUp = () => {
      if (leave(member)) reject(patience?.reason);
    };
    patience?.addEventListener('abort', giveUp, { once: true });
    waiting.add(member);
    linesWaiting += lines;
    if (!underWay) void issueAllWaiting();
    return promise.finally(() => patience?.removeEventListener('abort', giveUp));
  };

  function leave(member: Member): boolean {
    if (!waiting.delete(member)) return false;
    linesWaiting -= member.draft.snapshot.lines.length;
    return true;
  }

  async function issueAllWaiting(): Promise<void> {
    underWay = true;
    try {
      do {
        // One turn of the event loop: whoever was answered by the last set, or read from its socket just
        // now, comes along.
        await new Promise(setImmediate);
        const set = chooseSet(waiting);
        set.forEach(leave);
        if (set.length > 0) await issueSet(set);
      } while (waiting.size > 0);
    } finally {
      underWay = false;
    }
  }

  async function issueSet(set: Member[]): Promise<void> {
    let outcomes: IssueOutcome[];
    try {
      outcomes = await issueInvoices(set.map(({ draft }) => draft));
    } catch (error) {
      const lost = toAppError(error);
      // Anything but a lost database is the fault of one of them, which is to be left alone with it.
      if (set.length > 1 && !lost) return issueOneByOne(set);
      for (const { reject } of set) reject(lost ?? error);
      return;
    }
    for (const [place, member] of set.entries()) settle(member, outcomes[place]);
    answerRepeats(set, outcomes);
  }

  async function issueOneByOne(set: Member[]): Promise<void> {
    let lost: AppError | undefined;
    for (const member of set) {
      try {
        member.patience?.throwIfAborted();
        // A database that was lost meanwhile is not asked 128 times, with a time limit each.
        if (lost) throw lost;
        const [outcome] = await issueInvoices([member.draft]);
        settle(member, outcome);
      } catch (error) {
        lost ??= toAppError(error);
        member.reject(lost ?? error);
      }
    }
  }

  /**
   * Whoever still waits with a key or an order that this set has issued is told what its own set would be told:
   * otherwise a thousand repeats of one create would leave one by one, each in a transaction. Of an order that
   * was invoiced before, this does not know by which key: that is for the books to say.
   */
  function answerRepeats(set: Member[], outcomes: IssueOutcome[]): void {
    const byKey = new Map<string, IssueOutcome>();
    const byOrder = new Map<string, IssueOutcome>();
    set.forEach(({ draft, key }, place) => {
      const outcome = outcomes[place];
      if (outcome?.kind === 'key used') byKey.set(key, outcome);
      if (outcome?.kind !== 'issued') return;
      const { invoiceId } = outcome;
      byKey.set(key, { kind: 'key used', invoiceId, requestHash: draft.claim.requestHash });
      byOrder.set(draft.snapshot.orderId, { kind: 'order invoiced', invoiceId });
    });
    for (const member of [...waiting]) {
      // The key first, as everywhere.
      const outcome = byKey.get(member.key) ?? byOrder.get(member.draft.snapshot.orderId);
      if (outcome && leave(member)) member.resolve(outcome);
    }
  }
}

function settle({ resolve, reject }: Member, outcome: IssueOutcome | undefined): void {
  if (outcome) resolve(outcome);
  else reject(new Error('A draft was neither issued nor refused'));
}

/**
 * The oldest, and in their order whoever goes along with it: no two of one key or one order, since the
 * statement tells committed ones only.
 */
function chooseSet(waiting: Iterable<Member>): Member[] {
  const set: Member[] = [];
  const taken = new Set<string>();
  let linesAlong = 0;
  for (const member of waiting) {
    if (set.length === MOST_MEMBERS) break;
    const { orderId, lines } = member.draft.snapshot;
    if (taken.has(member.key) || taken.has(orderId)) continue;
    if (set.length > 0) {
      if (linesAlong + lines.length > MOST_LINES_ALONG) continue;
      linesAlong += lines.length;
    }
    taken.add(member.key).add(orderId);
    set.push(member);
  }
  return set;
}
