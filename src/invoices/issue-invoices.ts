import type { Db, Tx } from '../db/client.js';
import { appendEvents } from '../outbox/append-events.js';
import { lockYearCounter } from './allocate-number.js';
import type { Draft, IssueOutcome } from './draft.js';
import { insertInvoiceSet, toOutcome } from './insert-invoice-set.js';

export type IssueInvoices = (drafts: readonly Draft[]) => Promise<IssueOutcome[]>;

/**
 * Issues a set of invoices in one transaction: keys, numbers, invoices, lines and events become true
 * together, and nothing foreign is called meanwhile. No two drafts of a set share a key or an order, and
 * all share one time zone.
 */
export function makeIssueInvoices({ db }: { db: Db }): IssueInvoices {
  return (drafts) =>
    db.$transaction(async (tx) => {
      const outcomes = await issueOnceLocked(tx, drafts);
      const issued = drafts.flatMap(({ snapshot }, index) => {
        const outcome = outcomes[index];
        return outcome?.kind === 'issued' ? [{ ...outcome, ...snapshot }] : [];
      });
      if (issued.length > 0) {
        await appendEvents(tx, issued.map((invoice) => ({ type: 'InvoiceCreated', invoice, data: {} })));
      }
      return outcomes;
    });
}

async function issueOnceLocked(tx: Tx, drafts: readonly Draft[]): Promise<IssueOutcome[]> {
  const timeZone = drafts[0]?.timeZone ?? 'UTC';
  for (;;) {
    const year = await lockYearCounter(tx, timeZone);
    const rows = await insertInvoiceSet(tx, drafts, { year, timeZone });
    // No row at all: the year turned while the lock was waited for. The next year's counter it is.
    if (rows.length > 0) return rows.map(toOutcome);
  }
}
