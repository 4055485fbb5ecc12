import { describe, expect, test } from 'vitest';
import { makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import { unavailable } from '../../src/kernel/errors.js';
import { useDatabase } from '../helpers/database.js';
import { turn, useHeldSets } from './held-sets.js';

const database = useDatabase();
const held = useHeldSets(database);

describe('a caller whose patience ends', () => {
  test('while waiting costs nothing: its order is not issued', async () => {
    const release = await held.holdFirst();
    const patience = new AbortController();
    const given = held.draft();
    const outcome = held.issue(given, patience.signal);
    const others = Promise.all(held.drafts(2).map((one) => held.issue(one)));
    patience.abort(unavailable('Folio'));
    // At once, not when its turn would have come.
    await expect(outcome).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    expect(held.sizes()).toEqual([1]);
    await release();
    await others;
    expect(held.sizes()).toEqual([1, 2]);
    expect((await held.issue(given)).kind).toBe('issued');
  });

  test('before it came is not let in', async () => {
    const patience = AbortSignal.abort(unavailable('Folio'));
    await expect(held.issue(held.draft(), patience)).rejects.toMatchObject({
      code: 'DEPENDENCY_UNAVAILABLE',
    });
    await turn();
    expect(held.sizes()).toEqual([]);
  });

  test('while its set is under way is told the outcome all the same', async () => {
    const [left, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const issueInvoices = makeIssueInvoices(database);
    held.issueBy(async (set) => {
      left.resolve();
      await gate.promise;
      return issueInvoices(set);
    });
    const patience = new AbortController();
    const outcome = held.issue(held.draft(), patience.signal);
    await left.promise;
    patience.abort(unavailable('Folio'));
    gate.resolve();
    expect((await outcome).kind).toBe('issued');
  });
});

describe('the queue of those who wait', () => {
  test('holds 8,000 and refuses the next at once', async () => {
    const release = await held.holdFirst();
    const patience = new AbortController();
    const one = held.draft();
    const waiting = Array.from({ length: 8_000 }, () => held.issue(one, patience.signal).catch(() => 'gone'));
    await expect(held.issue(held.draft())).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    patience.abort(unavailable('Folio'));
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['gone']));
    // Room again.
    const next = held.issue(held.draft());
    await release();
    expect((await next).kind).toBe('issued');
  });

  test('holds 50,000 lines, so that long orders cannot fill the memory, and lets short ones in beside them', async () => {
    const release = await held.holdFirst();
    const patience = new AbortController();
    const long = held.draft(5_000);
    const waiting = Array.from({ length: 10 }, () => held.issue(long, patience.signal).catch(() => 'gone'));
    await expect(held.issue(held.draft(51))).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    const short = held.issue(held.draft(50));
    patience.abort(unavailable('Folio'));
    await Promise.all(waiting);
    await release();
    expect((await short).kind).toBe('issued');
  });
});
