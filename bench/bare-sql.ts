import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Figures, runCallers } from './callers.ts';

/**
 * The yardstick: what a careful hand would write with `pg` alone. One transaction per order, each of its
 * statements prepared, the same rows in the same tables; no checks and no second look.
 */
export async function bareCreates(
  url: string,
  sellerId: string,
  callers: number,
  seconds: number,
): Promise<Figures> {
  return withSessions(url, callers, (sessions) =>
    runCallers(callers, seconds, (caller) =>
      inTransaction(sessions[caller] as pg.Client, (session) => createOne(session, sellerId)),
    ),
  );
}

/** The bound of any scheme that takes one number per transaction: the counter's row alone. */
export async function counterAlone(url: string, callers: number, seconds: number): Promise<Figures> {
  return withSessions(url, callers, async (sessions) => {
    const [first] = sessions;
    await first?.query(
      'CREATE TABLE IF NOT EXISTS bench_counter (id integer PRIMARY KEY, next integer NOT NULL)',
    );
    await first?.query('INSERT INTO bench_counter VALUES (1, 1) ON CONFLICT DO NOTHING');
    return runCallers(callers, seconds, (caller) =>
      inTransaction(sessions[caller] as pg.Client, (session) =>
        session.query({
          name: 'counter',
          text: 'UPDATE bench_counter SET next = next + 1 WHERE id = 1 RETURNING next',
        }),
      ),
    );
  });
}

const NUMBER = `
  UPDATE invoice_number_counters
  SET next_number = next_number + 1,
      last_finalized_at = greatest(date_trunc('milliseconds', clock_timestamp()), last_finalized_at)
  WHERE year = extract(year FROM now() AT TIME ZONE 'UTC')
  RETURNING year, next_number - 1 AS number, last_finalized_at AS at`;

const INVOICE = `
  INSERT INTO invoices (
    id, order_id, customer_id, invoice_number, status, currency, minor_unit, subtotal, discount, tax, total,
    line_count, customer_name, customer_email, address_line1, address_city, address_region,
    address_postal_code, address_country, seller_id, issue_date, time_zone, locale,
    created_by_role, created_by_id, created_at, finalized_at
  ) VALUES (
    uuid_v7($3, 1), $1, $2, invoice_number($4, $5), 'FINALIZED', 'USD', 2, 240.00, 15.00, 18.00, 243.00,
    3, 'Alice Example', 'alice@example.com', '1 Main St', 'Springfield', 'IL',
    '62701', 'US', $6, ($3 AT TIME ZONE 'UTC')::date, 'UTC', 'en-US', 'service', 'bench', $3, $3
  ) RETURNING id`;

const LINES = `
  INSERT INTO invoice_items (
    invoice_id, line_number, product_id, description, quantity, unit_price, discount, tax, total, minor_unit
  ) VALUES
    ($1, 1, 'SKU-44', $2, 2, 40.00, 5.00, 6.00, 81.00, 2),
    ($1, 2, 'SKU-44', $2, 2, 40.00, 5.00, 6.00, 81.00, 2),
    ($1, 3, 'SKU-44', $2, 2, 40.00, 5.00, 6.00, 81.00, 2)`;

const KEY = `
  INSERT INTO idempotency_records (actor_role, actor_id, key, request_hash, invoice_id, created_at)
  VALUES ('service', 'bench', $1, $2, $3, $4)`;

const EVENT = `
  INSERT INTO outbox_events (id, event_type, aggregate_type, aggregate_id, payload, created_at)
  VALUES ($1, 'InvoiceCreated', 'invoice', $2, $3, $4)`;

async function createOne(session: pg.Client, sellerId: string): Promise<void> {
  const orderId = `BARE-${randomUUID()}`;
  const customerId = `u_${orderId.slice(-2)}`;
  const numbered = await session.query({ name: 'number', text: NUMBER });
  const { year, number, at } = numbered.rows[0];
  const values = [orderId, customerId, at, year, number, sellerId];
  const { id } = (await session.query({ name: 'invoice', text: INVOICE, values })).rows[0];
  const description = 'Desk lamp';
  await session.query({ name: 'lines', text: LINES, values: [id, description] });
  await session.query({ name: 'key', text: KEY, values: [orderId, 'a'.repeat(64), id, at] });
  const eventId = randomUUID();
  const payload = { event_id: eventId, type: 'InvoiceCreated', invoice_id: id, order_id: orderId };
  const event = { ...payload, customer_id: customerId, occurred_at: at };
  await session.query({ name: 'event', text: EVENT, values: [eventId, id, event, at] });
}

async function inTransaction(session: pg.Client, work: (session: pg.Client) => Promise<unknown>) {
  await session.query({ name: 'begin', text: 'BEGIN' });
  try {
    await work(session);
    await session.query({ name: 'commit', text: 'COMMIT' });
  } catch (error) {
    await session.query('ROLLBACK');
    throw error;
  }
}

async function withSessions<T>(
  url: string,
  count: number,
  work: (sessions: pg.Client[]) => Promise<T>,
): Promise<T> {
  const sessions = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  try {
    await Promise.all(sessions.map((session) => session.connect()));
    return await work(sessions);
  } finally {
    await Promise.all(sessions.map((session) => session.end()));
  }
}
