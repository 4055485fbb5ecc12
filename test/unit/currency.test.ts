import { expect, test } from 'vitest';
import { minorUnitOf } from '../../src/kernel/currency.js';

test.each([
  ...(['JPY', 'KRW', 'CLP', 'VND', 'ISK', 'PYG', 'XAF', 'XOF', 'XPF', 'UYI'] as const).map((code) => [
    code,
    0,
  ]),
  // Intl gives the last three no decimals at all.
  ...(['USD', 'EUR', 'GBP', 'PLN', 'TWD', 'XCG', 'ZWG', 'MGA', 'HUF', 'PKR'] as const).map((code) => [
    code,
    2,
  ]),
  ...(['KWD', 'BHD', 'OMR', 'JOD', 'TND', 'LYD', 'IQD'] as const).map((code) => [code, 3]),
  ...(['CLF', 'UYW'] as const).map((code) => [code, 4]),
] as [string, number][])('%s has %i decimals', (currency, decimals) => {
  expect(minorUnitOf(currency)).toBe(decimals);
});

test.each([
  ...['XAU', 'XAG', 'XPT', 'XPD'], // metals
  ...['XTS', 'XXX', 'XDR', 'XSU', 'XUA', 'XBA', 'XBB', 'XBC', 'XBD'], // tests, none, accounting units
  ...[
    'usd',
    'Usd',
    'US',
    'USDD',
    'USD ',
    ' USD',
    'USD\n',
    '',
    '840',
    '€',
    '$',
    'ＵＳＤ',
    'ZZZ',
    'BTC',
    'DEM',
  ],
  ...['__proto__', 'toString', 'constructor', 'hasOwnProperty'],
])('%j is not a currency one can be charged in', (currency) => {
  expect(minorUnitOf(currency)).toBeUndefined();
});
