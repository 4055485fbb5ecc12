import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { codeOf, type Send } from '../helpers/graphql-client.js';
import { anOrder } from '../helpers/orders.js';
import { useShop } from './shop.js';

const { api, orders, alice, bob } = useShop();

const create = (send: Send, orderId: string, idempotencyKey: string = randomUUID()) =>
  api.createInvoice(send, { orderId, idempotencyKey });

beforeEach(() => orders.answerOrders());

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
    const [one, two] = [orders.add(anOrder()), orders.add(anOrder({ customer_id: 'u_bob' }))];
    await create(alice, one.order_id, 'key-3');
    expect((await create(bob, two.order_id, 'key-3')).data?.createInvoice.replayed).toBe(false);
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
