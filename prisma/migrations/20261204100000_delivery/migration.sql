-- A mail's claims that were lost with their worker, and its sendings whose outcome nobody knows: each of
-- them may have reached the customer although another one followed.
ALTER TABLE notifications
  ADD COLUMN takeovers integer NOT NULL DEFAULT 0,
  ADD COLUMN unanswered integer NOT NULL DEFAULT 0,
  DROP CONSTRAINT notifications_counts_not_negative,
  ADD CONSTRAINT notifications_counts_not_negative CHECK (
    attempt >= 0 AND failures >= 0 AND takeovers >= 0 AND unanswered >= 0
  );

-- The rescue walks what is not SENT by status and id.
DROP INDEX notifications_status_idx;
CREATE INDEX notifications_status_id_idx ON notifications (status, id);

-- From now on a mail that is owed is a row from the commit that makes its file current. Files that were
-- announced by their event alone, and not yet worked on, get theirs here.
INSERT INTO notifications (id, invoice_id, event_id, created_at)
SELECT uuid_v7(clock_timestamp(), (row_number() OVER (ORDER BY event.position))::integer),
       invoice.id, event.id, clock_timestamp()
FROM outbox_events AS event JOIN invoices AS invoice ON invoice.id = event.aggregate_id
WHERE event.event_type = 'InvoicePDFGenerated' AND (event.payload->>'notify_customer')::boolean
  AND invoice.status = 'FINALIZED' AND btrim(invoice.customer_email) <> ''
ON CONFLICT (event_id) DO NOTHING;

-- From now on an event that is given up is a dead letter too, to be listed and replayed. Earlier ones get theirs.
INSERT INTO dead_letters (id, queue, event_id, event_type, invoice_id, code, message, attempts, failed_at)
SELECT uuid_v7(clock_timestamp(), (row_number() OVER (ORDER BY position))::integer), 'outbox', id, event_type,
       aggregate_id, 'NOT_FORWARDED', 'The event could not be forwarded', retry_count, clock_timestamp()
FROM outbox_events WHERE status = 'FAILED';
