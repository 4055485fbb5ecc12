import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Acknowledged, expectWholeBooks, outcomeOf } from '../helpers/books.js';
import { startCheckout } from '../helpers/checkout.js';
import { useDatabase } from '../helpers/database.js';
import { type GraphQLAnswer, type Send, sender, tokenOf } from '../helpers/graphql-client.js';
import { useOrderService } from '../helpers/order-service.js';
import { anOrder } from '../helpers/orders.js';
import { useServiceProcesses } from '../helpers/service-process.js';

const database = useDatabase();
const orders = useOrderService();
const startService = useServiceProcesses();
/** Two API processes on one database, each with a pool of five. */
const checkouts: Send[] = [];
const admins: Send[] = [];
const acknowledged: Acknowledged[] = [];

beforeAll(async () => {
  for (let count = 0; count < 2; count += 1) {
    const { service, send } = await startCheckout(startService, orders, {
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: '5',
    });
    checkouts.push(send);
    admins.push(sender(service.url, `Bearer ${await tokenOf('admin', 'u_admin')}`));
  }
});

const CREATE = `mutation ($input: CreateInvoiceInput!) {
  createInvoice(input: $input) { replayed invoice { id invoiceNumber orderId status } }
}`;

/** By one process or the other, by turns. */
async function create(turn: number, orderId: string, idempotencyKey: string = randomUUID()) {
  const send = checkouts[turn % 2] as Send;
  const answer = await send(CREATE, { variables: { input: { orderId, idempotencyKey } } });
  const outcome = outcomeOf(answer);
  if (typeof outcome !== 'string') acknowledged.push(outcome);
  return answer;
}

const newOrder = () => orders.add(anOrder()).order_id;
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

function invoicesOf(answers: GraphQLAnswer[]): Acknowledged[] {
  const outcomes = answers.map(outcomeOf);
  expect(outcomes.filter((outcome) => typeof outcome === 'string')).toEqual([]);
  return outcomes as Acknowledged[];
}

const countOf = (values: unknown[]) =>
  Object.fromEntries([...new Set(values)].map((value) => [value, values.filter((v) => v === value).length]));

test('200 creates at once of 200 orders take 200 consecutive numbers, and nobody is refused', async () => {
  const invoices = invoicesOf(await Promise.all(many(200, (turn) => create(turn, newOrder()))));
  const numbers = invoices.map(({ invoiceNumber }) => Number(invoiceNumber.slice(-8))).sort((a, b) => a - b);
  expect(numbers).toEqual(many(200, (index) => index + 1));
  await expectWholeBooks(database.sql, acknowledged);
});

test('64 callers of one order with keys of their own make one invoice, and all learn which', async () => {
  const orderId = newOrder();
  const answers = await Promise.all(many(64, (turn) => create(turn, orderId)));
  const [winner] = answers.filter(({ errors }) => !errors).map(({ data }) => data?.createInvoice.invoice);
  const refusals = answers.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions);
  expect(refusals).toHaveLength(63);
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({
      code: 'INVOICE_ALREADY_EXISTS',
      invoiceId: winner.id,
      invoiceNumber: winner.invoiceNumber,
      invoiceStatus: 'FINALIZED',
    });
  }
  await expectWholeBooks(database.sql, acknowledged);
});

test('100 callers with one key get 100 equal answers, one of which issued', async () => {
  const [orderId, key] = [newOrder(), randomUUID()];
  const answers = await Promise.all(many(100, (turn) => create(turn, orderId, key)));
  const [first, ...others] = invoicesOf(answers);
  for (const other of others) expect(other).toEqual(first);
  expect(countOf(answers.map(({ data }) => data?.createInvoice.replayed))).toEqual({ false: 1, true: 99 });
  await expectWholeBooks(database.sql, acknowledged);
});

test('one key with another order, while its first create is still open, is a conflict for the later one', async () => {
  const [slow, quick, key] = [newOrder(), newOrder(), randomUUID()];
  // The Order Service holds the first order back, so that its create stays open after all its first looks.
  const asked = Promise.withResolvers<() => void>();
  orders.answer((request, response) => {
    const id = request.url?.split('/').at(-1) ?? '';
    const answer = () => response.end(JSON.stringify(orders.orders.get(id)));
    if (id === slow) asked.resolve(answer);
    else answer();
  });
  const first = create(0, slow, key);
  const release = await asked.promise;
  expect(outcomeOf(await create(1, quick, key))).toMatchObject({ orderId: quick });
  release();
  expect(outcomeOf(await first)).toBe('IDEMPOTENCY_CONFLICT');
  orders.answerOrders();
  // The conflict spent nothing: that order is still to be had.
  expect(outcomeOf(await create(0, slow))).toMatchObject({ orderId: slow });
  await expectWholeBooks(database.sql, acknowledged);
});

test('creates and cancels that cross leave each order its one invoice, in the state that was told', async () => {
  const issued = invoicesOf(await Promise.all(many(30, (turn) => create(turn, newOrder()))));
  const cancel = (turn: number, invoiceId: string) =>
    (admins[turn % 2] as Send)(
      `mutation ($input: CancelInvoiceInput!) { cancelInvoice(input: $input) { invoice { status } } }`,
      { variables: { input: { invoiceId, reason: 'crossing' } } },
    );
  const codeOf = ({ errors }: GraphQLAnswer) => errors?.[0]?.extensions.code ?? 'done';
  const each = issued.map(async ({ id, orderId }, turn) => {
    const answers = [cancel(turn, id), cancel(turn + 1, id), create(turn, orderId), create(turn, newOrder())];
    const [one, two, again, other] = await Promise.all(answers);
    return { cancels: [one, two].map((a) => a && codeOf(a)).sort(), again, other };
  });
  for (const { cancels, again, other } of await Promise.all(each)) {
    expect(cancels).toEqual(['INVALID_INVOICE_STATE', 'done']);
    expect(again?.errors?.[0]?.extensions).toMatchObject({
      code: 'INVOICE_ALREADY_EXISTS',
      invoiceStatus: expect.stringMatching(/^(FINALIZED|CANCELLED)$/),
    });
    expect(other?.errors).toBeUndefined();
  }
  const { rows } = await database.sql.query(
    `SELECT count(*)::integer AS cancelled FROM invoices WHERE status = 'CANCELLED' AND version = 2`,
  );
  expect(rows).toEqual([{ cancelled: 30 }]);
  await expectWholeBooks(database.sql, acknowledged);
});

describe('a counter row that somebody holds for 20 s', () => {
  test('makes 300 requests fail in time by name, and all is normal 5 s after', async () => {
    const holder = await database.sql.connect();
    const begin = performance.now();
    const elapsed = () => (performance.now() - begin) / 1_000;
    await holder.query('BEGIN');
    await holder.query('SELECT FROM invoice_number_counters FOR UPDATE');
    const input = many(300, () => ({ orderId: newOrder(), key: randomUUID() }));
    const waits: number[] = [];
    const answers = await Promise.all(
      input.map(async ({ orderId, key }, turn) => {
        const asked = performance.now();
        const answer = await create(turn, orderId, key);
        waits.push((performance.now() - asked) / 1_000);
        return answer;
      }),
    );
    expect(countOf(answers.map(outcomeOf))).toEqual({ DEPENDENCY_UNAVAILABLE: 300 });
    // A request may take 5 s; the rest is room for a busy machine.
    expect(Math.max(...waits)).toBeLessThan(10);
    // Reads go on beside it.
    const read = await (admins[0] as Send)('{ pipeline { pdfPending } }');
    expect(read.errors).toBeUndefined();

    while (elapsed() < 20) await new Promise((resolve) => setTimeout(resolve, 100));
    await holder.query('COMMIT');
    holder.release();
    const released = performance.now();
    const again = await Promise.all(input.map(({ orderId, key }, turn) => create(turn, orderId, key)));
    expect(countOf(again.map((answer) => typeof outcomeOf(answer)))).toEqual({ object: 300 });
    expect((performance.now() - released) / 1_000).toBeLessThan(5);
    await expectWholeBooks(database.sql, acknowledged);
  }, 60_000);
});
