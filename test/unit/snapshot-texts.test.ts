import { describe, expect, test } from 'vitest';
import { snapshotOrder } from '../../src/invoices/snapshot-order.js';
import { AppError } from '../../src/kernel/errors.js';
import { type OrderJson, parseOrder } from '../../src/orders/parse-order.js';
import { anItem, anOrder } from '../helpers/orders.js';

const snapshot = (order: OrderJson) => snapshotOrder(parseOrder(order, order.order_id));

function fieldRefused(order: OrderJson): string | undefined {
  try {
    snapshot(order);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
    return error.details.field;
  }
}

const { customer } = anOrder();
const withCustomer = (changes: Partial<OrderJson['customer']>) =>
  anOrder({ customer: { ...customer, ...changes } });
const withAddress = (changes: Partial<OrderJson['customer']['address']>) =>
  withCustomer({ address: { ...customer.address, ...changes } });
const withItem = (changes: Parameters<typeof anItem>[0]) => anOrder({ items: [anItem(changes)] });

/** Every text of an order but the description, and the longest that it may be. */
const SHORT_TEXTS: [string, (text: string) => OrderJson][] = [
  ['customer_id', (text) => anOrder({ customer_id: text })],
  ['customer.name', (name) => withCustomer({ name })],
  ['customer.email', (email) => withCustomer({ email })],
  ['customer.tax_id', (tax_id) => withCustomer({ tax_id })],
  ['customer.address.line1', (line1) => withAddress({ line1 })],
  ['customer.address.line2', (line2) => withAddress({ line2 })],
  ['customer.address.city', (city) => withAddress({ city })],
  ['customer.address.region', (region) => withAddress({ region })],
  ['customer.address.postal_code', (postal_code) => withAddress({ postal_code })],
  ['customer.address.country', (country) => withAddress({ country })],
  ['items[0].product_id', (product_id) => withItem({ product_id })],
];
const DESCRIPTION = 'items[0].description';
const TEXTS: typeof SHORT_TEXTS = [
  ...SHORT_TEXTS,
  [DESCRIPTION, (description: string) => withItem({ description })],
];

describe.each(TEXTS)('%s', (field, withText) => {
  test('may hold no control character', () => {
    const controls = [
      '\0',
      '\x01',
      '\b',
      '\t',
      '\v',
      '\f',
      '\r',
      '\x1b',
      '\x1f',
      '\x7f',
      '\x80',
      '\x85',
      '\x9f',
    ];
    for (const control of controls) {
      for (const text of [`a${control}b`, control, `a\r\nb`]) {
        expect(fieldRefused(withText(text)), JSON.stringify(text)).toBe(field);
      }
    }
  });

  test('may hold no half of a surrogate pair', () => {
    for (const half of ['\ud83d', '\ude00', '\ude00\ud83d', 'a\ud83d', '\ude00b', '\ud83d\ud83d\ude00']) {
      expect(fieldRefused(withText(half)), JSON.stringify(half)).toBe(field);
    }
  });

  test('is counted in code points', () => {
    const longest = field === DESCRIPTION ? 1_000 : 300;
    for (const character of ['a', 'ż', '東', '😀', '𝒜']) {
      expect(fieldRefused(withText(character.repeat(longest))), character).toBeUndefined();
      expect(fieldRefused(withText(character.repeat(longest + 1))), character).toBe(field);
    }
    expect(fieldRefused(withText('a'.repeat(5_000_000)))).toBe(field);
  });

  test('is text in any script, kept as it is', () => {
    const texts = [
      'Zażółć gęślą jaźń',
      'Αθήνα · Київ',
      '東京都千代田区 서울특별시',
      'שלום רב',
      'مرحبا بالعالم 123',
      '₹ ₽ ₦ ₺ €',
      '<b>not bold</b> & "quotes" \\ \' ` #{x} %s',
      'zero\u200bwidth\u200d\u2060\ufeff',
      '\u202eover\u202cride \u2066isolate\u2069 \u200f\u200e',
      '👩‍👩‍👧‍👦 🇵🇱 e\u0301 \u00e9',
      '\u2028line\u2029paragraph',
      '  two spaces around  ',
      '\ue000 private, \ufffd replaced, \uffff no character',
    ];
    for (const text of texts) {
      expect(JSON.stringify(snapshot(withText(text))), text).toContain(JSON.stringify(text));
    }
  });
});

test.each(SHORT_TEXTS)('%s holds no newline', (field, withText) => {
  expect(fieldRefused(withText('a\nb'))).toBe(field);
  expect(fieldRefused(withText('\n'))).toBe(field);
});

test('a description holds newlines, as many as it likes', () => {
  const description = Array.from({ length: 45 }, (_, line) => `line ${line + 1}`).join('\n');
  expect(snapshot(withItem({ description })).lines[0]?.description).toBe(description);
  expect(fieldRefused(withItem({ description: 'a\r\nb' }))).toBe(DESCRIPTION);
});

test('a description is not empty', () => {
  expect(fieldRefused(withItem({ description: '' }))).toBe(DESCRIPTION);
});

test('what is null stays null', () => {
  const nothing = { email: null, tax_id: null };
  const address = { ...customer.address, line2: null, region: null, postal_code: null };
  const frozen = snapshot(withCustomer({ ...nothing, address }));
  expect(frozen.customer).toMatchObject({
    email: null,
    taxId: null,
    address: { line2: null, region: null, postalCode: null },
  });
});

test('a snapshot shares nothing with its order', () => {
  const order = parseOrder(anOrder({ order_id: 'ORD-1' }), 'ORD-1');
  const frozen = snapshotOrder(order);
  const before = structuredClone(frozen);
  order.customer.name = 'Somebody Else';
  order.customer.address.city = 'Elsewhere';
  order.items.push(...order.items);
  for (const item of order.items) item.description = 'Something else';
  expect(frozen).toEqual(before);
});
