import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useApi } from '../helpers/api.js';
import { useDatabase } from '../helpers/database.js';
import { useOrderService } from '../helpers/order-service.js';
import { anOrder } from '../helpers/orders.js';

const DAY_MS = 86_400_000;

describe.each([
  ['a day ahead', DAY_MS],
  ['a day behind', -DAY_MS],
])('a process whose clock is %s', (_, error) => {
  const database = useDatabase();
  const orders = useOrderService();
  const api = useApi(
    () => ({
      DATABASE_URL: database.url,
      ORDER_SERVICE_URL: orders.url,
      // The date line is a day's matter: here it is nearly always another day than in UTC.
      ISSUE_TIME_ZONE: 'Pacific/Kiritimati',
    }),
    { clock: { now: () => new Date(Date.now() + error) } },
  );

  test('issues by the clock of the database: moment, date, year and number', async () => {
    const checkout = api.as('service', 'checkout');
    const { order_id: orderId } = orders.add(anOrder());
    const now = async () => (await database.sql.query('SELECT clock_timestamp() AS now')).rows[0].now as Date;
    const before = await now();
    const answer = await api.createInvoice(checkout, { orderId, idempotencyKey: randomUUID() });
    const after = await now();
    const { invoiceNumber, createdAt, finalizedAt } = answer.data?.createInvoice.invoice ?? {};
    // Told to the millisecond, which is cut off.
    expect(Date.parse(finalizedAt)).toBeGreaterThanOrEqual(Math.floor(before.getTime()));
    expect(Date.parse(finalizedAt)).toBeLessThanOrEqual(after.getTime());
    expect(createdAt).toBe(finalizedAt);
    const { rows } = await database.sql.query(
      `SELECT issue_date = ($1::timestamptz AT TIME ZONE 'Pacific/Kiritimati')::date AS dated,
              extract(year FROM $1::timestamptz AT TIME ZONE 'Pacific/Kiritimati')::text AS year
       FROM invoices WHERE order_id = $2`,
      [finalizedAt, orderId],
    );
    expect(rows).toEqual([{ dated: true, year: invoiceNumber.slice(4, 8) }]);
  });
});
