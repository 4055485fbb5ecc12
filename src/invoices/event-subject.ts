import type { EventSubject } from '../outbox/events.js';
import type { Invoice } from './invoice.js';

/** Whom an event is about, from the invoice that its transaction changed. */
export function subjectOf(invoice: Invoice): EventSubject {
  return { invoiceId: invoice.id, orderId: invoice.orderId, customerId: invoice.customerId };
}
