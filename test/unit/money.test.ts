import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Decimal,
  decimalFromBooks,
  decimalsOf,
  formatMoney,
  formatQuantity,
  integerDigitsOf,
  parseDecimal,
  roundHalfAwayFromZero,
  ZERO,
} from '../../src/kernel/money.js';

function read(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (!decimal) throw new Error(`${text} was not read`);
  return decimal;
}

describe('plain notation', () => {
  test.each(['0', '7', '10', '0.0', '0.5', '81.00', '1935', '0.02925', '9999999999999.9999', '0.000001'])(
    '%s is read',
    (text) => expect(read(text).toFixed(text.split('.')[1]?.length ?? 0)).toBe(text),
  );

  test.each([
    ...[
      '',
      ' ',
      '1e3',
      '1E3',
      '1,000',
      '1_000',
      'NaN',
      'Infinity',
      '-1',
      '-0',
      '+1',
      ' 1',
      '1 ',
      '1\n',
      '\n1',
    ],
    ...['01', '00', '00.5', '.5', '1.', '.', '1.2.3', '0x1', '1n', '٨', '８', '−1', '1\u00a0000', 'null'],
  ])('%j is not', (text) => expect(parseDecimal(text)).toBeUndefined());

  test('ends at 64 characters', () => {
    expect(parseDecimal('1'.repeat(64))).toBeDefined();
    expect(parseDecimal('1'.repeat(65))).toBeUndefined();
    expect(parseDecimal(`0.${'0'.repeat(63)}`)).toBeUndefined();
  });
});

describe('rounding', () => {
  test.each([
    ['13.31667', 2, '13.32'],
    ['2.5', 0, '3'],
    ['0.5', 0, '1'],
    ['0.4999999999', 0, '0'],
    ['1.005', 2, '1.01'],
    ['1.004999', 2, '1.00'],
    ['2.675', 2, '2.68'],
    ['0.0005', 3, '0.001'],
    ['0.00005', 4, '0.0001'],
    ['999999999999999.995', 2, '1000000000000000.00'],
  ])('%s at %i decimals is %s', (text, decimals, rounded) => {
    expect(roundHalfAwayFromZero(read(text), decimals).toFixed(decimals)).toBe(rounded);
  });

  test('goes away from zero below zero too', () => {
    expect(roundHalfAwayFromZero(ZERO.minus(read('2.5')), 0).toFixed()).toBe('-3');
  });
});

describe('digits', () => {
  test.each([
    ['81.10', 2, 1],
    ['81.00', 2, 0],
    ['0.5', 0, 1],
    ['0.000001', 0, 6],
    ['1000000', 7, 0],
    ['1200.0300', 4, 2],
    ['9999999999999.999999', 13, 6],
  ])('%s has %i before the point and needs %i after it', (text, before, after) => {
    expect(integerDigitsOf(read(text))).toBe(before);
    expect(decimalsOf(read(text))).toBe(after);
  });

  test('of zero are none after the point', () => {
    expect(decimalsOf(read('0.00'))).toBe(0);
  });
});

describe('written', () => {
  test.each([
    ['81', 2, '81.00'],
    ['1935', 0, '1935'],
    ['1935.00', 0, '1935'],
    ['0', 2, '0.00'],
    ['0', 0, '0'],
    ['125.5', 3, '125.500'],
    ['0.02925', 2, '0.02925'],
    ['0.0000001', 2, '0.0000001'],
    ['0.000001', 0, '0.000001'],
    ['4.50', 0, '4.5'],
    ['999999999999999.99', 2, '999999999999999.99'],
    ['1000000000000000000000000', 2, '1000000000000000000000000.00'],
  ])('as money, %s at %i decimals is %s', (text, decimals, written) => {
    expect(formatMoney(read(text), decimals)).toBe(written);
  });

  test.each([
    ['2', '2'],
    ['2.000000', '2'],
    ['1.333', '1.333'],
    ['0.000001', '0.000001'],
    ['0.0000001', '0.0000001'],
    ['1000000000000000000000000', '1000000000000000000000000'],
  ])('as a quantity, %s is %s', (text, written) => {
    expect(formatQuantity(read(text))).toBe(written);
  });

  test('as the books wrote it, in whatever notation an object of theirs prints', () => {
    expect(formatMoney(decimalFromBooks({ toString: () => '81.0000' }), 2)).toBe('81.00');
    expect(formatQuantity(decimalFromBooks({ toString: () => '1e-7' }))).toBe('0.0000001');
    expect(formatMoney(decimalFromBooks({ toString: () => '1e+21' }), 2)).toBe('1000000000000000000000.00');
  });

  test('is read back as the same value', () => {
    const plain = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 19n }), fc.integer({ min: 0, max: 6 }))
      .map(([value, decimals]) => {
        const digits = value.toString().padStart(decimals + 1, '0');
        const point = digits.length - decimals;
        return decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
      });
    fc.assert(
      fc.property(plain, fc.constantFrom(0, 2, 3, 4), (text, decimals) => {
        expect(read(formatMoney(read(text), decimals)).eq(read(text))).toBe(true);
        expect(read(formatQuantity(read(text))).eq(read(text))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
