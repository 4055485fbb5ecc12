import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeHttpOrders } from '../../src/orders/http-orders.js';
import type { OrderSource } from '../../src/orders/order-source.js';
import type { OrderJson } from '../../src/orders/parse-order.js';
import { makeSampleOrders } from '../../src/orders/sample-orders.js';
import { useOrderService } from '../helpers/order-service.js';
import { anItem, anOrder } from '../helpers/orders.js';

const service = useOrderService();
beforeEach(() => service.answerOrders());

const unavailable = {
  code: 'DEPENDENCY_UNAVAILABLE',
  status: 503,
  message: 'The Order Service is unavailable',
  details: {},
};

/** An order of a wrong shape, as no compiler lets us write it. */
const broken = (changes: Record<string, unknown>) => ({ ...anOrder(), ...changes }) as OrderJson;
const brokenItem = (changes: Record<string, unknown>) => broken({ items: [{ ...anItem(), ...changes }] });

describe.each<[string, (order: OrderJson) => OrderSource]>([
  ['sample orders', (order) => makeSampleOrders([order])],
  [
    'orders over HTTP',
    (order) => {
      service.add(order);
      return makeHttpOrders({ baseUrl: service.url });
    },
  ],
])('%s', (_, sourceOf) => {
  test('tell an order by its id, in names of ours', async () => {
    const order = anOrder();
    expect(await sourceOf(order).fetchOrder(order.order_id)).toEqual({
      orderId: order.order_id,
      customerId: 'u_alice',
      status: 'PAID',
      currency: 'USD',
      customer: {
        name: 'Alice Example',
        email: 'alice@example.com',
        taxId: null,
        address: {
          line1: '1 Main St',
          line2: null,
          city: 'Springfield',
          region: 'IL',
          postalCode: '62701',
          country: 'US',
        },
      },
      items: [
        {
          productId: 'SKU-44',
          description: 'Desk lamp',
          quantity: '2',
          unitPrice: '40.00',
          discount: '5.00',
          tax: '6.00',
          total: '81.00',
        },
      ],
      subtotal: '80.00',
      discount: '5.00',
      tax: '6.00',
      total: '81.00',
    });
  });

  test('judge no value: what is not paid, does not add up or is a number comes as it is', async () => {
    const order = anOrder({
      status: 'REFUNDED',
      currency: 'nonsense',
      total: 81,
      subtotal: '-1e3',
      items: [],
    });
    expect(await sourceOf(order).fetchOrder(order.order_id)).toMatchObject({
      status: 'REFUNDED',
      currency: 'nonsense',
      total: 81,
      subtotal: '-1e3',
      items: [],
    });
  });

  test('keep every character of a text', async () => {
    const description = 'Żółw 東京 \u202e\u200b 😀 <b>&amp;"\n\u0000';
    const order = anOrder({ items: [anItem({ description })] });
    expect((await sourceOf(order).fetchOrder(order.order_id)).items[0]?.description).toBe(description);
  });

  test('ignore what they do not know', async () => {
    const order = broken({ note: 'gift', items: [{ ...anItem(), colour: 'red' }], totals: { vat: 1 } });
    const fetched = await sourceOf(order).fetchOrder(order.order_id);
    expect(JSON.stringify(fetched)).not.toMatch(/gift|colour|vat/);
  });

  test.each(['ORD-NONE', 'ord-none', '__proto__', 'constructor'])('know no order %s', async (id) => {
    await expect(sourceOf(anOrder()).fetchOrder(id)).rejects.toMatchObject({
      code: 'ORDER_NOT_FOUND',
      status: 404,
    });
  });

  test.each<[string, OrderJson]>([
    ['no status', broken({ status: undefined })],
    ['null for a currency', broken({ currency: null })],
    ['no customer', broken({ customer: null })],
    ['no name', broken({ customer: { ...anOrder().customer, name: undefined } })],
    ['an email left out', broken({ customer: { ...anOrder().customer, email: undefined } })],
    ['no country', broken({ customer: { ...anOrder().customer, address: { line1: 'x', city: 'y' } } })],
    ['an object for items', broken({ items: {} })],
    ['an item that is null', broken({ items: [null] })],
    ['no description', brokenItem({ description: undefined })],
    ['null for a total', broken({ total: null })],
    ['true for a tax', brokenItem({ tax: true })],
    ['a list for a quantity', brokenItem({ quantity: ['2'] })],
    ['a number for a customer', broken({ customer_id: 42 })],
  ])('are unavailable where an order has %s', async (__, order) => {
    await expect(sourceOf(order).fetchOrder(order.order_id)).rejects.toMatchObject(unavailable);
  });
});

describe('orders over HTTP', () => {
  const fetchOrder = (id: string, path = '') =>
    makeHttpOrders({ baseUrl: `${service.url}${path}` }).fetchOrder(id);

  test('are asked for at /orders/{id}, below the path of the settings', async () => {
    const order = service.add(anOrder());
    const asked = service.requests.length;
    await fetchOrder(order.order_id);
    await fetchOrder(order.order_id, '/shop//');
    expect(service.requests.slice(asked)).toEqual([
      `/orders/${order.order_id}`,
      `/shop/orders/${order.order_id}`,
    ]);
  });

  test.each(['a/b', '../admin', 'a?b=c', 'a#b', 'ż 1'])(
    'are asked for nowhere else by the id %j',
    async (id) => {
      const asked = service.requests.length;
      await expect(fetchOrder(id)).rejects.toMatchObject({ code: 'ORDER_NOT_FOUND' });
      expect(service.requests.slice(asked)).toEqual([`/orders/${encodeURIComponent(id)}`]);
    },
  );

  const json = (value: unknown) => (_: unknown, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const status = (code: number, headers = {}) => {
    return (_: unknown, response: ServerResponse) =>
      void response.writeHead(code, headers).end(JSON.stringify(anOrder({ order_id: 'ORD-1' })));
  };

  test.each<[string, Parameters<typeof service.answer>[0]]>([
    ['never answers', () => undefined],
    ['never ends its answer', (_, response) => void response.writeHead(200).write('{"order_id":')],
    ['resets the connection', (request) => request.socket.destroy()],
    ['cuts its answer', (_, response) => cut(response)],
    ['answers 500', status(500)],
    ['answers 503', status(503)],
    ['answers 401', status(401)],
    ['answers 429', status(429, { 'retry-after': '1' })],
    ['answers 201', status(201)],
    ['answers 204', (_, response) => void response.writeHead(204).end()],
    ['answers 206', status(206)],
    ['redirects to the right order', redirectTo('/elsewhere/ORD-1', 302)],
    ['redirects permanently to the right order', redirectTo('/elsewhere/ORD-1', 308)],
    ['answers nothing', (_, response) => void response.writeHead(200).end()],
    ['answers HTML', (_, response) => void response.writeHead(200).end('<html></html>')],
    ['answers half a document', (_, response) => void response.writeHead(200).end('{"order_id":"ORD-1"')],
    ['answers what is not UTF-8', (_, response) => latin1(response)],
    ['answers null', json(null)],
    ['answers a list', json([anOrder({ order_id: 'ORD-1' })])],
    ['answers a number', json(81)],
    ['answers another order', json(anOrder({ order_id: 'ORD-2' }))],
    ['answers the same id in other letters', json(anOrder({ order_id: 'ord-1' }))],
    ['answers more than 8 MiB', json(anOrder({ order_id: 'ORD-1', status: 'x'.repeat(8 * 1024 * 1024) }))],
    ['answers without end', (_, response) => flood(response)],
  ])('are unavailable where their service %s', async (_, fault) => {
    service.answer(fault);
    await expect(fetchOrder('ORD-1')).rejects.toMatchObject(unavailable);
  });

  test('are not asked for a caller whose patience is over', async () => {
    const order = service.add(anOrder());
    const asked = service.requests.length;
    const patience = AbortSignal.abort(new Error('gone'));
    const source = makeHttpOrders({ baseUrl: service.url });
    await expect(source.fetchOrder(order.order_id, patience)).rejects.toMatchObject(unavailable);
    expect(service.requests.length).toBe(asked);
  });

  test('are unavailable where nothing listens', async () => {
    const orders = makeHttpOrders({ baseUrl: 'http://127.0.0.1:1' });
    await expect(orders.fetchOrder('ORD-1')).rejects.toMatchObject(unavailable);
  });

  test('may be as large as 5,000 long lines', async () => {
    const items = Array.from({ length: 5_000 }, () => anItem({ description: 'ż'.repeat(700) }));
    const order = service.add(anOrder({ items }));
    expect((await fetchOrder(order.order_id)).items).toHaveLength(5_000);
  });
});

/** Whoever follows finds the order that was asked for. */
function redirectTo(location: string, status: number) {
  return (request: IncomingMessage, response: ServerResponse) => {
    if (request.url !== location) return void response.writeHead(status, { location }).end();
    response.writeHead(200).end(JSON.stringify(anOrder({ order_id: 'ORD-1' })));
  };
}

/** An answer that breaks off before the length that it announced. */
function cut(response: ServerResponse): void {
  const body = JSON.stringify(anOrder({ order_id: 'ORD-1' }));
  response.writeHead(200, { 'content-length': String(body.length + 1) });
  response.write(body, () => response.destroy());
}

function latin1(response: ServerResponse): void {
  const customer = { ...anOrder().customer, name: 'Zoë' };
  response
    .writeHead(200)
    .end(Buffer.from(JSON.stringify(anOrder({ order_id: 'ORD-1', customer })), 'latin1'));
}

function flood(response: ServerResponse): void {
  response.writeHead(200);
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}
