import fc from 'fast-check';
import type { OrderJson } from '../../src/orders/parse-order.js';
import { anItem, anOrder } from './orders.js';

// The oracle: whole numbers of minor units, and of millionths for quantities and unit prices. It shares
// no arithmetic with the code under test.

export interface PlainLine {
  quantity: bigint;
  unitPrice: bigint;
  discount: bigint;
  tax: bigint;
  total: bigint;
}

export interface PlainOrder {
  currency: string;
  decimals: number;
  lines: PlainLine[];
  subtotal: bigint;
  discount: bigint;
  tax: bigint;
  total: bigint;
}

export type Verdict = { code: string; field: string } | 'accepted';

const CURRENCIES: readonly [string, number][] = [
  ['JPY', 0],
  ['CLP', 0],
  ['USD', 2],
  ['HUF', 2],
  ['KWD', 3],
  ['IQD', 3],
  ['CLF', 4],
  ['UYW', 4],
];
export const HEADER = ['subtotal', 'discount', 'tax', 'total'] as const;

export function productOf({ quantity, unitPrice }: PlainLine, decimals: number): bigint {
  const divisor = 10n ** BigInt(12 - decimals);
  const exact = quantity * unitPrice;
  return exact / divisor + ((exact % divisor) * 2n >= divisor ? 1n : 0n);
}

export function sumsOf({ lines, decimals }: PlainOrder) {
  const sum = (pick: (line: PlainLine) => bigint) => lines.reduce((total, line) => total + pick(line), 0n);
  return {
    subtotal: sum((line) => productOf(line, decimals)),
    discount: sum((line) => line.discount),
    tax: sum((line) => line.tax),
    total: sum((line) => line.total),
  };
}

/** Values of all lines come before any equation. */
export function verdictOf(order: PlainOrder): Verdict {
  const { lines, decimals } = order;
  const tooGenerous = lines.findIndex((line) => line.discount > productOf(line, decimals));
  if (tooGenerous >= 0) return { code: 'VALIDATION_ERROR', field: `items[${tooGenerous}].discount` };
  const uneven = lines.findIndex(
    (line) => line.total !== productOf(line, decimals) - line.discount + line.tax,
  );
  if (uneven >= 0) return { code: 'TOTALS_MISMATCH', field: `items[${uneven}].total` };
  const sums = sumsOf(order);
  const wrong = HEADER.find((name) => order[name] !== sums[name]);
  return wrong ? { code: 'TOTALS_MISMATCH', field: wrong } : 'accepted';
}

/** 8100n at 2 decimals is "81.00"; `spare` zeros are added or, where negative, taken from its end. */
export function written(value: bigint, decimals: number, spare = 0): string {
  const digits = value.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  let fraction = digits.slice(digits.length - decimals) + '0'.repeat(Math.max(0, spare));
  if (spare < 0) fraction = fraction.replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

export function toJson(order: PlainOrder, spare: number): OrderJson {
  const money = (value: bigint) => written(value, order.decimals, spare);
  return anOrder({
    currency: order.currency,
    items: order.lines.map((line) =>
      anItem({
        quantity: written(line.quantity, 6, spare),
        unit_price: written(line.unitPrice, 6, spare),
        discount: money(line.discount),
        tax: money(line.tax),
        total: money(line.total),
      }),
    ),
    subtotal: money(order.subtotal),
    discount: money(order.discount),
    tax: money(order.tax),
    total: money(order.total),
  });
}

/** Small and huge values alike, halves of a minor unit among them, within what the books hold. */
const lineOf = (decimals: number) =>
  fc
    .record({
      quantity: fc.oneof(
        fc.bigInt({ min: 1n, max: 5_000_000n }),
        fc.bigInt({ min: 1n, max: 9n }).map((count) => count * 500_000n),
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
      ),
      unitPrice: fc.oneof(
        fc.bigInt({ min: 0n, max: 200_000_000n }),
        fc.bigInt({ min: 0n, max: 999n }).map((minor) => minor * 10n ** BigInt(6 - decimals)),
        fc.bigInt({ min: 0n, max: 10n ** 14n }),
      ),
      tax: fc.bigInt({ min: 0n, max: 10n ** 9n }),
      share: fc.bigInt({ min: 0n, max: 100n }),
    })
    .map(({ share, ...line }): PlainLine => {
      const product = productOf({ ...line, discount: 0n, total: 0n }, decimals);
      const discount = (product * share) / 100n;
      return { ...line, discount, total: product - discount + line.tax };
    });

/** Orders that add up. */
export const rightOrder = fc.constantFrom(...CURRENCIES).chain(([currency, decimals]) =>
  fc.array(lineOf(decimals), { minLength: 1, maxLength: 4 }).map((lines): PlainOrder => {
    const order = { currency, decimals, lines, subtotal: 0n, discount: 0n, tax: 0n, total: 0n };
    return { ...order, ...sumsOf(order) };
  }),
);

/** Zeros to add to what is written, or −1 to take those at its end away. */
export const spareZeros = fc.integer({ min: -1, max: 4 });
