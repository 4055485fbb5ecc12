import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Draft, IssueOutcome } from '../../src/invoices/draft.js';
import { makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import { useDatabase } from '../helpers/database.js';
import { kinds, turn, useHeldSets } from './held-sets.js';

const database = useDatabase();
const held = useHeldSets(database);

test('a create that comes alone leaves alone, with nothing to wait for', async () => {
  expect((await held.issue(held.draft())).kind).toBe('issued');
  expect(held.sizes()).toEqual([1]);
});

test('creates of one moment leave as one set', async () => {
  expect(kinds(await Promise.all(held.drafts(50).map((one) => held.issue(one))))).toEqual(
    Array(50).fill('issued'),
  );
  expect(held.sizes()).toEqual([50]);
});

test('whoever comes while a set is under way leaves with the next, numbered as they came', async () => {
  const release = await held.holdFirst();
  const waiting = held.drafts(20);
  const outcomes = waiting.map((one) => held.issue(one));
  await turn();
  expect(held.sizes()).toEqual([1]);
  await release();
  const numbers = (await Promise.all(outcomes)).map((outcome) =>
    outcome.kind === 'issued' ? outcome.invoiceNumber : '',
  );
  expect(numbers.toSorted()).toEqual(numbers);
  expect(held.sizes()).toEqual([1, 20]);
  expect(held.sets[1]).toEqual(waiting);
});

test('a set has at most 128 members', async () => {
  const release = await held.holdFirst();
  const outcomes = Promise.all(held.drafts(300).map((one) => held.issue(one)));
  await release();
  expect(new Set(kinds(await outcomes))).toEqual(new Set(['issued']));
  expect(held.sizes()).toEqual([1, 128, 128, 44]);
});

test('a long order is held up by nobody and holds the others up once: short ones go along', async () => {
  const release = await held.holdFirst();
  const long = [held.draft(900), held.draft(901), held.draft(902)];
  const [first, second, third] = long.map((one) => held.issue(one));
  const short = Promise.all(held.drafts(10).map((one) => held.issue(one)));
  await release();
  expect(new Set(kinds(await short))).toEqual(new Set(['issued']));
  expect(kinds(await Promise.all([first, second, third] as Promise<IssueOutcome>[]))).toEqual(
    Array(3).fill('issued'),
  );
  // The oldest goes however long it is; behind it 1,000 lines find room: the second long one and the short.
  expect(held.sets.slice(1).map((set) => set.map(({ snapshot }) => snapshot.lines.length))).toEqual([
    [900, 901, ...Array(10).fill(1)],
    [902],
  ]);
});

describe('two of one set', () => {
  test('never share an order: the second is told of the first', async () => {
    const one = held.draft();
    const other = { ...one, claim: { ...one.claim, key: randomUUID() } };
    const [first, second] = await Promise.all([held.issue(one), held.issue(other)]);
    expect([first.kind, second]).toEqual(['issued', { kind: 'order invoiced', invoiceId: idOf(first) }]);
    // It is told by the commit of the first, and costs no transaction of its own.
    expect(held.sizes()).toEqual([1]);
  });

  test('never share a key: the second is given what the first was', async () => {
    const one = held.draft();
    const other = held.draft(1, { claim: { ...one.claim, requestHash: 'b'.repeat(64) } });
    const outcomes = await Promise.all([held.issue(one), held.issue(one), held.issue(other)]);
    const used = { kind: 'key used', invoiceId: idOf(outcomes[0]), requestHash: one.claim.requestHash };
    expect(outcomes.slice(1)).toEqual([used, used]);
    expect(held.sizes()).toEqual([1]);
  });

  test('that repeat a create of the set before are answered with it, in any number', async () => {
    const release = await held.holdFirst();
    const one = held.draft();
    const outcome = held.issue(one);
    const sameOrder = Array.from({ length: 500 }, () => ({
      ...one,
      claim: { ...one.claim, key: randomUUID() },
    }));
    const repeats = Promise.all(
      [...sameOrder, ...Array<Draft>(500).fill(one)].map((again) => held.issue(again)),
    );
    await release();
    const { invoiceId } = await outcome;
    expect(await repeats).toEqual([
      ...Array(500).fill({ kind: 'order invoiced', invoiceId }),
      ...Array(500).fill({ kind: 'key used', invoiceId, requestHash: one.claim.requestHash }),
    ]);
    expect(held.sizes()).toEqual([1, 1]);
  });

  test('and of an order that was invoiced before are told by their own keys', async () => {
    const known = held.draft();
    const { invoiceId } = await held.issue(known);
    held.sets = [];
    const other = { ...known, claim: { ...known.claim, key: randomUUID() } };
    expect(await Promise.all([held.issue(other), held.issue(known)])).toEqual([
      { kind: 'order invoiced', invoiceId },
      { kind: 'key used', invoiceId, requestHash: known.claim.requestHash },
    ]);
    expect(held.sizes()).toEqual([1, 1]);
  });

  test('may have the same key where they are of two callers', async () => {
    const one = held.draft();
    const other = held.draft(1, { claim: { ...one.claim, actor: { id: 'other', role: 'service' } } });
    expect(kinds(await Promise.all([held.issue(one), held.issue(other)]))).toEqual(['issued', 'issued']);
    expect(held.sizes()).toEqual([2]);
  });
});

function idOf(outcome: IssueOutcome | undefined): string | undefined {
  return outcome?.invoiceId;
}

describe('a set that fails', () => {
  test('by a rule of the database is tried again one by one, and leaves no gap', async () => {
    const before = await counter();
    const set = held.drafts(5);
    set[2] = { ...(set[2] as Draft), sellerId: 'f'.repeat(64) };
    const outcomes = await Promise.allSettled(set.map((one) => held.issue(one)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(held.sizes()).toEqual([5, 1, 1, 1, 1, 1]);
    expect((await counter()) - before).toBe(4);
  });

  test('since the database is lost fails all alike, without asking again', async () => {
    // What a lost connection looks like below the use case.
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    held.issueBy(() => Promise.reject(refused));
    const outcomes = await Promise.allSettled(held.drafts(5).map((one) => held.issue(one)));
    expect(outcomes).toEqual(
      Array(5).fill({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'DEPENDENCY_UNAVAILABLE' }),
      }),
    );
    expect(held.sizes()).toEqual([5]);
  });

  test('and then loses the database on the way fails the rest at once', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const issueInvoices = makeIssueInvoices(database);
    const answers = [() => Promise.reject(new Error('a rule')), issueInvoices, () => Promise.reject(refused)];
    held.issueBy((set) => (answers.shift() ?? issueInvoices)(set));
    const outcomes = await Promise.allSettled(held.drafts(5).map((one) => held.issue(one)));
    expect(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'issued')),
    ).toEqual(['issued', ...Array(4).fill('DEPENDENCY_UNAVAILABLE')]);
    expect(held.sizes()).toEqual([5, 1, 1]);
  });

  test('holds nobody up who comes after it', async () => {
    let failures = 1;
    const issueInvoices = makeIssueInvoices(database);
    held.issueBy((set) => (failures-- > 0 ? Promise.reject(new Error('once')) : issueInvoices(set)));
    await expect(held.issue(held.draft())).rejects.toThrow('once');
    expect((await held.issue(held.draft())).kind).toBe('issued');
  });
});

const counter = async () =>
  (await database.sql.query('SELECT max(next_number) AS next FROM invoice_number_counters')).rows[0].next ??
  1;
