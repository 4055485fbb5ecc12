import { describe, expect, test } from 'vitest';
import { snapshotOrder } from '../../src/invoices/snapshot-order.js';
import { AppError } from '../../src/kernel/errors.js';
import { type OrderJson, parseOrder } from '../../src/orders/parse-order.js';
import { anItem, anOrder, aPlainOrder } from '../helpers/orders.js';

type Line = { quantity: string; unit_price: string; total: string };

const snapshot = (order: OrderJson) => snapshotOrder(parseOrder(order, order.order_id));

function refusal(order: OrderJson): { code: string; field: string | undefined } | 'accepted' {
  try {
    snapshot(order);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, field: error.details.field };
  }
}

const invalid = (field: string) => ({ code: 'VALIDATION_ERROR', field });
const mismatch = (field: string) => ({ code: 'TOTALS_MISMATCH', field });

/** "2 × 40.00 = 80.00" */
function lineOf(equation: string): Line {
  const [quantity = '', unit_price = '', total = ''] = equation.split(/ [×=] /);
  return { quantity, unit_price, total };
}

describe('the money of an order', () => {
  test.each([
    ['whole yen', 'JPY', '1 × 1935 = 1935', '1 × 1935 = 1935'],
    ['yen from a price of 4.5', 'JPY', '1000 × 4.5 = 4500', '1000 × 4.5 = 4500'],
    ['dollars from a price of 0.02925', 'USD', '1000 × 0.02925 = 29.25', '1000 × 0.02925 = 29.25'],
    ['the smallest price there is', 'USD', '1000000 × 0.000001 = 1', '1000000 × 0.000001 = 1.00'],
    ['a fraction of a metre', 'EUR', '1.333 × 9.99 = 13.32', '1.333 × 9.99 = 13.32'],
    ['half a cent, away from zero', 'USD', '0.5 × 0.01 = 0.01', '0.5 × 0.01 = 0.01'],
    ['three decimals', 'KWD', '1 × 125.5 = 125.5', '1 × 125.500 = 125.500'],
    ['four decimals', 'CLF', '2 × 24.5678 = 49.1356', '2 × 24.5678 = 49.1356'],
    ['pesos without decimals', 'CLP', '3 × 1990 = 5970', '3 × 1990 = 5970'],
    ['forints with two', 'HUF', '1 × 99.5 = 99.5', '1 × 99.50 = 99.50'],
    ['Taiwan dollars with two', 'TWD', '1 × 99.5 = 99.5', '1 × 99.50 = 99.50'],
    ['zeros after the last cent', 'USD', '2.000 × 40.500000 = 81.0000', '2 × 40.50 = 81.00'],
    ['zeros after the last yen', 'JPY', '1 × 1935.00 = 1935.00', '1 × 1935 = 1935'],
    ['more than six decimals, all zeros', 'USD', '1.00000000 × 1.00000000 = 1.00000000', '1 × 1.00 = 1.00'],
    [
      'as much as the books hold',
      'USD',
      '100 × 9999999999999.9999 = 999999999999999.99',
      '100 × 9999999999999.9999 = 999999999999999.99',
    ],
    [
      'the largest quantity at the smallest price',
      'USD',
      '9999999999999.999999 × 0.000001 = 10000000',
      '9999999999999.999999 × 0.000001 = 10000000.00',
    ],
    ['nothing at all', 'USD', '1 × 0 = 0', '1 × 0.00 = 0.00'],
  ])('is accepted: %s', (_, currency, told, written) => {
    const { lines, subtotal, total } = snapshot(aPlainOrder(currency, lineOf(told)));
    const line = lineOf(written);
    expect(lines[0]).toMatchObject({
      quantity: line.quantity,
      unitPrice: line.unit_price,
      total: line.total,
    });
    expect({ subtotal, total }).toEqual({ subtotal: line.total, total: line.total });
  });

  test('of a free order is zero in every field, in the decimals of its currency', () => {
    const free = snapshot(aPlainOrder('KWD', lineOf('1 × 0 = 0')));
    expect(free).toMatchObject({
      minorUnit: 3,
      subtotal: '0.000',
      discount: '0.000',
      tax: '0.000',
      total: '0.000',
    });
  });

  test('with taxes of 7.00 and 13.97 told as one of 20.97 comes to 160.97', () => {
    const plain = { quantity: '1', discount: '0.00' };
    const order = anOrder({
      items: [
        anItem({ ...plain, unit_price: '100.00', tax: '7.00', total: '107.00' }),
        anItem({ ...plain, unit_price: '40.00', tax: '13.97', total: '53.97' }),
      ],
      subtotal: '140.00',
      discount: '0.00',
      tax: '20.97',
      total: '160.97',
    });
    expect(snapshot(order)).toMatchObject({ subtotal: '140.00', tax: '20.97', total: '160.97' });
  });

  test('may be a discount of the whole line', () => {
    const order = anOrder({
      items: [anItem({ discount: '80.00', tax: '0', total: '0' })],
      discount: '80.00',
      tax: '0',
      total: '0',
    });
    expect(snapshot(order)).toMatchObject({ discount: '80.00', total: '0.00' });
  });

  const refused: [string, OrderJson, ReturnType<typeof refusal>][] = [
    ['half a yen', aPlainOrder('JPY', lineOf('1000 × 4.5 = 4500.5')), invalid('subtotal')],
    [
      'half a yen in a line',
      anOrder({ currency: 'JPY', items: [anItem({ total: '1935.50' })] }),
      invalid('items[0].total'),
    ],
    [
      'a product rounded down',
      aPlainOrder('EUR', lineOf('1.333 × 9.99 = 13.31')),
      mismatch('items[0].total'),
    ],
    ['a header total one cent off', anOrder({ total: '81.01' }), mismatch('total')],
    ['a header subtotal one cent off', anOrder({ subtotal: '80.01' }), mismatch('subtotal')],
    ['a header discount one cent off', anOrder({ discount: '5.01' }), mismatch('discount')],
    ['a header tax one cent off', anOrder({ tax: '5.99' }), mismatch('tax')],
    [
      'a header total off by the last of four decimals',
      aPlainOrder('CLF', lineOf('2 × 40 = 80'), { total: '80.0001' }),
      mismatch('total'),
    ],
    [
      'a header total off by a fourth decimal that dollars do not have',
      anOrder({ total: '81.0001' }),
      invalid('total'),
    ],
    [
      'a right header over lines that do not add up to it',
      anOrder({ items: [anItem(), anItem()] }),
      mismatch('subtotal'),
    ],
    [
      'a discount greater than its line',
      anOrder({ items: [anItem({ discount: '80.01' })] }),
      invalid('items[0].discount'),
    ],
    [
      'an amount of sixteen digits before the point',
      aPlainOrder('USD', lineOf('100 × 9999999999999.9999 = 9999999999999999.99')),
      invalid('subtotal'),
    ],
    [
      'a product that rounds up to sixteen digits',
      aPlainOrder('JPY', lineOf('1000 × 999999999999.9999 = 1000000000000000')),
      invalid('subtotal'),
    ],
  ];

  test.each(refused)('is refused: %s', (_, order, how) => {
    expect(refusal(order)).toEqual(how);
  });

  test('is judged by its values first, in all lines, and by its equations then', () => {
    const order = anOrder({ total: '1', items: [anItem({ total: '1' }), anItem({ tax: '-1' })] });
    expect(refusal(order)).toEqual(invalid('items[1].tax'));
  });

  test('is refused in the line at fault, by its place', () => {
    const order = anOrder({ items: [anItem(), anItem(), anItem({ total: '81.01' })] });
    expect(refusal(order)).toEqual(mismatch('items[2].total'));
  });
});

describe('a decimal', () => {
  const WRONG: [string, string | number][] = [
    ['1e3', '1e3'],
    ['1,000', '1,000'],
    ['1 000', '1 000'],
    ["1'000", "1'000"],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['81 as a number', 81],
    ['0 as a number', 0],
    ['81.5 as a number', 81.5],
    ['-0.00', '-0.00'],
    ['-81', '-81'],
    ['+81', '+81'],
    [' 81', ' 81'],
    ['81 with a space behind', '81 '],
    ['81 with a line behind', '81\n'],
    ['081.00', '081.00'],
    ['00', '00'],
    ['.5', '.5'],
    ['81.', '81.'],
    ['1.2.3', '1.2.3'],
    ['0x51', '0x51'],
    ['eighty-one in Arabic digits', '٨١'],
    ['eighty-one in full-width digits', '８１'],
    ['nothing', ''],
    ['sixty-five digits', '1'.repeat(65)],
    ['a million digits', '1'.repeat(1_000_000)],
  ];
  const inHeader = ['subtotal', 'discount', 'tax', 'total'] as const;
  const inLine = ['quantity', 'unit_price', 'discount', 'tax', 'total'] as const;

  test.each(WRONG)('is never repaired: %s', (_, value) => {
    for (const name of inHeader) {
      expect(refusal(anOrder({ [name]: value })), name).toEqual(invalid(name));
    }
    for (const name of inLine) {
      const order = anOrder({ items: [anItem({ [name]: value })] });
      expect(refusal(order), name).toEqual(invalid(`items[0].${name}`));
    }
  });

  test.each(['quantity', 'unit_price'] as const)('as %s has at most 6 decimals and 13 digits', (name) => {
    const withValue = (value: string) => refusal(anOrder({ items: [anItem({ [name]: value })] }));
    const field = `items[0].${name}`;
    expect(withValue('1.0000001')).toEqual(invalid(field));
    expect(withValue('12345678901234')).toEqual(invalid(field));
    expect(withValue('1.000001')).not.toEqual(invalid(field));
    expect(withValue('1234567890123.000001')).not.toEqual(invalid(field));
  });

  test('is a quantity only if it is greater than 0', () => {
    for (const quantity of ['0', '0.00', '0.000000']) {
      expect(refusal(anOrder({ items: [anItem({ quantity })] }))).toEqual(invalid('items[0].quantity'));
    }
  });

  test.each([
    ['JPY', '1.1'],
    ['USD', '1.001'],
    ['KWD', '1.0001'],
    ['CLF', '1.00001'],
  ])('of %s has no more decimals than its minor unit', (currency, value) => {
    for (const name of inHeader) expect(refusal(anOrder({ currency, [name]: value }))).toEqual(invalid(name));
    const whole = { currency, subtotal: '80', discount: '5', tax: '6', total: '81' };
    for (const name of ['discount', 'tax', 'total']) {
      const order = anOrder({ ...whole, items: [anItem({ [name]: value })] });
      expect(refusal(order), name).toEqual(invalid(`items[0].${name}`));
    }
  });
});

describe('currency and lines', () => {
  test.each(['', 'usd', 'US', 'USDD', 'XXX', 'XTS', 'XAU', 'EUR ', '€', '840', 'ABC'])(
    'of an order in %j are refused by its currency',
    (currency) => {
      expect(refusal(anOrder({ currency }))).toEqual(invalid('currency'));
    },
  );

  test('are at least one and at most 5,000', () => {
    const many = (count: number) =>
      anOrder({
        items: Array.from({ length: count }, () => anItem()),
        subtotal: String(80 * count),
        discount: String(5 * count),
        tax: String(6 * count),
        total: String(81 * count),
      });
    expect(refusal(many(0))).toEqual(invalid('items'));
    expect(refusal(many(5_000))).toBe('accepted');
    expect(refusal(many(5_001))).toEqual(invalid('items'));
  });

  test('keep their order and their texts', () => {
    const items = ['third', 'first', 'second'].map((description) => anItem({ description }));
    const order = anOrder({ items, subtotal: '240', discount: '15', tax: '18', total: '243' });
    expect(snapshot(order).lines.map(({ description }) => description)).toEqual(['third', 'first', 'second']);
  });
});
