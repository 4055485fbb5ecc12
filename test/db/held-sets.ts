import { beforeAll, beforeEach, expect } from 'vitest';
import type { Draft, IssueOutcome } from '../../src/invoices/draft.js';
import { type IssueInvoice, makeIssueInSets } from '../../src/invoices/issue-in-sets.js';
import { type IssueInvoices, makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import type { TestDatabase } from '../helpers/database.js';
import { aDraft, anOrderOfLines, keepTestSeller } from '../helpers/issued-invoice.js';

export interface HeldSets {
  /** New for each test. */
  issue: IssueInvoice;
  /** As they left. */
  sets: (readonly Draft[])[];
  sizes(): number[];
  draft(lines?: number, changes?: Partial<Draft>): Draft;
  drafts(count: number): Draft[];
  /** Lets sets be issued by this from now on, in the test that calls it. */
  issueBy(issueInvoices: IssueInvoices): void;
  /** Holds the first set back until the returned function is called, so that others gather behind it. */
  holdFirst(): Promise<() => Promise<IssueOutcome>>;
}

export const turn = () => new Promise((resolve) => setImmediate(resolve));

export const kinds = (outcomes: IssueOutcome[]) => outcomes.map(({ kind }) => kind);

/** Sets of a real database that a test may hold back and look at. */
export function useHeldSets(database: TestDatabase): HeldSets {
  const held = {} as HeldSets;
  let seller: string;
  beforeAll(async () => {
    seller = await keepTestSeller(database.db);
  });
  beforeEach(() => {
    held.sets = [];
    held.issueBy(makeIssueInvoices(database));
  });

  held.sizes = () => held.sets.map(({ length }) => length);
  held.draft = (lines = 1, changes = {}) => aDraft(seller, anOrderOfLines(lines), changes);
  held.drafts = (count) => Array.from({ length: count }, () => held.draft());
  held.issueBy = (issueInvoices) => {
    held.issue = makeIssueInSets({
      issueInvoices: (drafts) => {
        held.sets.push(drafts);
        return issueInvoices(drafts);
      },
    });
  };
  held.holdFirst = async () => {
    const gate = Promise.withResolvers<void>();
    const issueInvoices = makeIssueInvoices(database);
    held.issueBy(async (drafts) => {
      await gate.promise;
      return issueInvoices(drafts);
    });
    const outcome = held.issue(held.draft());
    await turn();
    await turn();
    expect(held.sizes()).toEqual([1]);
    return () => {
      gate.resolve();
      return outcome;
    };
  };
  return held;
}
