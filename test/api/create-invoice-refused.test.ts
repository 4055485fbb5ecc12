import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { codeOf, type Send } from '../helpers/graphql-client.js';
import { anItem, anOrder } from '../helpers/orders.js';
import { useShop } from './shop.js';

const { api, database, orders, alice } = useShop();

const create = (send: Send, orderId: string, idempotencyKey: string = randomUUID()) =>
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
