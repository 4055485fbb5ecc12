import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { useApi } from '../helpers/api.js';
import { useDatabase } from '../helpers/database.js';
import { codeOf } from '../helpers/graphql-client.js';
import { useOrderService } from '../helpers/order-service.js';
import { anItem, anOrder } from '../helpers/orders.js';

const database = useDatabase();
const orders = useOrderService();
const api = useApi(() => ({ DATABASE_URL: database.url, ORDER_SERVICE_URL: orders.url }));
const alice = api.as('customer', 'u_alice');
const mallory = api.as('customer', 'u_mallory');
const checkout = api.as('service', 'checkout');

const create = (send: typeof alice, orderId: string, idempotencyKey: string = randomUUID()) =>
  api.createInvoice(send, { orderId, idempotencyKey });

/** What a refused create must leave as it was: rows, numbers and keys. */
async function books() {
  const { rows } = await database.sql.query(`
    SELECT (SELECT count(*) FROM invoices) AS invoices, (SELECT count(*) FROM invoice_items) AS items,
      (SELECT count(*) FROM idempotency_records) AS keys, (SELECT count(*) FROM outbox_events) AS events,
      (SELECT sum(next_number) FROM invoice_number_counters) AS numbers`);
  return rows[0];
}

const MIB = 1024 * 1024;

/** What ORD-1 is asked for would be issued, were it not for how it is answered. */
const GOOD = JSON.stringify(anOrder({ order_id: 'ORD-1' }));

beforeEach(() => orders.answerOrders());

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

describe('an idempotency key', () => {
  test('gives the original invoice back, also when the Order Service is down', async () => {
    const order = orders.add(anOrder());
    const first = await create(alice, order.order_id, 'key-1');
    orders.answer((_, response) => response.destroy());
    const again = await create(alice, order.order_id, 'key-1');
    expect(again.data?.createInvoice.replayed).toBe(true);
    expect(again.data?.createInvoice.invoice).toEqual(first.data?.createInvoice.invoice);
  });

  test('with another order is a conflict, and asks nobody for that order', async () => {
    const order = orders.add(anOrder());
    await create(alice, order.order_id, 'key-2');
    const asked = orders.requests.length;
    const other = await create(alice, orders.add(anOrder()).order_id, 'key-2');
    expect(codeOf(other)).toBe('IDEMPOTENCY_CONFLICT');
    expect(other.errors?.[0]?.extensions.status).toBe(409);
    expect(orders.requests.length).toBe(asked);
  });

  test('belongs to its role and subject', async () => {
    const [one, two] = [orders.add(anOrder()), orders.add(anOrder({ customer_id: 'u_mallory' }))];
    await create(alice, one.order_id, 'key-3');
    expect((await create(mallory, two.order_id, 'key-3')).data?.createInvoice.replayed).toBe(false);
    const three = orders.add(anOrder());
    const sameSubject = api.as('service', 'u_alice');
    expect((await create(sameSubject, three.order_id, 'key-3')).data?.createInvoice.replayed).toBe(false);
  });

  test('is left free by a refused create', async () => {
    const order = orders.add(anOrder({ status: 'PENDING' }));
    expect(codeOf(await create(alice, order.order_id, 'key-4'))).toBe('ORDER_NOT_PAID');
    const other = orders.add(anOrder());
    expect((await create(alice, other.order_id, 'key-4')).data?.createInvoice.replayed).toBe(false);
  });

  test.each([
    ['empty', ''],
    ['with a space', 'a b'],
    ['not ASCII', 'schlüssel'],
    ['of 256 characters', 'k'.repeat(256)],
  ])('%s is refused by name', async (_, key) => {
    const answer = await create(alice, orders.add(anOrder()).order_id, key);
    expect(answer.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'idempotencyKey',
    });
  });

  test('may come as a header, which must not contradict the argument', async () => {
    const order = orders.add(anOrder());
    const headers = { 'idempotency-key': 'header-1' };
    const first = await api.createInvoice(alice, { orderId: order.order_id }, { headers });
    expect(first.data?.createInvoice.replayed).toBe(false);
    const again = await create(alice, order.order_id, 'header-1');
    expect(again.data?.createInvoice.replayed).toBe(true);
    const both = await api.createInvoice(
      alice,
      { orderId: order.order_id, idempotencyKey: 'another' },
      { headers },
    );
    expect(both.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', field: 'idempotencyKey' });
    const neither = await api.createInvoice(alice, { orderId: order.order_id });
    expect(neither.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'idempotencyKey',
    });
  });

  test('as a header is not shared by two creates of one request', async () => {
    const [one, two] = [orders.add(anOrder()), orders.add(anOrder())];
    const { errors } = await alice(
      `mutation ($one: ID!, $two: ID!) {
        a: createInvoice(input: { orderId: $one }) { replayed }
        ... on Mutation { b: createInvoice(input: { orderId: $two }) { replayed } }
      }`,
      { variables: { one: one.order_id, two: two.order_id }, headers: { 'idempotency-key': 'shared' } },
    );
    expect(errors?.map(({ extensions }) => extensions.code)).toContain('VALIDATION_ERROR');
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
    const answer = await create(mallory, order.order_id);
    expect(codeOf(answer)).toBe('UNAUTHORIZED_INVOICE_ACCESS');
    expect(JSON.stringify(answer.errors)).not.toMatch(/INV-|inv_/);
  });
});

describe('nothing is spent', () => {
  const refusals: [string, string, () => string][] = [
    [
      'another customer’s order',
      'UNAUTHORIZED_INVOICE_ACCESS',
      () => orders.add(anOrder({ customer_id: 'u_bob' })).order_id,
    ],
    [
      'an order that is not paid',
      'ORDER_NOT_PAID',
      () => orders.add(anOrder({ status: 'PENDING' })).order_id,
    ],
    ['an order that does not exist', 'ORDER_NOT_FOUND', () => 'ORD-NONE'],
    ['a total one cent off', 'TOTALS_MISMATCH', () => orders.add(anOrder({ total: '81.01' })).order_id],
    [
      'a line one cent off',
      'TOTALS_MISMATCH',
      () => orders.add(anOrder({ items: [anItem({ total: '81.01' })] })).order_id,
    ],
    [
      'a number where a string belongs',
      'VALIDATION_ERROR',
      () => orders.add(anOrder({ total: 81 })).order_id,
    ],
    ['an unknown currency', 'VALIDATION_ERROR', () => orders.add(anOrder({ currency: 'XXX' })).order_id],
    ['an order without lines', 'VALIDATION_ERROR', () => orders.add(anOrder({ items: [] })).order_id],
    ['an order id that is a path', 'VALIDATION_ERROR', () => '../admin'],
  ];

  test.each(refusals)('by %s: %s', async (_, code, orderId) => {
    const before = await books();
    const answer = await create(alice, orderId());
    expect(codeOf(answer)).toBe(code);
    expect(answer.data).toBeNull();
    expect(await books()).toEqual(before);
  });

  const faults: [string, Parameters<typeof orders.answer>[0]][] = [
    ['hangs', () => undefined],
    ['hangs after its headers', (_, response) => void response.writeHead(200).write('{')],
    ['resets the connection', (request) => request.socket.destroy()],
    ['answers 500', (_, response) => response.writeHead(500).end('{}')],
    ['answers HTML', (_, response) => response.writeHead(200).end('<html></html>')],
    ['answers another shape', (_, response) => response.writeHead(200).end('{"order_id":"ORD-1"}')],
    ['answers another order', (_, response) => response.writeHead(200).end(JSON.stringify(anOrder()))],
    ['redirects to a good answer', redirect],
    [
      'answers a good order of more than 8 MiB',
      (_, response) => response.end(`${GOOD}${' '.repeat(9 * MIB)}`),
    ],
    ['answers without end', (_, response) => flood(response)],
  ];

  test.each(faults)('by an Order Service that %s', async (_, fault) => {
    const before = await books();
    orders.answer(fault);
    const answer = await create(alice, 'ORD-1');
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE', status: 503 });
    expect(await books()).toEqual(before);
  });
});

function redirect(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/elsewhere') response.end(GOOD);
  else response.writeHead(302, { location: '/elsewhere' }).end();
}

/** Without an end, as fast as it is taken. */
function flood(response: ServerResponse): void {
  response.writeHead(200);
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

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

  test('20 callers with one key get one invoice', async () => {
    const order = orders.add(anOrder());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create(checkout, order.order_id, 'one-key')),
    );
    const invoices = answers.map(({ data }) => data?.createInvoice.invoice);
    expect(new Set(invoices.map((invoice) => JSON.stringify(invoice))).size).toBe(1);
    expect(answers.filter(({ data }) => data?.createInvoice.replayed === false)).toHaveLength(1);
  });
});
