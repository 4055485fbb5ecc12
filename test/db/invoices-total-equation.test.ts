import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { refusalOf, unlawful } from './by-hand.js';
import { insertCopy } from './copied-invoice.js';

const database = useDatabase();

/** USD 80.00 − 5.00 + 6.00 = 81.00 */
let original: string;
beforeAll(async () => {
  original = await issueInvoice(database.db);
});

const insert = (invoice: Record<string, unknown>) =>
  refusalOf(database.sql, (tx) => insertCopy(tx, original, { invoice }));

const CASES: [constraint: string, invoices: Record<string, unknown>[]][] = [
  [
    'invoices_total_equation',
    [{ total: '81.01' }, { total: '80.99' }, { total: '91' }, { subtotal: '80.01' }, { tax: '0' }],
  ],
  [
    'invoices_amounts_not_negative',
    [
      { subtotal: '-80', total: '-79' },
      { discount: '-5', total: '91' },
      { tax: '-6', total: '69' },
      { discount: '90', total: '-4' },
    ],
  ],
  [
    'invoices_amounts_in_minor_units',
    [
      { subtotal: '80.001', total: '81.001' },
      { discount: '5.0001', total: '80.9999' },
      { tax: '6.005', total: '81.005' },
      { currency: 'JPY', minor_unit: 0, tax: '6.5', total: '81.5' },
      { currency: 'KWD', minor_unit: 3, tax: '6.0005', total: '81.0005' },
    ],
  ],
  [
    'invoices_currency_form',
    [{ currency: 'usd' }, { currency: 'US' }, { currency: 'USDX' }, { currency: 'US$' }, { minor_unit: 5 }],
  ],
  ['invoices_line_count_range', [{ line_count: 0 }, { line_count: -1 }, { line_count: 5_001 }]],
  [
    'invoices_order_id_form',
    ['', '.', '..', '../admin', 'A B', 'A\n', 'É', 'A'.repeat(101)].map((order_id) => ({ order_id })),
  ],
];

describe.each(CASES)('%s', (constraint, invoices) => {
  test.each(invoices)('refuses %j', async (invoice) => {
    expect(await insert(invoice)).toEqual(unlawful(constraint));
  });
});

test.each(['A', '...', '-', 'a.b_c-D9', 'A'.repeat(100)])('the order id %s is accepted', async (order_id) => {
  expect(await insert({ order_id })).toBe('accepted');
});

test('an amount too large for its column is refused, not cut', async () => {
  const amount = '1000000000000000.00';
  expect(await insert({ subtotal: amount, discount: 0, tax: 0, total: amount })).toMatchObject({
    code: '22003',
  });
});

test.each([
  'order_id',
  'customer_id',
  'currency',
  'total',
  'line_count',
  'customer_name',
  'seller_id',
  'time_zone',
])('%s is not left out', async (column) => {
  expect(await insert({ [column]: null })).toMatchObject({ code: '23502', at: 'statement' });
});

test('a seller that is not kept is refused', async () => {
  expect(await insert({ seller_id: 'f'.repeat(64) })).toEqual({
    code: '23503',
    constraint: 'invoices_seller_id_fkey',
    at: 'statement',
  });
});
