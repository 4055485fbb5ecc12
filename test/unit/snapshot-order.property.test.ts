import fc from 'fast-check';
import { expect, test } from 'vitest';
import { snapshotOrder } from '../../src/invoices/snapshot-order.js';
import { AppError } from '../../src/kernel/errors.js';
import { type OrderJson, parseOrder } from '../../src/orders/parse-order.js';
import {
  HEADER,
  type PlainOrder,
  rightOrder,
  spareZeros,
  toJson,
  type Verdict,
  verdictOf,
  written,
} from '../helpers/generated-orders.js';

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
    { numRuns: 8_000 },
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
    { numRuns: 5_000 },
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
    { numRuns: 5_000 },
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
    { numRuns: 2_500 },
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
    { numRuns: 10_000 },
  );
  // Otherwise this property would say little.
  expect(seen.accepted).toBeGreaterThan(100);
  expect(seen.refused).toBeGreaterThan(100);
});
