import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useApi } from '../helpers/api.js';
import { codeOf, type Send, sender, tokenOf } from '../helpers/graphql-client.js';
import { anOrder } from '../helpers/orders.js';
import { useShop } from './shop.js';

const { api, database, orders, alice, bob, checkout } = useShop();
/** Another service on the same database. */
const second = useApi(() => ({ DATABASE_URL: database.url, ORDER_SERVICE_URL: orders.url }));

const create = (send: Send, orderId: string, idempotencyKey: string = randomUUID()) =>
  api.createInvoice(send, { orderId, idempotencyKey });

describe('a paid order', () => {
  test('becomes a FINALIZED invoice with the amounts that were charged', async () => {
    const order = orders.add(anOrder());
    const { data, errors, status } = await create(alice, order.order_id);
    expect(errors).toBeUndefined();
    expect(status).toBe(200);
    expect(data?.createInvoice).toMatchObject({
      replayed: false,
      invoice: {
        id: expect.stringMatching(/^inv_[0-9a-z]{26}$/),
        invoiceNumber: expect.stringMatching(new RegExp(`^INV-${new Date().getUTCFullYear()}-\\d{8}$`)),
        orderId: order.order_id,
        customerId: 'u_alice',
        status: 'FINALIZED',
        currency: 'USD',
        subtotal: '80.00',
        discount: '5.00',
        tax: '6.00',
        total: '81.00',
        version: 1,
        pdfStatus: 'PENDING',
        pdfErrorCode: null,
        notificationStatus: null,
        cancelledAt: null,
        items: [{ quantity: '2', unitPrice: '40.00', discount: '5.00', tax: '6.00', total: '81.00' }],
        customer: { name: 'Alice Example', address: { city: 'Springfield', line2: null } },
      },
    });
  });

  test('is answered as its row stands afterwards', async () => {
    const order = orders.add(anOrder());
    const { data } = await create(alice, order.order_id);
    const issued = data?.createInvoice.invoice;
    const replay = await create(alice, order.order_id, 'other-key');
    expect(codeOf(replay)).toBe('INVOICE_ALREADY_EXISTS');
    const { rows } = await database.sql.query(
      'SELECT invoice_number, total::text, finalized_at FROM invoices WHERE order_id = $1',
      [order.order_id],
    );
    expect(rows[0].invoice_number).toBe(issued.invoiceNumber);
    expect(rows[0].total).toBe('81.0000');
    expect(rows[0].finalized_at.toISOString()).toBe(issued.finalizedAt);
  });

  test('writes one InvoiceCreated beside itself, with the envelope of the contract', async () => {
    const order = orders.add(anOrder());
    await create(alice, order.order_id);
    const { rows } = await database.sql.query(
      `SELECT e.id, e.event_type, e.payload, e.aggregate_id FROM outbox_events e
       JOIN invoices i ON i.id = e.aggregate_id WHERE i.order_id = $1`,
      [order.order_id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].payload).toEqual({
      event_id: rows[0].id,
      type: 'InvoiceCreated',
      invoice_id: rows[0].aggregate_id,
      order_id: order.order_id,
      customer_id: 'u_alice',
      occurred_at: expect.any(String),
    });
  });

  test('keeps what it froze when customer and prices change', async () => {
    const order = orders.add(anOrder());
    const { data } = await create(alice, order.order_id);
    const issued = data?.createInvoice.invoice;
    orders.add({ ...order, customer: { ...order.customer, name: 'Somebody Else' }, total: '999.00' });
    const { data: later } = await alice(
      'query ($id: ID!) { invoice(id: $id) { total customer { name } items { unitPrice } } }',
      { variables: { id: issued.id } },
    );
    expect(later?.invoice).toEqual({
      total: '81.00',
      customer: { name: 'Alice Example' },
      items: [{ unitPrice: '40.00' }],
    });
  });
});

describe('an order that has its invoice', () => {
  test('is refused to a second key with id, number and status', async () => {
    const order = orders.add(anOrder());
    const first = await create(alice, order.order_id);
    const { id, invoiceNumber } = first.data?.createInvoice.invoice ?? {};
    const second = await create(checkout, order.order_id);
    expect(second.errors?.[0]?.extensions).toMatchObject({
      code: 'INVOICE_ALREADY_EXISTS',
      status: 409,
      invoiceId: id,
      invoiceNumber,
      invoiceStatus: 'FINALIZED',
    });
  });

  test('is told of to nobody who may not read it', async () => {
    const order = orders.add(anOrder());
    await create(alice, order.order_id);
    const answer = await create(bob, order.order_id);
    expect(codeOf(answer)).toBe('UNAUTHORIZED_INVOICE_ACCESS');
    expect(JSON.stringify(answer.errors)).not.toMatch(/INV-|inv_/);
  });
});

describe('races', () => {
  test('20 creates at once take 20 consecutive numbers', async () => {
    const placed = Array.from({ length: 20 }, () => orders.add(anOrder()));
    const answers = await Promise.all(placed.map((order) => create(checkout, order.order_id)));
    expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    const numbers = answers
      .map(({ data }) => Number(data?.createInvoice.invoice.invoiceNumber.slice(-8)))
      .sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  test('20 callers with different keys for one order make one invoice', async () => {
    const order = orders.add(anOrder());
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(checkout, order.order_id)));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    const refused = answers.filter(({ errors }) => errors);
    expect(new Set(refused.map(codeOf))).toEqual(new Set(['INVOICE_ALREADY_EXISTS']));
  });

  test('100 callers with one key, at two processes, get one invoice', async () => {
    const order = orders.add(anOrder());
    const other = await tokenOf('service', 'checkout').then((token) => sender(second.url, `Bearer ${token}`));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, caller) =>
        create(caller % 2 ? checkout : other, order.order_id, 'one-key'),
      ),
    );
    expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    const invoices = answers.map(({ data }) => data?.createInvoice.invoice);
    expect(new Set(invoices.map((invoice) => JSON.stringify(invoice))).size).toBe(1);
    expect(answers.filter(({ data }) => data?.createInvoice.replayed === false)).toHaveLength(1);
  });
});
