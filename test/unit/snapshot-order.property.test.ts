import fc from 'fast-check';
import { expect, test } from 'vitest';
import { snapshotOrder } from '../../src/invoices/snapshot-order.js';
import { AppError } from '../../src/kernel/errors.js';
import { type OrderJson, parseOrder } from '../../src/orders/parse-order.js';
import { anItem, anOrder } from '../helpers/orders.js';

// The oracle: whole numbers of minor units, and of millionths for quantities and unit prices. It shares
// no arithmetic with the code under test.

interface PlainLine {
  quantity: bigint;
  unitPrice: bigint;
  discount: bigint;
  tax: bigint;
  total: bigint;
}

interface PlainOrder {
  currency: string;
  decimals: number;
  lines: PlainLine[];
  subtotal: bigint;
  discount: bigint;
  tax: bigint;
  total: bigint;
}

type Verdict = { code: string; field: string } | 'accepted';

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
const HEADER = ['subtotal', 'discount', 'tax', 'total'] as const;

function productOf({ quantity, unitPrice }: PlainLine, decimals: number): bigint {
  const divisor = 10n ** BigInt(12 - decimals);
  const exact = quantity * unitPrice;
  return exact / divisor + ((exact % divisor) * 2n >= divisor ? 1n : 0n);
}

function sumsOf({ lines, decimals }: PlainOrder) {
  const sum = (pick: (line: PlainLine) => bigint) => lines.reduce((total, line) => total + pick(line), 0n);
  return {
    subtotal: sum((line) => productOf(line, decimals)),
    discount: sum((line) => line.discount),
    tax: sum((line) => line.tax),
    total: sum((line) => line.total),
  };
}

/** Values of all lines come before any equation. */
function verdictOf(order: PlainOrder): Verdict {
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
function written(value: bigint, decimals: number, spare = 0): string {
  const digits = value.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  let fraction = digits.slice(digits.length - decimals) + '0'.repeat(Math.max(0, spare));
  if (spare < 0) fraction = fraction.replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function toJson(order: PlainOrder, spare: number): OrderJson {
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

const snapshot = (order: OrderJson) => snapshotOrder(parseOrder(order, order.order_id));

function outcomeOf(order: OrderJson): Verdict {
  try {
    snapshot(order);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, field: error.details.field ?? '' };
  }
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
const rightOrder = fc.constantFrom(...CURRENCIES).chain(([currency, decimals]) =>
  fc.array(lineOf(decimals), { minLength: 1, maxLength: 4 }).map((lines): PlainOrder => {
    const order = { currency, decimals, lines, subtotal: 0n, discount: 0n, tax: 0n, total: 0n };
    return { ...order, ...sumsOf(order) };
  }),
);

const spareZeros = fc.integer({ min: -1, max: 4 });
const step = fc.constantFrom(1n, -1n);
const bumped = (value: bigint, by: bigint) => (value + by < 0n ? value - by : value + by);

/** Moves one amount by one minor unit. `at` counts the header's amounts first, then those of the lines. */
function bump(order: PlainOrder, at: number, by: bigint): PlainOrder {
  const name = HEADER[at];
  if (name) return { ...order, [name]: bumped(order[name], by) };
  const index = Math.floor((at - HEADER.length) / 3) % order.lines.length;
  const amount = (['discount', 'tax', 'total'] as const)[at % 3] ?? 'total';
  const lines = order.lines.map((line, number) =>
    number === index ? { ...line, [amount]: bumped(line[amount], by) } : line,
  );
  return { ...order, lines };
}

test('an order that adds up is accepted, and each amount is written to the last digit', () => {
  fc.assert(
    fc.property(rightOrder, spareZeros, (order, spare) => {
      const { decimals } = order;
      const frozen = snapshot(toJson(order, spare));
      for (const name of HEADER) expect(frozen[name]).toBe(written(order[name], decimals));
      for (const [index, line] of order.lines.entries()) {
        const shortest = written(line.unitPrice, 6, -1);
        const shown = shortest.split('.')[1]?.length ?? 0;
        expect(frozen.lines[index]).toMatchObject({
          quantity: written(line.quantity, 6, -1),
          unitPrice:
            shown > decimals ? shortest : written(line.unitPrice / 10n ** BigInt(6 - decimals), decimals),
          discount: written(line.discount, decimals),
          tax: written(line.tax, decimals),
          total: written(line.total, decimals),
        });
      }
    }),
    { numRuns: 3_000 },
  );
});

test('a header amount that is one minor unit off is named', () => {
  fc.assert(
    fc.property(rightOrder, fc.integer({ min: 0, max: 3 }), step, (order, at, by) => {
      expect(outcomeOf(toJson(bump(order, at, by), 0))).toEqual({
        code: 'TOTALS_MISMATCH',
        field: HEADER[at],
      });
    }),
    { numRuns: 2_000 },
  );
});

test('a line total that is one minor unit off is named by its line', () => {
  fc.assert(
    fc.property(rightOrder, fc.nat(3), step, (order, index, by) => {
      const at = index % order.lines.length;
      const lines = order.lines.map((line, number) =>
        number === at ? { ...line, total: bumped(line.total, by) } : line,
      );
      expect(outcomeOf(toJson({ ...order, lines }, 0))).toEqual({
        code: 'TOTALS_MISMATCH',
        field: `items[${at}].total`,
      });
    }),
    { numRuns: 2_000 },
  );
});

test('a tax that is one minor unit higher in a line and its total, but not in the header, is named', () => {
  fc.assert(
    fc.property(rightOrder, (order) => {
      const lines = order.lines.map((line, index) =>
        index === 0 ? { ...line, tax: line.tax + 1n, total: line.total + 1n } : line,
      );
      expect(outcomeOf(toJson({ ...order, lines }, 0))).toEqual({ code: 'TOTALS_MISMATCH', field: 'tax' });
    }),
    { numRuns: 1_000 },
  );
});

test('an order is accepted exactly when every equation holds', () => {
  const seen = { accepted: 0, refused: 0 };
  const bumps = fc.array(fc.tuple(fc.integer({ min: 0, max: 15 }), step), { maxLength: 4 });
  fc.assert(
    fc.property(rightOrder, bumps, (order, changes) => {
      const changed = changes.reduce((moved, [at, by]) => bump(moved, at, by), order);
      const verdict = verdictOf(changed);
      seen[verdict === 'accepted' ? 'accepted' : 'refused'] += 1;
      expect(outcomeOf(toJson(changed, 0))).toEqual(verdict);
    }),
    { numRuns: 4_000 },
  );
  // Otherwise this property would say little.
  expect(seen.accepted).toBeGreaterThan(100);
  expect(seen.refused).toBeGreaterThan(100);
});
