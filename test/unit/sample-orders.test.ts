import { expect, test } from 'vitest';
import { snapshotOrder } from '../../src/invoices/snapshot-order.js';
import { makeSampleOrders } from '../../src/orders/sample-orders.js';
import { SAMPLE_ORDERS } from '../../src/orders/samples.js';

const orders = makeSampleOrders(SAMPLE_ORDERS);

test.each(SAMPLE_ORDERS.map(({ order_id, currency }) => [order_id, currency]))(
  '%s in %s keeps every rule of the books',
  async (orderId) => {
    expect(snapshotOrder(await orders.fetchOrder(orderId))).toMatchObject({ orderId });
  },
);

test('they have ids of their own, and all but one of them are paid', () => {
  expect(new Set(SAMPLE_ORDERS.map(({ order_id }) => order_id)).size).toBe(SAMPLE_ORDERS.length);
  expect(SAMPLE_ORDERS.filter(({ status }) => status !== 'PAID')).toHaveLength(1);
});

test('ORD-123 of u_alice has the amounts of the design', async () => {
  expect(snapshotOrder(await orders.fetchOrder('ORD-123'))).toMatchObject({
    customerId: 'u_alice',
    currency: 'USD',
    subtotal: '80.00',
    discount: '5.00',
    tax: '6.00',
    total: '81.00',
  });
});

test('there are orders in currencies of 0, 2, 3 and 4 decimals, of one line and of many', async () => {
  const snapshots = await Promise.all(
    SAMPLE_ORDERS.map(async ({ order_id }) => snapshotOrder(await orders.fetchOrder(order_id))),
  );
  expect(new Set(snapshots.map(({ minorUnit }) => minorUnit))).toEqual(new Set([0, 2, 3, 4]));
  const counts = snapshots.map(({ lines }) => lines.length);
  expect(Math.min(...counts)).toBe(1);
  expect(Math.max(...counts)).toBeGreaterThan(50);
});
