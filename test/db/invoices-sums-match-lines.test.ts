import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { anOrderOfLines, issueInvoice } from '../helpers/issued-invoice.js';
import { refusalOf, unlawful } from './by-hand.js';
import { type Copy, insertCopy } from './copied-invoice.js';

const database = useDatabase();
const AT_COMMIT = unlawful('invoices_sums_match_lines', 'COMMIT');
const FREE = { quantity: 1, unit_price: 0, discount: 0, tax: 0, total: 0 };

/** Two lines of 80.00 − 5.00 + 6.00: header 160.00, 10.00, 12.00, 162.00. */
let original: string;
beforeAll(async () => {
  original = await issueInvoice(database.db, anOrderOfLines(2));
});

const insert = (copy: Copy, replica = false) =>
  refusalOf(database.sql, (tx) => insertCopy(tx, original, copy), { replica });

test('a header that is the sum of its lines is accepted', async () => {
  expect(await insert({})).toBe('accepted');
  expect(await insert({ invoice: { line_count: 3 }, lines: [{}, {}, FREE] })).toBe('accepted');
});

test('the product of each line is rounded before it is summed', async () => {
  const half = { quantity: '0.5', unit_price: '0.01', discount: 0, tax: 0, total: '0.01' };
  const header = (total: string) => ({ subtotal: total, discount: 0, tax: 0, total });
  expect(await insert({ invoice: header('0.02'), lines: [half, half] })).toBe('accepted');
  expect(await insert({ invoice: header('0.01'), lines: [half, half] })).toEqual(AT_COMMIT);
});

const WRONG: [string, Copy][] = [
  ['a subtotal one cent over', { invoice: { subtotal: '160.01', total: '162.01' } }],
  ['a subtotal one cent under', { invoice: { subtotal: '159.99', total: '161.99' } }],
  ['a discount one cent off', { invoice: { discount: '9.99', total: '162.01' } }],
  ['a tax one cent off', { invoice: { tax: '12.01', total: '162.01' } }],
  ['discount and tax both one cent off', { invoice: { discount: '10.01', tax: '12.01' } }],
  ['all amounts 0', { invoice: { subtotal: 0, discount: 0, tax: 0, total: 0 } }],
  ['no line at all', { lines: [] }],
  [
    'no line at all and all amounts 0',
    { invoice: { subtotal: 0, discount: 0, tax: 0, total: 0 }, lines: [] },
  ],
  ['the last line missing', { lines: [{}] }],
  ['a missing line that would change no sum', { invoice: { line_count: 3 }, lines: [{}, {}] }],
  ['lines of another minor unit', { lines: [{ minor_unit: 3 }, { minor_unit: 3 }] }],
  ['one line of another minor unit', { lines: [{}, { minor_unit: 0 }] }],
  ['a header of another minor unit than its lines', { invoice: { minor_unit: 3 } }],
];

describe.each([
  ['an ordinary session', false],
  ['a session in replica mode', true],
])('in %s', (_, replica) => {
  test.each(WRONG)('an invoice with %s is refused at COMMIT', async (__, copy) => {
    expect(await insert(copy, replica)).toEqual(AT_COMMIT);
  });
});

test('the lines of one invoice do not count for another', async () => {
  const refusal = await refusalOf(database.sql, async (tx) => {
    await insertCopy(tx, original, { lines: [] });
    await insertCopy(tx, original);
  });
  expect(refusal).toEqual(AT_COMMIT);
});

test('asking for the look at once does not evade it', async () => {
  const refusal = await refusalOf(database.sql, async (tx) => {
    await tx.query('SET CONSTRAINTS invoices_sums_match_lines IMMEDIATE');
    await insertCopy(tx, original);
  });
  expect(refusal).toEqual({ ...AT_COMMIT, at: 'statement' });
});

test('a rolled back line is not counted', async () => {
  const refusal = await refusalOf(database.sql, async (tx) => {
    const copy = await insertCopy(tx, original, { lines: [{}] });
    await tx.query('SAVEPOINT last_line');
    await tx.query(
      `INSERT INTO invoice_items SELECT line.* FROM invoice_items AS second, LATERAL jsonb_populate_record(
         second, jsonb_build_object('id', nextval('invoice_items_id_seq'), 'invoice_id', $2::uuid)
       ) AS line WHERE second.invoice_id = $1 AND second.line_number = 2`,
      [original, copy],
    );
    await tx.query('ROLLBACK TO SAVEPOINT last_line');
  });
  expect(refusal).toEqual(AT_COMMIT);
});
