import { toAppError } from '../db/database-errors.js';
import { unavailable } from '../kernel/errors.js';
import type { Draft, IssueOutcome } from './draft.js';
import type { IssueInvoices } from './issue-invoices.js';

/**
 * Issues one draft, together with whoever waits beside it.
 *
 * @param patience ends the wait: a draft that has not left by then is not issued.
 * @throws AppError DEPENDENCY_UNAVAILABLE where too many wait already, or the database failed: the
 * outcome is unknown then, and the same key finds it. The reason of `patience` where that ended first.
 */
export type IssueInvoice = (draft: Draft, patience?: AbortSignal) => Promise<IssueOutcome>;

/** Bigger sets cost each of their members the same (bench/create.ts), and make all of them wait longer. */
const MOST_MEMBERS = 128;

/** What goes along with the oldest. An order of 5,000 lines holds the others up once, never twice in a row. */
const MOST_LINES_ALONG = 1_000;

/** More than can be issued while a request may take its time: who comes later would wait in vain. */
const MOST_WAITING = 4_000;

/** Bounds the memory of those who wait: ten orders of the greatest length. */
const MOST_LINES_WAITING = 50_000;

interface Member {
  draft: Draft;
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
    if (waiting.size >= MOST_WAITING || (waiting.size > 0 && linesWaiting + lines > MOST_LINES_WAITING)) {
      throw unavailable('Issuing, where too many wait already,');
    }
    const { promise, resolve, reject } = Promise.withResolvers<IssueOutcome>();
    const member = { draft, resolve, reject };
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
    do {
      // One turn of the event loop: whoever was answered by the last set, or read from its socket just
      // now, comes along.
      await new Promise(setImmediate);
      const set = chooseSet(waiting);
      set.forEach(leave);
      if (set.length > 0) await issueSet(set);
    } while (waiting.size > 0);
    underWay = false;
  }

  async function issueSet(set: Member[]): Promise<void> {
    try {
      const outcomes = await issueInvoices(set.map(({ draft }) => draft));
      set.forEach(({ resolve, reject }, place) => {
        const outcome = outcomes[place];
        if (outcome) resolve(outcome);
        else reject(new Error('A draft was neither issued nor refused'));
      });
    } catch (error) {
      // Anything but a lost database is the fault of one of them, which is to be left alone with it.
      if (set.length > 1 && !toAppError(error)) await issueOneByOne(set);
      else for (const { reject } of set) reject(error);
    }
  }

  async function issueOneByOne(set: Member[]): Promise<void> {
    let lost: unknown;
    for (const { draft, resolve, reject } of set) {
      try {
        // A database that was lost meanwhile is not asked 128 times, with a time limit each.
        if (lost) throw lost;
        const [outcome] = await issueInvoices([draft]);
        if (!outcome) throw new Error('A draft was neither issued nor refused');
        resolve(outcome);
      } catch (error) {
        if (toAppError(error)) lost = error;
        reject(error);
      }
    }
  }
}

/**
 * The oldest, and in their order whoever goes along with it: no two of one key or one order, since the
 * statement tells committed ones only; the second of them is told by the next set.
 */
function chooseSet(waiting: Iterable<Member>): Member[] {
  const set: Member[] = [];
  const taken = new Set<string>();
  let linesAlong = 0;
  for (const member of waiting) {
    if (set.length === MOST_MEMBERS) break;
    const { claim, snapshot } = member.draft;
    const key = JSON.stringify([claim.actor.role, claim.actor.id, claim.key]);
    if (taken.has(key) || taken.has(snapshot.orderId)) continue;
    if (set.length > 0) {
      if (linesAlong + snapshot.lines.length > MOST_LINES_ALONG) continue;
      linesAlong += snapshot.lines.length;
    }
    taken.add(key).add(snapshot.orderId);
    set.push(member);
  }
  return set;
}
