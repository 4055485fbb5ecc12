import { afterEach, describe, expect, test } from 'vitest';
import { type Acknowledged, expectWholeBooks } from '../helpers/books.js';
import { aWish, type Checkout, create, startCheckout, type Wish } from '../helpers/checkout.js';
import { useDatabase } from '../helpers/database.js';
import { useDatabaseProxy } from '../helpers/database-proxy.js';
import type { Send } from '../helpers/graphql-client.js';
import { useOrderService } from '../helpers/order-service.js';
import { type ServiceProcess, useServiceProcesses, waitFor } from '../helpers/service-process.js';

const database = useDatabase();
const proxy = useDatabaseProxy(database);
const orders = useOrderService();
const startService = useServiceProcesses();
const services: ServiceProcess[] = [];

/** What a client that keeps books of its own knows: what it asked for, and what was acknowledged. */
const acknowledged: Acknowledged[] = [];

afterEach(async () => {
  for (const { child } of services.splice(0)) child.kill('SIGKILL');
  await expectWholeBooks(database.sql, acknowledged);
});

async function start(): Promise<Checkout> {
  const checkout = await startCheckout(startService, orders, { DATABASE_URL: proxy.url });
  services.push(checkout.service);
  return checkout;
}

const newWish = () => aWish(orders);

async function ask(send: Send, wish: Wish): Promise<Acknowledged | string> {
  const outcome = await create(send, wish);
  if (typeof outcome !== 'string') acknowledged.push(outcome);
  return outcome;
}

/** Repeats with the same key, as a client does, until there is an answer that is not "unknown". */
const settle = (send: Send, wish: Wish): Promise<Acknowledged | string> =>
  waitFor(async () => {
    const outcome = await ask(send, wish);
    return outcome !== 'DEPENDENCY_UNAVAILABLE' && outcome !== 'no answer' && outcome;
  });

const invoiceOf = async ({ orderId }: Wish): Promise<string | undefined> =>
  (await database.sql.query('SELECT invoice_number FROM invoices WHERE order_id = $1', [orderId])).rows[0]
    ?.invoice_number;

describe.each([1, 10])(
  '%i creates at once, and the process killed after COMMIT, before the answer',
  (count) => {
    test('are issued, and the same keys find them, five times over', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { service, send } = await start();
        await settle(send, newWish());
        const wishes = Array.from({ length: count }, newWish);
        const committed = proxy.atNext('swallow the answer');
        const answers = Promise.all(wishes.map((wish) => ask(send, wish)));
        await committed;
        service.child.kill('SIGKILL');
        expect(await answers).toContain('no answer');

        const restarted = await start();
        const before = await Promise.all(wishes.map(invoiceOf));
        expect(before.filter(Boolean).length).toBeGreaterThan(0);
        const found = await Promise.all(wishes.map((wish) => settle(restarted.send, wish)));
        found.forEach((invoice, index) => {
          expect(invoice).toMatchObject({ orderId: wishes[index]?.orderId });
          if (before[index]) expect(invoice).toMatchObject({ invoiceNumber: before[index] });
        });
        restarted.service.child.kill('SIGKILL');
      }
    });
  },
);

describe.each(['cut before', 'cut after'] as const)(
  'a connection that is %s COMMIT is carried out',
  (how) => {
    test('leaves the outcome unknown, and the same key finds it, 20 times over', async () => {
      const { send } = await start();
      await settle(send, newWish());
      for (let round = 0; round < 20; round += 1) {
        const wishes = Array.from({ length: (round % 3) * 4 + 1 }, newWish);
        const cut = proxy.atNext(how);
        const answers = await Promise.all(wishes.map((wish) => ask(send, wish)));
        await cut;
        expect(answers).toContain('DEPENDENCY_UNAVAILABLE');
        const unknown = wishes.filter((_, index) => answers[index] === 'DEPENDENCY_UNAVAILABLE');
        const issued = await Promise.all(unknown.map(invoiceOf));
        expect(issued.map(Boolean)).toEqual(unknown.map(() => how === 'cut after'));
        const found = await Promise.all(unknown.map((wish) => settle(send, wish)));
        found.forEach((invoice, index) => {
          expect(invoice).toMatchObject({ orderId: unknown[index]?.orderId });
          if (how === 'cut after') expect(invoice).toMatchObject({ invoiceNumber: issued[index] });
        });
      }
    });
  },
);

test.each(['issue_set', 'COMMIT'])(
  'a connection that falls silent at %s holds up its own set, and not the next',
  async (message) => {
    const { send } = await start();
    await settle(send, newWish());
    const swallowed = proxy.atNext('swallow the answer', message);
    const wish = newWish();
    const answer = ask(send, wish);
    await swallowed;
    expect(await answer).toBe('DEPENDENCY_UNAVAILABLE');
    // The connection was given up before its caller was: no time is left to roll back on it as well.
    expect(await ask(send, newWish())).toMatchObject({ id: expect.any(String) });
    expect(await settle(send, wish)).toMatchObject({ orderId: wish.orderId });
  },
  60_000,
);
