import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { aPlainOrder } from '../helpers/orders.js';
import { refusalOf, unlawful } from './by-hand.js';
import { insertCopy } from './copied-invoice.js';

const database = useDatabase();

/** Each of one line worth 81 in its currency, without discount and tax. */
const originals = new Map<number, string>();
const CURRENCIES = { 0: 'JPY', 2: 'USD', 3: 'KWD', 4: 'CLF' };
beforeAll(async () => {
  for (const [minorUnit, currency] of Object.entries(CURRENCIES)) {
    const order = aPlainOrder(currency, { quantity: '1', unit_price: '81', total: '81' });
    originals.set(Number(minorUnit), await issueInvoice(database.db, order));
  }
});

interface Line {
  minor_unit: number;
  quantity: string;
  unit_price: string;
  discount?: string;
  tax?: string;
  total: string;
}

/** An invoice of that one line, with the header that it asks for. */
function insert(line: Line, subtotal: string) {
  const all = { discount: '0', tax: '0', ...line };
  const { discount, tax, total } = all;
  return refusalOf(database.sql, (tx) =>
    insertCopy(tx, originals.get(line.minor_unit) ?? '', {
      invoice: { subtotal, discount, tax, total },
      lines: [all],
    }),
  );
}

describe('a line adds up in the minor unit of its currency, halves rounded away from zero', () => {
  test.each([
    [2, '1.333', '9.99', '13.32', '13.31'],
    [2, '1000', '0.02925', '29.25', '29.24'],
    [2, '0.5', '0.01', '0.01', '0.00'],
    [2, '0.000001', '5000', '0.01', '0.00'],
    [2, '0.000001', '4999.999999', '0.00', '0.01'],
    [0, '1000', '4.5', '4500', '4501'],
    [0, '1', '1934.5', '1935', '1934'],
    [3, '3', '1.0005', '3.002', '3.001'],
    [4, '1', '0.00005', '0.0001', '0.0000'],
    [2, '100', '9999999999999.9999', '999999999999999.99', '999999999999999.98'],
  ])('minor unit %d: %s × %s is %s and not %s', async (minor_unit, quantity, unit_price, right, wrong) => {
    const line = { minor_unit, quantity, unit_price };
    expect(await insert({ ...line, total: right }, right)).toBe('accepted');
    expect(await insert({ ...line, total: wrong }, wrong)).toEqual(unlawful('invoice_items_total_equation'));
  });

  test.each([
    ['the total one cent off', { total: '81.01' }],
    ['the discount added', { total: '91.00' }],
    ['the tax taken off', { total: '69.00' }],
    ['the discount forgotten', { discount: '0' }],
  ])('with %s it is refused', async (_, changes) => {
    const line = { minor_unit: 2, quantity: '2', unit_price: '40', discount: '5', tax: '6', total: '81' };
    const wrong = { ...line, ...changes };
    const subtotal = String(Number(wrong.total) + Number(wrong.discount) - Number(wrong.tax));
    expect(await insert(wrong, subtotal)).toEqual(unlawful('invoice_items_total_equation'));
    expect(await insert(line, '80')).toBe('accepted');
  });
});

describe('a line is refused', () => {
  const line: Line = { minor_unit: 2, quantity: '1', unit_price: '10', total: '10' };

  test.each([
    ['with a discount greater than itself', '10', { discount: '10.01', tax: '0.01', total: '0' }],
    [
      'with a discount greater than its rounded product',
      '9.99',
      { unit_price: '9.994', discount: '10', tax: '0.01', total: '0' },
    ],
  ])('%s', async (_, subtotal, changes) => {
    expect(await insert({ ...line, ...changes }, subtotal)).toEqual(
      unlawful('invoice_items_discount_within_product'),
    );
  });

  test.each([
    ['of no quantity', { quantity: '0', total: '0' }],
    ['of a negative quantity', { quantity: '-1', unit_price: '0', total: '0' }],
    ['of a negative price', { unit_price: '-0.001', total: '0' }],
    ['with a negative discount', { discount: '-1', total: '11' }],
    ['with a negative tax', { tax: '-1', total: '9' }],
  ])('%s', async (_, changes) => {
    const refusal = await refusalOf(database.sql, (tx) =>
      insertCopy(tx, originals.get(2) ?? '', { lines: [{ ...line, ...changes }] }),
    );
    expect(refusal).toEqual(unlawful('invoice_items_values_in_range'));
  });

  test.each([
    ['USD discount', 2, { discount: '0.005', total: '9.995' }],
    ['USD tax', 2, { tax: '0.005', total: '10.005' }],
    ['JPY total', 0, { total: '10.5' }],
    ['KWD tax', 3, { tax: '0.0005', total: '10.0005' }],
  ])('with a %s in less than a minor unit', async (_, minor_unit, changes) => {
    const refusal = await refusalOf(database.sql, (tx) =>
      insertCopy(tx, originals.get(minor_unit) ?? '', { lines: [{ ...line, minor_unit, ...changes }] }),
    );
    expect(refusal).toEqual(unlawful('invoice_items_amounts_in_minor_units'));
  });

  test.each([
    ['no description', ''],
    ['a description of 1001 characters', '東'.repeat(1001)],
  ])('with %s', async (_, description) => {
    const refusal = await refusalOf(database.sql, (tx) =>
      insertCopy(tx, originals.get(2) ?? '', { lines: [{ description }] }),
    );
    expect(refusal).toEqual(unlawful('invoice_items_description_length'));
  });
});

test('a description of 1000 characters of any script is accepted', async () => {
  const refusal = await refusalOf(database.sql, (tx) =>
    insertCopy(tx, originals.get(2) ?? '', { lines: [{ description: '東'.repeat(1000) }] }),
  );
  expect(refusal).toBe('accepted');
});
