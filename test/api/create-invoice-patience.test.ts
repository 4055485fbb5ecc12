import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockWaits } from '../helpers/database.js';
import { tokenOf } from '../helpers/graphql-client.js';
import { anOrder } from '../helpers/orders.js';
import { waitFor } from '../helpers/service-process.js';
import { expectRefusal, useShop } from './shop.js';

const { api, database, orders, checkout } = useShop({ REQUEST_TIMEOUT_MS: '1000' });

/** The request for an order that the Order Service was asked for and has not answered yet. */
let asked: PromiseWithResolvers<ServerResponse>;

beforeEach(() => {
  asked = Promise.withResolvers();
  orders.answer((_, response) => asked.resolve(response));
});

const countOfInvoices = async () =>
  Number((await database.sql.query('SELECT count(*) FROM invoices')).rows[0].count);

const mutation = (orderId: string) =>
  `mutation { createInvoice(input: { orderId: "${orderId}", idempotencyKey: "${randomUUID()}" }) { replayed } }`;

describe('a caller who hangs up while the order is fetched', () => {
  test('is forgotten: the fetch ends, and nothing is issued', async () => {
    const order = orders.add(anOrder());
    const hangUp = new AbortController();
    const answer = fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await tokenOf('service', 'checkout')}`,
      },
      body: JSON.stringify({ query: mutation(order.order_id) }),
      signal: hangUp.signal,
    });
    const response = await asked.promise;
    hangUp.abort();
    await expect(answer).rejects.toThrow();
    await waitFor(() => response.destroyed || response.closed);
    expect(await countOfInvoices()).toBe(0);
  });
});

describe('a caller whose time is up while the order is fetched', () => {
  test('is told so, and the order that comes too late is not issued', async () => {
    const order = orders.add(anOrder());
    expectRefusal(await checkout(mutation(order.order_id)), 'DEPENDENCY_UNAVAILABLE', 503);
    const response = await asked.promise;
    response.end(JSON.stringify(order));
    orders.answerOrders();
    // A later create of another order passes through the same queue: whatever came before it has left.
    expect((await checkout(mutation(orders.add(anOrder()).order_id))).errors).toBeUndefined();
    const { rows } = await database.sql.query('SELECT order_id FROM invoices');
    expect(rows.map(({ order_id }) => order_id)).not.toContain(order.order_id);
  });
});

describe('callers whose time is up while somebody holds the counter', () => {
  test('and whose set has not left yet spend nothing, ever', async () => {
    orders.answerOrders();
    // So that there is a counter to hold.
    expect((await checkout(mutation(orders.add(anOrder()).order_id))).errors).toBeUndefined();
    const holder = await database.sql.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM invoice_number_counters FOR UPDATE');
    const [left, waiting] = [orders.add(anOrder()).order_id, orders.add(anOrder()).order_id];
    const first = checkout(mutation(left));
    await lockWaits(database.sql);
    expectRefusal(await checkout(mutation(waiting)), 'DEPENDENCY_UNAVAILABLE', 503);
    expectRefusal(await first, 'DEPENDENCY_UNAVAILABLE', 503);
    await holder.query('COMMIT');
    holder.release();

    const last = orders.add(anOrder()).order_id;
    await waitFor(async () => !(await checkout(mutation(last))).errors);
    const { rows } = await database.sql.query('SELECT order_id FROM invoices');
    expect(rows.map(({ order_id }) => order_id)).not.toContain(waiting);
  });
});
