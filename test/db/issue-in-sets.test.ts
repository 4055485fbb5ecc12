import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Draft, IssueOutcome } from '../../src/invoices/draft.js';
import { type IssueInvoice, makeIssueInSets } from '../../src/invoices/issue-in-sets.js';
import { type IssueInvoices, makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import { unavailable } from '../../src/kernel/errors.js';
import { useDatabase } from '../helpers/database.js';
import { aDraft, anOrderOfLines, keepTestSeller } from '../helpers/issued-invoice.js';

const database = useDatabase();
let seller: string;
/** The sets as they left, each by its number of members; held back while `gate` is closed. */
let sets: (readonly Draft[])[];
let gate: Promise<void>;
let issue: IssueInvoice;

beforeAll(async () => {
  seller = await keepTestSeller(database.db);
});

beforeEach(() => {
  sets = [];
  gate = Promise.resolve();
  const issueInvoices = makeIssueInvoices(database);
  issue = collect(async (drafts) => {
    await gate;
    return issueInvoices(drafts);
  });
});

function collect(issueInvoices: IssueInvoices): IssueInvoice {
  return makeIssueInSets({
    issueInvoices: (drafts) => {
      sets.push(drafts);
      return issueInvoices(drafts);
    },
  });
}

const draft = (lines = 1, changes: Partial<Draft> = {}) => aDraft(seller, anOrderOfLines(lines), changes);
const drafts = (count: number, lines = 1) => Array.from({ length: count }, () => draft(lines));
const kinds = (outcomes: IssueOutcome[]) => outcomes.map(({ kind }) => kind);
const sizes = () => sets.map(({ length }) => length);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Holds the first set back until the returned function is called, so that others gather behind it. */
async function holdFirst(first = draft()): Promise<() => Promise<IssueOutcome>> {
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const outcome = issue(first);
  await turn();
  await turn();
  expect(sizes()).toEqual([1]);
  return () => {
    held.resolve();
    return outcome;
  };
}

test('a create that comes alone leaves alone, with nothing to wait for', async () => {
  expect((await issue(draft())).kind).toBe('issued');
  expect(sizes()).toEqual([1]);
});

test('creates of one moment leave as one set', async () => {
  expect(kinds(await Promise.all(drafts(50).map((one) => issue(one))))).toEqual(Array(50).fill('issued'));
  expect(sizes()).toEqual([50]);
});

test('whoever comes while a set is under way leaves with the next, numbered as they came', async () => {
  const release = await holdFirst();
  const waiting = drafts(20);
  const outcomes = waiting.map((one) => issue(one));
  await turn();
  expect(sizes()).toEqual([1]);
  await release();
  const numbers = (await Promise.all(outcomes)).map((outcome) =>
    outcome.kind === 'issued' ? outcome.invoiceNumber : '',
  );
  expect(numbers.toSorted()).toEqual(numbers);
  expect(sizes()).toEqual([1, 20]);
  expect(sets[1]).toEqual(waiting);
});

test('a set has at most 128 members', async () => {
  const release = await holdFirst();
  const outcomes = Promise.all(drafts(300).map((one) => issue(one)));
  await release();
  expect(new Set(kinds(await outcomes))).toEqual(new Set(['issued']));
  expect(sizes()).toEqual([1, 128, 128, 44]);
});

test('a long order is held up by nobody and holds the others up once: short ones go along', async () => {
  const release = await holdFirst();
  const long = [draft(900), draft(901), draft(902)];
  const [first, second, third] = long.map((one) => issue(one));
  const short = Promise.all(drafts(10).map((one) => issue(one)));
  await release();
  expect(new Set(kinds(await short))).toEqual(new Set(['issued']));
  expect(kinds(await Promise.all([first, second, third] as Promise<IssueOutcome>[]))).toEqual(
    Array(3).fill('issued'),
  );
  // The oldest goes however long it is; behind it 1,000 lines find room: the second long one and the short.
  expect(sets.slice(1).map((set) => set.map(({ snapshot }) => snapshot.lines.length))).toEqual([
    [900, 901, ...Array(10).fill(1)],
    [902],
  ]);
});

describe('two of one set', () => {
  test('never share an order: the second is told of the first', async () => {
    const one = draft();
    const other = { ...one, claim: { ...one.claim, key: randomUUID() } };
    const [first, second] = await Promise.all([issue(one), issue(other)]);
    expect([first.kind, second]).toEqual(['issued', { kind: 'order invoiced', invoiceId: idOf(first) }]);
    // It is told by the commit of the first, and costs no transaction of its own.
    expect(sizes()).toEqual([1]);
  });

  test('never share a key: the second is given what the first was', async () => {
    const one = draft();
    const other = draft(1, { claim: { ...one.claim, requestHash: 'b'.repeat(64) } });
    const outcomes = await Promise.all([issue(one), issue(one), issue(other)]);
    const used = { kind: 'key used', invoiceId: idOf(outcomes[0]), requestHash: one.claim.requestHash };
    expect(outcomes.slice(1)).toEqual([used, used]);
    expect(sizes()).toEqual([1]);
  });

  test('that repeat a create of the set before are answered with it, in any number', async () => {
    const release = await holdFirst();
    const one = draft();
    const outcome = issue(one);
    const sameOrder = Array.from({ length: 500 }, () => ({
      ...one,
      claim: { ...one.claim, key: randomUUID() },
    }));
    const repeats = Promise.all([...sameOrder, ...Array<Draft>(500).fill(one)].map((again) => issue(again)));
    await release();
    const { invoiceId } = await outcome;
    expect(await repeats).toEqual([
      ...Array(500).fill({ kind: 'order invoiced', invoiceId }),
      ...Array(500).fill({ kind: 'key used', invoiceId, requestHash: one.claim.requestHash }),
    ]);
    expect(sizes()).toEqual([1, 1]);
  });

  test('and of an order that was invoiced before are told by their own keys', async () => {
    const known = draft();
    const { invoiceId } = await issue(known);
    sets = [];
    const other = { ...known, claim: { ...known.claim, key: randomUUID() } };
    expect(await Promise.all([issue(other), issue(known)])).toEqual([
      { kind: 'order invoiced', invoiceId },
      { kind: 'key used', invoiceId, requestHash: known.claim.requestHash },
    ]);
    expect(sizes()).toEqual([1, 1]);
  });

  test('may have the same key where they are of two callers', async () => {
    const one = draft();
    const other = draft(1, { claim: { ...one.claim, actor: { id: 'other', role: 'service' } } });
    expect(kinds(await Promise.all([issue(one), issue(other)]))).toEqual(['issued', 'issued']);
    expect(sizes()).toEqual([2]);
  });
});

function idOf(outcome: IssueOutcome | undefined): string | undefined {
  return outcome?.invoiceId;
}

describe('a set that fails', () => {
  test('by a rule of the database is tried again one by one, and leaves no gap', async () => {
    const before = await counter();
    const set = drafts(5);
    set[2] = { ...(set[2] as Draft), sellerId: 'f'.repeat(64) };
    const outcomes = await Promise.allSettled(set.map((one) => issue(one)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(sizes()).toEqual([5, 1, 1, 1, 1, 1]);
    expect((await counter()) - before).toBe(4);
  });

  test('since the database is lost fails all alike, without asking again', async () => {
    // What a lost connection looks like below the use case.
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    issue = collect(() => Promise.reject(refused));
    const outcomes = await Promise.allSettled(drafts(5).map((one) => issue(one)));
    expect(outcomes).toEqual(
      Array(5).fill({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'DEPENDENCY_UNAVAILABLE' }),
      }),
    );
    expect(sizes()).toEqual([5]);
  });

  test('and then loses the database on the way fails the rest at once', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const issueInvoices = makeIssueInvoices(database);
    const answers = [() => Promise.reject(new Error('a rule')), issueInvoices, () => Promise.reject(refused)];
    issue = collect((set) => (answers.shift() ?? issueInvoices)(set));
    const outcomes = await Promise.allSettled(drafts(5).map((one) => issue(one)));
    expect(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'issued')),
    ).toEqual(['issued', ...Array(4).fill('DEPENDENCY_UNAVAILABLE')]);
    expect(sizes()).toEqual([5, 1, 1]);
  });

  test('holds nobody up who comes after it', async () => {
    let failures = 1;
    const issueInvoices = makeIssueInvoices(database);
    issue = collect((set) => (failures-- > 0 ? Promise.reject(new Error('once')) : issueInvoices(set)));
    await expect(issue(draft())).rejects.toThrow('once');
    expect((await issue(draft())).kind).toBe('issued');
  });
});

const counter = async () =>
  (await database.sql.query('SELECT max(next_number) AS next FROM invoice_number_counters')).rows[0].next ??
  1;

describe('a caller whose patience ends', () => {
  test('while waiting costs nothing: its order is not issued', async () => {
    const release = await holdFirst();
    const patience = new AbortController();
    const given = draft();
    const outcome = issue(given, patience.signal);
    const others = Promise.all(drafts(2).map((one) => issue(one)));
    patience.abort(unavailable('Folio'));
    // At once, not when its turn would have come.
    await expect(outcome).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    expect(sizes()).toEqual([1]);
    await release();
    await others;
    expect(sizes()).toEqual([1, 2]);
    expect((await issue(given)).kind).toBe('issued');
  });

  test('before it came is not let in', async () => {
    const patience = AbortSignal.abort(unavailable('Folio'));
    await expect(issue(draft(), patience)).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    await turn();
    expect(sizes()).toEqual([]);
  });

  test('while its set is under way is told the outcome all the same', async () => {
    const patience = new AbortController();
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    const outcome = issue(draft(), patience.signal);
    await turn();
    await turn();
    patience.abort(unavailable('Folio'));
    held.resolve();
    expect((await outcome).kind).toBe('issued');
  });
});

describe('the queue of those who wait', () => {
  test('holds 8,000 and refuses the next at once', async () => {
    const release = await holdFirst();
    const patience = new AbortController();
    const one = draft();
    const waiting = Array.from({ length: 8_000 }, () => issue(one, patience.signal).catch(() => 'gone'));
    await expect(issue(draft())).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    patience.abort(unavailable('Folio'));
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['gone']));
    // Room again.
    const next = issue(draft());
    await release();
    expect((await next).kind).toBe('issued');
  });

  test('holds 50,000 lines, so that long orders cannot fill the memory', async () => {
    const release = await holdFirst();
    const patience = new AbortController();
    const long = draft(5_000);
    const waiting = Array.from({ length: 10 }, () => issue(long, patience.signal).catch(() => 'gone'));
    await expect(issue(draft())).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    patience.abort(unavailable('Folio'));
    await Promise.all(waiting);
    await release();
  });
});
