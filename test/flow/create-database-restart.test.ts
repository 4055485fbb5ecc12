import { randomUUID } from 'node:crypto';
import { readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded.js';
import { type Acknowledged, expectWholeBooks } from '../helpers/books.js';
import { aWish, type Checkout, create, startCheckout, type Wish } from '../helpers/checkout.js';
import { useOrderService } from '../helpers/order-service.js';
import { useServiceProcesses, waitFor } from '../helpers/service-process.js';

/** A server of its own, which may be killed; one that waits for its disk, since durability is the question. */
const directory = join(tmpdir(), `folio-restart-${randomUUID()}`, 'postgres');
const orders = useOrderService();
const startService = useServiceProcesses();
const checkouts: Checkout[] = [];
let postgres: EmbeddedPostgres;
let sql: pg.Pool;

beforeAll(async () => {
  postgres = await startEmbeddedPostgres({ directory, database: 'folio', log: () => {} });
  sql = new pg.Pool({ connectionString: postgres.url, max: 2 });
  sql.on('error', () => undefined);
  for (let count = 0; count < 2; count += 1) {
    checkouts.push(await startCheckout(startService, orders, { DATABASE_URL: postgres.url }));
  }
});

afterAll(async () => {
  await sql.end();
  await postgres.stop();
  await rm(await realpath(directory), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  await rm(directory, { recursive: true, force: true });
});

const ask = (turn: number, wish: Wish) => create((checkouts[turn % 2] as Checkout).send, wish);

// An immediate shutdown: sessions end where they are, and the next start recovers from the log.
async function restartAtOnce(): Promise<void> {
  const file = join(await realpath(directory), 'data', 'postmaster.pid');
  const pid = async () => Number((await readFile(file, 'utf8')).split('\n')[0]);
  const before = await pid();
  process.kill(before, 'SIGQUIT');
  await waitFor(async () => (await pid().catch(() => before)) !== before);
}

test('an immediate restart under 200 creates loses nothing that was acknowledged, five times over', async () => {
  const journal: Acknowledged[] = [];
  let unknown = 0;
  for (let round = 0; round < 5; round += 1) {
    const wishes = Array.from({ length: 200 }, () => aWish(orders));
    let answered = 0;
    const answers = Promise.all(
      wishes.map(async (wish, turn) => {
        // Not all in one set: some are committed, some under way and some on their way when it falls.
        await new Promise((resolve) => setTimeout(resolve, turn * 2));
        const outcome = await ask(turn, wish);
        answered += 1;
        return outcome;
      }),
    );
    await waitFor(() => answered > 20 * round + 1);
    await restartAtOnce();
    const outcomes = await answers;
    journal.push(...outcomes.filter((outcome) => typeof outcome !== 'string'));
    unknown += outcomes.filter((outcome) => outcome === 'DEPENDENCY_UNAVAILABLE').length;
    const refusals = new Set(outcomes.filter((outcome) => typeof outcome === 'string'));
    expect([...refusals].filter((code) => code !== 'DEPENDENCY_UNAVAILABLE')).toEqual([]);

    // Whatever a client did not learn, the same key tells; what it learnt, the same key tells again.
    const found = await Promise.all(
      wishes.map((wish, turn) =>
        waitFor(async () => {
          const outcome = await ask(turn, wish);
          return outcome !== 'DEPENDENCY_UNAVAILABLE' && outcome;
        }),
      ),
    );
    found.forEach((invoice, index) => {
      const known = outcomes[index];
      if (typeof known === 'string') expect(invoice).toMatchObject({ orderId: wishes[index]?.orderId });
      else expect(invoice).toEqual(known);
    });
    journal.push(...(found as Acknowledged[]));
    await expectWholeBooks(sql, journal);
  }
  // Otherwise nothing fell in the midst of anything.
  expect(unknown).toBeGreaterThan(0);
}, 180_000);
