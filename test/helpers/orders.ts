import { randomUUID } from 'node:crypto';
import type { OrderJson } from '../../src/orders/parse-order.js';

type Item = OrderJson['items'][number];

export const anItem = (changes: Partial<Item> = {}): Item => ({
  product_id: 'SKU-44',
  description: 'Desk lamp',
  quantity: '2',
  unit_price: '40.00',
  discount: '5.00',
  tax: '6.00',
  total: '81.00',
  ...changes,
});

/** The order of the design: one line, USD 80.00 − 5.00 + 6.00 = 81.00. Each has an id of its own. */
export const anOrder = (changes: Partial<OrderJson> = {}): OrderJson => ({
  order_id: `ORD-${randomUUID()}`,
  customer_id: 'u_alice',
  status: 'PAID',
  currency: 'USD',
  customer: {
    name: 'Alice Example',
    email: 'alice@example.com',
    tax_id: null,
    address: {
      line1: '1 Main St',
      line2: null,
      city: 'Springfield',
      region: 'IL',
      postal_code: '62701',
      country: 'US',
    },
  },
  items: [anItem()],
  subtotal: '80.00',
  discount: '5.00',
  tax: '6.00',
  total: '81.00',
  ...changes,
});

/** An order of one line without discount or tax, whose header is what the line says. */
export const aPlainOrder = (
  currency: string,
  line: { quantity: string; unit_price: string; total: string },
  changes: Partial<OrderJson> = {},
): OrderJson =>
  anOrder({
    currency,
    items: [anItem({ ...line, discount: '0', tax: '0' })],
    subtotal: line.total,
    discount: '0',
    tax: '0',
    total: line.total,
    ...changes,
  });
