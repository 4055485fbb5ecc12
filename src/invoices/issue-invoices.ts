import type { Db, Tx } from '../db/client.js';
import { isUniqueViolation } from '../db/database-errors.js';
import { openYear } from './allocate-number.js';
import type { Draft, IssueOutcome } from './draft.js';
import { insertInvoiceSet, toOutcome } from './insert-invoice-set.js';

export type IssueInvoices = (drafts: readonly Draft[]) => Promise<IssueOutcome[]>;

/**
 * Issues a set of invoices in one transaction: keys, numbers, invoices, lines and events become true
 * together, and nothing foreign is called meanwhile. No two drafts of a set share a key or an order, and
 * all share one time zone.
 */
export function makeIssueInvoices({ db }: { db: Db }): IssueInvoices {
  return async (drafts) => {
    try {
      return await issueTogether(db, drafts);
    } catch (error) {
      // Around New Year two counters may be locked at once, and only the unique indexes stand between
      // their holders. Looking again finds what the other one issued.
      if (!isUniqueViolation(error)) throw error;
      return issueTogether(db, drafts);
    }
  };
}

function issueTogether(db: Db, drafts: readonly Draft[]): Promise<IssueOutcome[]> {
  return db.$transaction((tx) => issueUnderLock(tx, drafts));
}

/** A wait, a new year and its counter: each costs one, and none comes twice. */
const MOST_ATTEMPTS = 5;

async function issueUnderLock(tx: Tx, drafts: readonly Draft[]): Promise<IssueOutcome[]> {
  const [first] = drafts;
  if (!first) return [];
  const { timeZone } = first;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const rows = await insertInvoiceSet(tx, drafts, timeZone);
    if (rows.length > 0) return rows.map(toOutcome);
    // Others were issued while the lock was waited for: the next attempt begins under it. If that finds
    // nothing either, the year has turned, or is new.
    if (attempt > 1) await openYear(tx, timeZone);
  }
  throw new Error(`The counter of this year in ${timeZone} was last used in another year`);
}
