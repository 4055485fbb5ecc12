import type pg from 'pg';
import { expect } from 'vitest';
import { uuidOf } from '../../src/kernel/ids.js';
import type { GraphQLAnswer } from './graphql-client.js';

/** An invoice as an answer acknowledged it. */
export interface Acknowledged {
  id: string;
  invoiceNumber: string;
  orderId: string;
}

/** The invoice of an answered create, or the code that it was refused by. */
export function outcomeOf({ data, errors }: GraphQLAnswer): Acknowledged | string {
  return data?.createInvoice?.invoice ?? String(errors?.[0]?.extensions.code ?? errors?.[0]?.message);
}

/**
 * That every acknowledged invoice exists whole, that no order and no number exists twice, and that the
 * numbers of this year have no gap, none of them earlier than the one below it, and the counter past them all.
 */
export async function expectWholeBooks(sql: pg.Pool, acknowledged: readonly Acknowledged[]): Promise<void> {
  const { rows } = await sql.query<{ id: string; invoice_number: string; order_id: string; whole: boolean }>(
    `SELECT id, invoice_number, order_id,
       line_count = (SELECT count(*) FROM invoice_items WHERE invoice_id = invoices.id)
       AND total = (SELECT sum(total) FROM invoice_items WHERE invoice_id = invoices.id)
       AND 1 = (SELECT count(*) FROM idempotency_records WHERE invoice_id = invoices.id)
       AND 1 = (SELECT count(*) FROM outbox_events WHERE aggregate_id = invoices.id AND event_type = 'InvoiceCreated')
       AS whole
     FROM invoices ORDER BY invoice_number`,
  );
  expect(rows.filter(({ whole }) => !whole)).toEqual([]);
  expect(new Set(rows.map(({ order_id }) => order_id)).size).toBe(rows.length);
  const numbers = rows.map(({ invoice_number }) => Number(invoice_number.slice(-8)));
  expect(numbers).toEqual(rows.map((_, index) => index + 1));

  const { rows: order } = await sql.query(
    `SELECT count(*) FILTER (WHERE moment < before)::integer AS back,
       (SELECT max(next_number) FROM invoice_number_counters) = count(*) + 1 AS counted
     FROM (SELECT finalized_at AS moment, lag(finalized_at) OVER (ORDER BY invoice_number) AS before FROM invoices) AS i`,
  );
  expect(order).toEqual([{ back: 0, counted: true }]);

  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, invoiceNumber, orderId } of acknowledged) {
    expect(byId.get(uuidOf('inv', id) ?? '')).toMatchObject({
      invoice_number: invoiceNumber,
      order_id: orderId,
    });
  }
}
