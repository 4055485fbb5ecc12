import { Prisma, type Tx } from '../db/client.js';
import type { NewEvent } from './events.js';

/**
 * Writes events beside the change that they tell of, in the caller's transaction: both become true in
 * one commit, or neither does.
 *
 * No NOTIFY here: it takes a lock that would make all commits one queue. The forwarder polls.
 *
 * @returns their ids, in the order of the events.
 */
export async function appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<string[]> {
  const rows = events.map(({ type, invoice, data }) => ({
    type,
    invoice_id: invoice.invoiceId,
    order_id: invoice.orderId,
    customer_id: invoice.customerId,
    data,
  }));
  const inserted = await tx.$queryRaw<{ id: string; position: bigint }[]>`${insertEvents(Prisma.sql`
    SELECT * FROM ROWS FROM (
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS (type text, invoice_id uuid, order_id text, customer_id text, data jsonb)
    ) WITH ORDINALITY AS event (type, invoice_id, order_id, customer_id, data, place)`)}
    RETURNING id, position`;
  return inserted.toSorted((a, b) => Number(a.position - b.position)).map(({ id }) => id);
}

/**
 * The same as part of a statement that makes the change itself.
 *
 * @param source SQL of the events: type, invoice_id, order_id, customer_id, data and place, by which they
 * leave in order.
 */
export function insertEvents(source: Prisma.Sql): Prisma.Sql {
  // MATERIALIZED, so that column and envelope carry the same id and moment.
  return Prisma.sql`
    WITH event AS MATERIALIZED (
      SELECT uuid_v7(clock_timestamp(), place::integer) AS event_id, clock_timestamp() AS occurred_at, source.*
      FROM (${source}) AS source
    )
    INSERT INTO outbox_events (id, event_type, aggregate_type, aggregate_id, payload, created_at)
    SELECT event_id, type, 'invoice', invoice_id,
           data || jsonb_build_object('event_id', event_id, 'type', type, 'invoice_id', invoice_id,
             'order_id', order_id, 'customer_id', customer_id, 'occurred_at', occurred_at),
           occurred_at
    FROM event ORDER BY place`;
}
