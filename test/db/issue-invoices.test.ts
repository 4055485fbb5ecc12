import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Db, makeDb } from '../../src/db/client.js';
import type { Draft, IssueOutcome } from '../../src/invoices/draft.js';
import { type IssueInvoices, makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import { lockWaits, useDatabase } from '../helpers/database.js';
import { aDraft, anOrderOfLines, keepTestSeller } from '../helpers/issued-invoice.js';
import { anOrder } from '../helpers/orders.js';

const database = useDatabase();
let issue: IssueInvoices;
let seller: string;
let secondProcess: Db;

beforeAll(async () => {
  issue = makeIssueInvoices(database);
  seller = await keepTestSeller(database.db);
  secondProcess = makeDb({ url: database.url, poolSize: 10, applicationName: 'folio test 2' });
});
afterAll(() => secondProcess.$disconnect());

const drafts = (count: number, changes: Partial<Draft> = {}) =>
  Array.from({ length: count }, () => aDraft(seller, anOrder(), changes));

type Issued = Extract<IssueOutcome, { kind: 'issued' }>;

function allIssued(outcomes: IssueOutcome[]): Issued[] {
  expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'issued'));
  return outcomes as Issued[];
}

const numberOf = (outcome: Issued) => Number(outcome.invoiceNumber.slice(-8));
const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

/** The number that the next invoice takes, 1 before there was any. */
async function nextNumber(): Promise<number> {
  const { rows } = await database.sql.query('SELECT max(next_number) AS next FROM invoice_number_counters');
  return rows[0].next ?? 1;
}

const countOf = async (table: string) =>
  Number((await database.sql.query(`SELECT count(*) FROM ${table}`)).rows[0].count);

test('the first invoice of a year is 00000001', async () => {
  expect(await countOf('invoice_number_counters')).toBe(0);
  const [first] = allIssued(await issue(drafts(1)));
  expect(first?.invoiceNumber).toBe(`INV-${first?.issueDate.slice(0, 4)}-00000001`);
});

describe('a set of 50', () => {
  test('takes consecutive numbers in the order of its drafts', async () => {
    const first = await nextNumber();
    const set = drafts(50);
    const issued = allIssued(await issue(set));
    expect(issued.map(numberOf)).toEqual(from(first, 50));
    const { rows } = await database.sql.query(
      'SELECT order_id FROM invoices WHERE id = ANY ($1) ORDER BY invoice_number',
      [issued.map(({ invoiceId }) => invoiceId)],
    );
    expect(rows.map(({ order_id }) => order_id)).toEqual(set.map(({ snapshot }) => snapshot.orderId));
  });

  test('has ids that sort as its numbers do', async () => {
    const ids = allIssued(await issue(drafts(50))).map(({ invoiceId }) => invoiceId);
    expect(ids.toSorted()).toEqual(ids);
    const { rows } = await database.sql.query('SELECT id FROM invoices WHERE id = ANY ($1) ORDER BY id', [
      ids,
    ]);
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  test('writes one event and one key each, and every line in its place', async () => {
    const set = Array.from({ length: 50 }, (_, index) => aDraft(seller, anOrderOfLines((index % 5) + 1)));
    const ids = allIssued(await issue(set)).map(({ invoiceId }) => invoiceId);
    const { rows } = await database.sql.query(
      `SELECT (SELECT array_agg(product_id ORDER BY line_number) FROM invoice_items WHERE invoice_id = invoices.id) AS lines,
         (SELECT array_agg(event_type) FROM outbox_events WHERE aggregate_id = invoices.id) AS events,
         (SELECT array_agg(key) FROM idempotency_records WHERE invoice_id = invoices.id) AS keys
       FROM invoices WHERE id = ANY ($1) ORDER BY invoice_number`,
      [ids],
    );
    expect(rows).toEqual(
      set.map(({ claim, snapshot }) => ({
        lines: snapshot.lines.map(({ productId }) => productId),
        events: ['InvoiceCreated'],
        keys: [claim.key],
      })),
    );
  });
});

describe('a member whose key or order is taken', () => {
  test('is refused alone, names the invoice that was first, and leaves no gap', async () => {
    const [early] = drafts(1) as [Draft];
    const [first] = allIssued(await issue([early]));
    const next = await nextNumber();
    const set = drafts(7);
    set[0] = { ...(set[0] as Draft), claim: early.claim };
    set[3] = { ...(set[3] as Draft), snapshot: early.snapshot };
    set[6] = early;
    const outcomes = await issue(set);
    const { invoiceId } = first as Issued;
    const keyUsed = { kind: 'key used', invoiceId, requestHash: early.claim.requestHash };
    expect(outcomes[0]).toEqual(keyUsed);
    expect(outcomes[3]).toEqual({ kind: 'order invoiced', invoiceId });
    expect(outcomes[6]).toEqual(keyUsed);
    const issued = allIssued([1, 2, 4, 5].map((index) => outcomes[index] as IssueOutcome));
    expect(issued.map(numberOf)).toEqual(from(next, 4));
    expect(await nextNumber()).toBe(next + 4);
  });

  test('takes no number where every member is refused', async () => {
    const set = drafts(3);
    await issue(set);
    const before = await nextNumber();
    const outcomes = await issue(set);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['key used', 'key used', 'key used']);
    expect(await nextNumber()).toBe(before);
  });
});

describe('two processes at once', () => {
  test('20 sets of 10 take 200 consecutive numbers, of moments that never go back', async () => {
    const first = await nextNumber();
    const processes = [issue, makeIssueInvoices({ db: secondProcess })];
    const sets = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (processes[index % 2] as IssueInvoices)(drafts(10))),
    );
    const issued = sets.flatMap(allIssued).sort((a, b) => numberOf(a) - numberOf(b));
    expect(issued.map(numberOf)).toEqual(from(first, 200));
    for (const set of sets) {
      const [lowest] = set as Issued[];
      expect((set as Issued[]).map(numberOf)).toEqual(from(numberOf(lowest as Issued), 10));
    }
    const { rows } = await database.sql.query(
      `SELECT count(*)::integer AS back FROM (
         SELECT finalized_at < lag(finalized_at) OVER (ORDER BY invoice_number) AS back FROM invoices
       ) AS moment WHERE back`,
    );
    expect(rows).toEqual([{ back: 0 }]);
  });

  test('one order in 20 sets becomes one invoice, and the other members get their numbers', async () => {
    const first = await nextNumber();
    const order = anOrder();
    const processes = [issue, makeIssueInvoices({ db: secondProcess })];
    const sets = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (processes[index % 2] as IssueInvoices)([...drafts(1), aDraft(seller, order), ...drafts(1)]),
      ),
    );
    const contested = sets.map((set) => set[1] as IssueOutcome);
    expect(contested.filter(({ kind }) => kind === 'issued')).toHaveLength(1);
    expect(new Set(contested.map(({ invoiceId }) => invoiceId)).size).toBe(1);
    const issued = sets.flat().filter((outcome) => outcome.kind === 'issued');
    expect(issued.map(numberOf).sort((a, b) => a - b)).toEqual(from(first, 41));
  });
});

test('a set that waited for the counter sees what was committed meanwhile, without a second try', async () => {
  await issue(drafts(1));
  const contested = drafts(3);
  const holder = await database.sql.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM invoice_number_counters FOR UPDATE');
  let transactions = 0;
  const counting = {
    $transaction: (work: Parameters<Db['$transaction']>[0]) => {
      transactions += 1;
      return secondProcess.$transaction(work as never);
    },
  } as unknown as Db;
  const first = issue(contested);
  await lockWaits(database.sql, 1);
  const second = makeIssueInvoices({ db: counting })(contested);
  await lockWaits(database.sql, 2);
  await holder.query('COMMIT');
  holder.release();
  const issued = allIssued(await first);
  expect(await second).toMatchObject(issued.map(({ invoiceId }) => ({ kind: 'key used', invoiceId })));
  expect(transactions).toBe(1);
});

describe('a failure after the numbers were taken', () => {
  const faults: [string, (draft: Draft) => Draft, RegExp][] = [
    [
      'a seller that is not kept',
      (draft) => ({ ...draft, sellerId: 'f'.repeat(64) }),
      /invoices_seller_id_fkey/,
    ],
    [
      'lines that do not add up, seen at COMMIT',
      (draft) => {
        const { snapshot } = draft;
        return { ...draft, snapshot: { ...snapshot, lines: [...snapshot.lines, ...snapshot.lines] } };
      },
      /does not add up to its lines/,
    ],
  ];

  test.each(faults)('of %s leaves nothing, and the number goes to the next', async (_, spoil, fault) => {
    const first = await nextNumber();
    const tables = ['invoices', 'invoice_items', 'idempotency_records', 'outbox_events'];
    const before = await Promise.all(tables.map(countOf));
    const set = drafts(5);
    set[4] = spoil(set[4] as Draft);
    await expect(issue(set)).rejects.toThrow(fault);
    expect(await Promise.all(tables.map(countOf))).toEqual(before);
    expect(await nextNumber()).toBe(first);
    const [next] = allIssued(await issue(set.slice(0, 1)));
    expect(numberOf(next as Issued)).toBe(first);
  });
});

describe('the date', () => {
  const dateIn = async (zone: string): Promise<string> => {
    const { rows } = await database.sql.query(
      'SELECT (clock_timestamp() AT TIME ZONE $1)::date::text AS today',
      [zone],
    );
    return rows[0].today;
  };

  test('is that of the zone by the clock of the database, in number and column', async () => {
    const dates = await Promise.all(
      ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map(async (timeZone) => {
        const before = await dateIn(timeZone);
        const [issued] = allIssued(await issue(drafts(1, { timeZone })));
        expect([before, await dateIn(timeZone)]).toContain(issued?.issueDate);
        expect(issued?.invoiceNumber.slice(4, 8)).toBe(issued?.issueDate.slice(0, 4));
        const { rows } = await database.sql.query(
          `SELECT issue_date::text, time_zone, created_at = finalized_at AS at_once FROM invoices WHERE id = $1`,
          [issued?.invoiceId],
        );
        expect(rows).toEqual([{ issue_date: issued?.issueDate, time_zone: timeZone, at_once: true }]);
        return issued?.issueDate;
      }),
    );
    // The two are 25 hours apart.
    expect(dates[0]).not.toBe(dates[1]);
  });
});
