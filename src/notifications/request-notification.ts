import type { Tx } from '../db/client.js';
import { type Invoice, subjectOf } from '../invoices/index.js';
import { appendEvents } from '../outbox/append-events.js';

/** An invoice that can be announced. */
export type Addressed = Invoice & { customer: { email: string } };

export function hasAddress(invoice: Invoice): invoice is Addressed {
  return Boolean(invoice.customer.email?.trim());
}

/**
 * Owes the customer the mail of one event, in the transaction that the event belongs to: what is owed is a
 * row from that moment, whatever becomes of event and job. No address, or cancelled: nothing is owed.
 */
export async function requestNotification(tx: Tx, invoice: Invoice, eventId: string): Promise<void> {
  if (invoice.status !== 'FINALIZED' || !hasAddress(invoice)) return;
  await tx.$executeRaw`
    INSERT INTO notifications (id, invoice_id, event_id, created_at)
    VALUES (uuid_v7(clock_timestamp(), 0), ${invoice.id}::uuid, ${eventId}::uuid, clock_timestamp())`;
  await appendEvents(tx, [{ type: 'InvoiceNotificationRequested', invoice: subjectOf(invoice), data: {} }]);
}
