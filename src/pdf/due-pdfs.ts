import { Prisma } from '../db/client.js';
import type { DueWork } from '../outbox/rescue-lost-work.js';

/**
 * PDFs that somebody should be working on: asked for; failed and due again; or with a claimant whose lease
 * is over. Jobs for a PDF are known by their invoice, so the event that brings one back is any new one.
 */
export const DUE_PDFS: DueWork = {
  queue: 'pdf',
  states: ['PENDING', 'PROCESSING', 'FAILED'],
  rowsInState: (state, after, limit) => Prisma.sql`
    SELECT id, id AS invoice_id, gen_random_uuid() AS event_id,
           CASE WHEN pdf_revision IS NULL THEN 'InvoiceCreated' ELSE 'InvoicePDFRegenerateRequested' END
             AS event_type,
           coalesce(pdf_retry_at, pdf_lease_until) <= clock_timestamp() OR pdf_status = 'PENDING' AS due
    FROM invoices WHERE pdf_status = ${state} AND id > ${after}::uuid ORDER BY id LIMIT ${limit}`,
  hasEventToCome: Prisma.sql`
    EXISTS (SELECT FROM outbox_events AS event
            WHERE event.aggregate_id = work.invoice_id AND event.status <> 'PUBLISHED'
              AND event.event_type IN ('InvoiceCreated', 'InvoicePDFRegenerateRequested'))`,
};
