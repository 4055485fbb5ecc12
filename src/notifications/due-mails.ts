import { Prisma } from '../db/client.js';
import type { DueWork } from '../outbox/rescue-lost-work.js';

/** Mails that somebody should be sending: owed; failed and due again; or with a claimant whose lease is over. */
export const DUE_MAILS: DueWork = {
  queue: 'notification',
  states: ['PENDING', 'FAILED'],
  rowsInState: (state, after, limit) => Prisma.sql`
    SELECT id, invoice_id, event_id, 'InvoicePDFGenerated' AS event_type,
           coalesce(retry_at, lease_until) <= clock_timestamp() OR (status = 'PENDING' AND lease_until IS NULL)
             AS due
    FROM notifications WHERE status = ${state} AND id > ${after}::uuid ORDER BY id LIMIT ${limit}`,
  hasEventToCome: Prisma.sql`
    EXISTS (SELECT FROM outbox_events AS event
            WHERE event.id = work.event_id AND event.status <> 'PUBLISHED')`,
};
