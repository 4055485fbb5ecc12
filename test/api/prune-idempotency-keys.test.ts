import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { makePruneIdempotencyKeys } from '../../src/invoices/prune-idempotency-keys.js';
import { uuidOf } from '../../src/kernel/ids.js';
import { useApi } from '../helpers/api.js';
import { anOrder } from '../helpers/orders.js';
import { waitFor } from '../helpers/service-process.js';
import { expectRefusal, useShop } from './shop.js';

const shop = useShop();
const { api, database, orders, checkout } = shop;

/** Keys of an invoice that were spent so many days ago; a row can be written late, and never changed. */
async function spendKeys(invoiceId: string, count: number, daysAgo: number): Promise<void> {
  await database.sql.query(
    `INSERT INTO idempotency_records (actor_role, actor_id, key, request_hash, invoice_id, created_at)
     SELECT 'service', 'old', gen_random_uuid(), 'x', $1, clock_timestamp() - make_interval(secs => 86400 * $3::float)
     FROM generate_series(1, $2)`,
    [uuidOf('inv', invoiceId), count, daysAgo],
  );
}

const agesOfKeys = async () =>
  (
    await database.sql.query(
      `SELECT extract(day FROM clock_timestamp() - created_at)::integer AS days, count(*)::integer
       FROM idempotency_records GROUP BY days ORDER BY days`,
    )
  ).rows;

test('keys older than the retention go, by the clock of the database, and the younger ones stay', async () => {
  const { id } = await shop.issue();
  await spendKeys(id, 3, 29.9);
  await spendKeys(id, 4, 30.1);
  await spendKeys(id, 5, 300);
  const prune = makePruneIdempotencyKeys({ db: database.db, retentionDays: 30 });
  expect(await prune()).toEqual({ pruned: 9, more: false });
  expect(await agesOfKeys()).toEqual([
    { days: 0, count: 1 },
    { days: 29, count: 3 },
  ]);
  expect(await prune()).toEqual({ pruned: 0, more: false });
});

test('many go in passes of 1,000, also of several processes at once', async () => {
  const { id } = await shop.issue();
  await spendKeys(id, 2_500, 60);
  const prune = makePruneIdempotencyKeys({ db: database.db, retentionDays: 30 });
  expect(await prune()).toEqual({ pruned: 1_000, more: true });
  const both = await Promise.all([prune(), prune()]);
  expect(both.reduce((sum, { pruned }) => sum + pruned, 0)).toBe(1_500);
});

test('a pruned key on an invoiced order is told of its invoice', async () => {
  const { order_id: orderId } = orders.add(anOrder());
  const idempotencyKey = randomUUID();
  const issued = await api.createInvoice(checkout, { orderId, idempotencyKey });
  const { id, invoiceNumber } = issued.data?.createInvoice.invoice ?? {};
  await makePruneIdempotencyKeys({ db: database.db, retentionDays: 0 })();
  expectRefusal(
    await api.createInvoice(checkout, { orderId, idempotencyKey }),
    'INVOICE_ALREADY_EXISTS',
    409,
    { invoiceId: id, invoiceNumber, invoiceStatus: 'FINALIZED' },
  );
  // The key is free again, for another order.
  const other = orders.add(anOrder()).order_id;
  const reused = await api.createInvoice(checkout, { orderId: other, idempotencyKey });
  expect(reused.data?.createInvoice.replayed).toBe(false);
});

describe('a relay', () => {
  beforeAll(async () => {
    const { id } = await shop.issue();
    await spendKeys(id, 1_100, 7.1);
    await spendKeys(id, 1, 6.9);
  });
  useApi(() => ({
    ROLES: 'relay',
    DATABASE_URL: database.url,
    IDEMPOTENCY_RETENTION_DAYS: '7',
  }));

  test('forgets what IDEMPOTENCY_RETENTION_DAYS lets go, as soon as it starts', async () => {
    await waitFor(async () => (await agesOfKeys()).every(({ days }) => days < 7));
    expect(await agesOfKeys()).toContainEqual({ days: 6, count: 1 });
  });
});
