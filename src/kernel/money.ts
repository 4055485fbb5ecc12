import BigJs, { type Big } from 'big.js';

/** Exact decimals. Only addition, subtraction and multiplication are used: none of them ever rounds. */
export type Decimal = Big;

const HALF_AWAY_FROM_ZERO = 1;

/** Longer than any amount that the books can hold, short enough that no input costs time to parse. */
const LONGEST_NOTATION = 64;
const PLAIN_NOTATION = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;

export const ZERO: Decimal = BigJs(0);

/**
 * Reads a decimal in plain notation: digits, at most one point with digits on both sides, no sign,
 * exponent, grouping, spaces or leading zeros. Anything else is undefined and never repaired.
 */
export function parseDecimal(text: string): Decimal | undefined {
  return text.length <= LONGEST_NOTATION && PLAIN_NOTATION.test(text) ? BigJs(text) : undefined;
}

/** Reads a value that our own database wrote. */
export function decimalFromBooks(value: { toString(): string }): Decimal {
  return BigJs(value.toString());
}

/** 13.31667 at 2 decimals is 13.32, and 2.5 at 0 is 3: half goes away from zero. */
export function roundHalfAwayFromZero(value: Decimal, decimals: number): Decimal {
  return value.round(decimals, HALF_AWAY_FROM_ZERO);
}

/** Decimals after the point that the value needs: 2 for 81.10, since zeros at the end do not count. */
export function decimalsOf(value: Decimal): number {
  return Math.max(0, value.c.length - value.e - 1);
}

/** Digits before the point: 2 for 81.10, 0 for 0.5. */
export function integerDigitsOf(value: Decimal): number {
  return Math.max(0, value.e + 1);
}

/**
 * "81.00" in USD, "1935" in JPY; a unit price of 0.02925 keeps its digits: plain notation with the
 * currency's decimals, and as many more as the value has.
 */
export function formatMoney(value: Decimal, minorUnit: number): string {
  return value.toFixed(Math.max(minorUnit, decimalsOf(value)));
}

/** "2", "1.333": the shortest plain notation. */
export function formatQuantity(value: Decimal): string {
  return value.toFixed();
}
