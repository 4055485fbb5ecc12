import type pg from 'pg';
import type { EventRef, EventType } from '../../src/outbox/events.js';

/** The events of an invoice in the order in which they were written. */
export async function eventsOf(sql: pg.Pool, invoiceId: string): Promise<EventRef[]> {
  const { rows } = await sql.query<EventRef>(
    `SELECT id, event_type AS type, aggregate_id AS "invoiceId" FROM outbox_events
     WHERE aggregate_id = $1 ORDER BY position`,
    [invoiceId],
  );
  return rows;
}

/** The newest event of a type; a test that asks for it knows that it is there. */
export async function eventOf(sql: pg.Pool, invoiceId: string, type: EventType): Promise<EventRef> {
  const event = (await eventsOf(sql, invoiceId)).findLast((candidate) => candidate.type === type);
  if (!event) throw new Error(`${invoiceId} has no ${type}`);
  return event;
}
