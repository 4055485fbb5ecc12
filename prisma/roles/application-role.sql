-- What a role needs that serves Folio and owns nothing. Run it as the owner of the tables, after a first
-- start as that owner, and again after each release that migrates:
--
--   psql "$OWNER_URL" -v ON_ERROR_STOP=1 -v role=folio_app -f prisma/roles/application-role.sql
--
-- The law holds for the owner too. This takes away what only an owner could do about it: to disable a
-- trigger, to drop a constraint, to truncate, to alter a table.

-- Up to PostgreSQL 14 everybody may create tables in "public", and owns what they create.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public, pgboss TO :"role";

GRANT SELECT ON ALL TABLES IN SCHEMA public TO :"role";
GRANT INSERT ON
  invoices, invoice_items, sellers, invoice_number_counters, idempotency_records, outbox_events,
  invoice_pdf_revisions, notifications, dead_letters, invoice_timeline
TO :"role";

-- The living columns of an invoice, and no other.
GRANT UPDATE (
  status, cancelled_at, cancel_reason,
  pdf_status, pdf_error_code, pdf_object_key, pdf_revision, pdf_attempt, pdf_failures, pdf_takeovers,
  pdf_lease_until, pdf_retry_at, pdf_notify_customer
) ON invoices TO :"role";
GRANT UPDATE (next_number, last_finalized_at) ON invoice_number_counters TO :"role";
GRANT UPDATE (status, retry_count, next_attempt_at, last_error, published_at) ON outbox_events TO :"role";
GRANT UPDATE (
  status, error_code, attempt, failures, takeovers, unanswered, lease_until, retry_at, sent_at
) ON notifications TO :"role";
GRANT UPDATE (replayed_at) ON dead_letters TO :"role";

-- What is kept for a time alone. Rows are locked before they are removed, and to lock them takes the right to
-- update a column; the law refuses the update itself.
GRANT DELETE ON idempotency_records, outbox_events TO :"role";
GRANT UPDATE (created_at) ON idempotency_records TO :"role";

GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO :"role";
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO :"role";

-- The queue's own tables are no books.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pgboss TO :"role";
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgboss TO :"role";
