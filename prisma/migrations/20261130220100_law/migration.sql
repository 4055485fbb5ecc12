-- The law of the books, held by the database itself. Every trigger here is ENABLE ALWAYS: neither the
-- table's owner nor a session in replica mode passes by. Names of constraints and triggers are the
-- names of the invariants, and of their tests in test/db.

-- An id whose order is the order of issue: UUID version 7 (RFC 9562) of a given moment, its twelve
-- bits below the millisecond taken as the place within one set of invoices.
CREATE FUNCTION uuid_v7(moment timestamptz, place integer) RETURNS uuid
LANGUAGE sql VOLATILE AS $$
  SELECT (
    lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0')
    || '7' || lpad(to_hex(place % 4096), 3, '0')
    || right(replace(gen_random_uuid()::text, '-', ''), 16)
  )::uuid
$$;

---------------------------------------------------------------------------------------------------
-- What a row may hold

ALTER TABLE invoices
  ADD CONSTRAINT invoices_order_id_form CHECK (
    order_id ~ '^[A-Za-z0-9._-]{1,100}$' AND order_id NOT IN ('.', '..')
  ),
  ADD CONSTRAINT invoices_status CHECK (status IN ('PENDING', 'FINALIZED', 'CANCELLED')),
  -- Drafts are reserved: they need a life before the number that no rule here describes yet.
  ADD CONSTRAINT invoices_status_pending_reserved CHECK (status <> 'PENDING'),
  ADD CONSTRAINT invoices_currency_form CHECK (currency ~ '^[A-Z]{3}$' AND minor_unit BETWEEN 0 AND 4),
  ADD CONSTRAINT invoices_amounts_not_negative CHECK (
    subtotal >= 0 AND discount >= 0 AND tax >= 0 AND total >= 0
  ),
  -- NaN is above every number and equal to itself: it would pass all the equations.
  ADD CONSTRAINT invoices_amounts_are_numbers CHECK (
    subtotal < 'NaN' AND discount < 'NaN' AND tax < 'NaN' AND total < 'NaN'
  ),
  ADD CONSTRAINT invoices_amounts_in_minor_units CHECK (
    subtotal = round(subtotal, minor_unit) AND discount = round(discount, minor_unit)
    AND tax = round(tax, minor_unit) AND total = round(total, minor_unit)
  ),
  ADD CONSTRAINT invoices_total_equation CHECK (total = subtotal - discount + tax),
  ADD CONSTRAINT invoices_line_count_range CHECK (line_count BETWEEN 1 AND 5000),
  ADD CONSTRAINT invoices_number_form CHECK (
    invoice_number ~ '^INV-[0-9]{4}-[0-9]{8}$' AND right(invoice_number, 8) <> '00000000'
  ),
  ADD CONSTRAINT invoices_number_year CHECK (
    substr(invoice_number, 5, 4)::integer = extract(year FROM finalized_at AT TIME ZONE time_zone)
  ),
  ADD CONSTRAINT invoices_issue_date CHECK (issue_date = (finalized_at AT TIME ZONE time_zone)::date),
  ADD CONSTRAINT invoices_cancelled_has_reason CHECK (
    (status = 'CANCELLED') = (cancelled_at IS NOT NULL)
    AND (cancelled_at IS NULL) = (cancel_reason IS NULL)
  ),
  ADD CONSTRAINT invoices_pdf_status CHECK (pdf_status IN ('PENDING', 'PROCESSING', 'GENERATED', 'FAILED')),
  ADD CONSTRAINT invoices_pdf_generated_has_object CHECK (
    pdf_status <> 'GENERATED' OR (pdf_object_key IS NOT NULL AND pdf_revision IS NOT NULL)
  ),
  ADD CONSTRAINT invoices_pdf_revision_has_object CHECK ((pdf_revision IS NULL) = (pdf_object_key IS NULL)),
  ADD CONSTRAINT invoices_pdf_processing_has_lease CHECK (
    (pdf_status = 'PROCESSING') = (pdf_lease_until IS NOT NULL)
  ),
  ADD CONSTRAINT invoices_pdf_failed_has_code CHECK ((pdf_status = 'FAILED') = (pdf_error_code IS NOT NULL)),
  ADD CONSTRAINT invoices_pdf_retry_is_of_failed CHECK (pdf_retry_at IS NULL OR pdf_status = 'FAILED'),
  ADD CONSTRAINT invoices_pdf_counts_not_negative CHECK (
    pdf_attempt >= 0 AND pdf_failures >= 0 AND pdf_takeovers >= 0
  );

ALTER TABLE notifications
  ADD CONSTRAINT notifications_counts_not_negative CHECK (attempt >= 0 AND failures >= 0);

-- Line total = product − discount + tax, the product rounded half away from zero (as round() does on
-- numeric) to the currency's minor unit.
ALTER TABLE invoice_items
  ADD CONSTRAINT invoice_items_line_number_range CHECK (line_number BETWEEN 1 AND 5000),
  ADD CONSTRAINT invoice_items_description_length CHECK (char_length(description) BETWEEN 1 AND 1000),
  ADD CONSTRAINT invoice_items_values_in_range CHECK (
    quantity > 0 AND unit_price >= 0 AND discount >= 0 AND tax >= 0 AND total >= 0
  ),
  ADD CONSTRAINT invoice_items_values_are_numbers CHECK (
    quantity < 'NaN' AND unit_price < 'NaN' AND discount < 'NaN' AND tax < 'NaN' AND total < 'NaN'
  ),
  ADD CONSTRAINT invoice_items_amounts_in_minor_units CHECK (
    discount = round(discount, minor_unit) AND tax = round(tax, minor_unit) AND total = round(total, minor_unit)
  ),
  ADD CONSTRAINT invoice_items_discount_within_product CHECK (discount <= round(quantity * unit_price, minor_unit)),
  ADD CONSTRAINT invoice_items_total_equation CHECK (
    total = round(quantity * unit_price, minor_unit) - discount + tax
  );

---------------------------------------------------------------------------------------------------
-- Nothing is removed, and rows that are written once stay as written

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: its rows are evidence', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER invoices_never_removed BEFORE DELETE ON invoices
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoices_never_truncated BEFORE TRUNCATE ON invoices
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_items_frozen BEFORE UPDATE OR DELETE ON invoice_items
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_items_never_truncated BEFORE TRUNCATE ON invoice_items
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER sellers_frozen BEFORE UPDATE OR DELETE ON sellers
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER sellers_never_truncated BEFORE TRUNCATE ON sellers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_pdf_revisions_frozen BEFORE UPDATE OR DELETE ON invoice_pdf_revisions
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_pdf_revisions_never_truncated BEFORE TRUNCATE ON invoice_pdf_revisions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_timeline_frozen BEFORE UPDATE OR DELETE ON invoice_timeline
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_timeline_never_truncated BEFORE TRUNCATE ON invoice_timeline
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_number_counters_never_removed BEFORE DELETE ON invoice_number_counters
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_number_counters_never_truncated BEFORE TRUNCATE ON invoice_number_counters
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The row of a mail that was sent is all that keeps a second delivery of its event from mailing again.
CREATE TRIGGER notifications_never_removed BEFORE DELETE ON notifications
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER notifications_never_truncated BEFORE TRUNCATE ON notifications
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Keys may be pruned by age, never changed.
CREATE TRIGGER idempotency_records_frozen BEFORE UPDATE ON idempotency_records
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER idempotency_records_never_truncated BEFORE TRUNCATE ON idempotency_records
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

---------------------------------------------------------------------------------------------------
-- A finalized invoice changes in its three lives alone. Columns are frozen unless they are named here,
-- so that a column that comes later is frozen from its first day.

CREATE FUNCTION invoices_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  living constant text[] := ARRAY[
    'status', 'cancelled_at', 'cancel_reason', 'version',
    'pdf_status', 'pdf_error_code', 'pdf_object_key', 'pdf_revision', 'pdf_attempt', 'pdf_failures',
    'pdf_takeovers', 'pdf_lease_until', 'pdf_retry_at', 'pdf_notify_customer'
  ];
BEGIN
  IF to_jsonb(OLD) - living IS DISTINCT FROM to_jsonb(NEW) - living THEN
    RAISE EXCEPTION 'a finalized invoice is frozen'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'invoices_frozen', TABLE = 'invoices';
  END IF;
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

CREATE TRIGGER invoices_frozen BEFORE UPDATE ON invoices
  FOR EACH ROW EXECUTE FUNCTION invoices_frozen();

-- FINALIZED → CANCELLED, once, and what was said of it then stays said.
CREATE FUNCTION invoices_status_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status = 'CANCELLED' AND (NEW.status, NEW.cancelled_at, NEW.cancel_reason)
     IS DISTINCT FROM (OLD.status, OLD.cancelled_at, OLD.cancel_reason) THEN
    RAISE EXCEPTION 'a cancelled invoice stays cancelled'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'invoices_status_moves', TABLE = 'invoices';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER invoices_status_moves BEFORE UPDATE ON invoices
  FOR EACH ROW EXECUTE FUNCTION invoices_status_moves();

-- PENDING → PROCESSING → GENERATED | FAILED; FAILED → PROCESSING is a retry, GENERATED | FAILED →
-- PENDING a regenerate, PROCESSING → PROCESSING a longer lease or a take-over. Attempt and revision
-- only rise, and a revision is the attempt that made it.
CREATE FUNCTION invoices_pdf_status_moves() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  allowed boolean := CASE OLD.pdf_status
    WHEN 'PENDING' THEN NEW.pdf_status IN ('PENDING', 'PROCESSING')
    WHEN 'PROCESSING' THEN NEW.pdf_status IN ('PROCESSING', 'GENERATED', 'FAILED')
    WHEN 'FAILED' THEN NEW.pdf_status IN ('FAILED', 'PROCESSING')
      OR (NEW.pdf_status = 'PENDING' AND NEW.status = 'FINALIZED')
    WHEN 'GENERATED' THEN NEW.pdf_status = 'GENERATED'
      OR (NEW.pdf_status = 'PENDING' AND NEW.status = 'FINALIZED')
  END;
  claimed boolean := NEW.pdf_status = 'PROCESSING' AND OLD.pdf_status <> 'PROCESSING';
  finished boolean := NEW.pdf_status = 'GENERATED' AND OLD.pdf_status = 'PROCESSING';
BEGIN
  IF NOT allowed
     OR NEW.pdf_attempt < OLD.pdf_attempt
     OR (claimed AND NEW.pdf_attempt = OLD.pdf_attempt)
     OR (finished AND NEW.pdf_revision IS DISTINCT FROM NEW.pdf_attempt)
     OR (NOT finished AND (NEW.pdf_revision, NEW.pdf_object_key)
         IS DISTINCT FROM (OLD.pdf_revision, OLD.pdf_object_key)) THEN
    RAISE EXCEPTION 'a PDF does not go from % to % like this', OLD.pdf_status, NEW.pdf_status
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'invoices_pdf_status_moves', TABLE = 'invoices';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER invoices_pdf_status_moves BEFORE UPDATE ON invoices
  FOR EACH ROW EXECUTE FUNCTION invoices_pdf_status_moves();

-- An invoice begins FINALIZED, at version 1, with no file and nothing claimed.
CREATE FUNCTION invoices_begin_finalized() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.status, NEW.version, NEW.pdf_status, NEW.pdf_attempt, NEW.pdf_failures, NEW.pdf_takeovers)
     IS DISTINCT FROM ('FINALIZED', 1, 'PENDING', 0, 0, 0) OR NEW.pdf_revision IS NOT NULL THEN
    RAISE EXCEPTION 'an invoice begins FINALIZED with its PDF PENDING'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'invoices_begin_finalized', TABLE = 'invoices';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER invoices_begin_finalized BEFORE INSERT ON invoices
  FOR EACH ROW EXECUTE FUNCTION invoices_begin_finalized();

-- SENT is said once and for ever; FAILED → PENDING is a retry or a replay.
CREATE FUNCTION notifications_status_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status = 'SENT' OR NEW.attempt < OLD.attempt
     OR (NEW.id, NEW.invoice_id, NEW.event_id, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.invoice_id, OLD.event_id, OLD.created_at)
     OR (OLD.status = 'FAILED' AND NEW.status NOT IN ('FAILED', 'PENDING')) THEN
    RAISE EXCEPTION 'a notification does not go from % to % like this', OLD.status, NEW.status
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'notifications_status_moves', TABLE = 'notifications';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER notifications_status_moves BEFORE UPDATE ON notifications
  FOR EACH ROW EXECUTE FUNCTION notifications_status_moves();

---------------------------------------------------------------------------------------------------
-- Sums and line count, looked at when the issuing transaction commits, however its rows came in

CREATE FUNCTION invoices_sums_match_lines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  matches boolean;
BEGIN
  SELECT count(*) = NEW.line_count AND max(line_number) = NEW.line_count
     AND sum(round(quantity * unit_price, minor_unit)) = NEW.subtotal
     AND sum(discount) = NEW.discount AND sum(tax) = NEW.tax AND sum(total) = NEW.total
     AND bool_and(minor_unit = NEW.minor_unit)
    INTO matches FROM invoice_items WHERE invoice_id = NEW.id;
  IF matches IS NOT TRUE THEN
    RAISE EXCEPTION 'invoice % does not add up to its lines', NEW.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_sums_match_lines', TABLE = 'invoices';
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER invoices_sums_match_lines AFTER INSERT ON invoices
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION invoices_sums_match_lines();

-- After that commit lines 1 to line_count are all taken, so a line can only be added beyond them. One
-- look per statement: 5,000 lines cost no more than one.
CREATE FUNCTION invoice_items_within_line_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT invoice_id, max(line_number) AS last_line FROM added GROUP BY invoice_id) AS grown
    WHERE last_line > (SELECT line_count FROM invoices WHERE id = grown.invoice_id)
  ) THEN
    RAISE EXCEPTION 'a finalized invoice takes no more lines'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'invoice_items_within_line_count',
            TABLE = 'invoice_items';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER invoice_items_within_line_count AFTER INSERT ON invoice_items
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION invoice_items_within_line_count();

---------------------------------------------------------------------------------------------------
-- Numbers without gaps: a counter begins at 1, only rises, and every number that it has passed is an
-- invoice's of the counter's moment when the transaction commits. The moment moves only with numbers: one
-- set into the future by hand would stop all issuing, since the next invoice may not come before it.

CREATE FUNCTION invoice_number_counters_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (TG_OP = 'INSERT' AND (NEW.next_number <> 1 OR NEW.last_finalized_at IS NOT NULL))
     OR (TG_OP = 'UPDATE' AND (NEW.year <> OLD.year OR NEW.next_number < OLD.next_number
         OR NEW.last_finalized_at < OLD.last_finalized_at
         OR (NEW.last_finalized_at IS NULL AND OLD.last_finalized_at IS NOT NULL)
         OR (NEW.last_finalized_at IS DISTINCT FROM OLD.last_finalized_at
             AND NEW.next_number = OLD.next_number))) THEN
    RAISE EXCEPTION 'a number counter begins at 1 and only rises'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'invoice_number_counters_moves',
            TABLE = 'invoice_number_counters';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER invoice_number_counters_moves BEFORE INSERT OR UPDATE ON invoice_number_counters
  FOR EACH ROW EXECUTE FUNCTION invoice_number_counters_moves();

CREATE FUNCTION invoice_number(year integer, number integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT 'INV-' || lpad(year::text, 4, '0') || '-' || lpad(number::text, 8, '0')
$$;

CREATE FUNCTION invoice_number_counters_without_gaps() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  given integer;
BEGIN
  SELECT count((
    SELECT 1 FROM invoices
    WHERE invoice_number = invoice_number(NEW.year, n) AND finalized_at = NEW.last_finalized_at
  )) INTO given FROM generate_series(OLD.next_number, NEW.next_number - 1) AS n;
  IF given <> NEW.next_number - OLD.next_number THEN
    RAISE EXCEPTION 'numbers were passed over without an invoice'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'invoice_number_counters_without_gaps',
            TABLE = 'invoice_number_counters';
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER invoice_number_counters_without_gaps AFTER UPDATE ON invoice_number_counters
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION invoice_number_counters_without_gaps();

CREATE FUNCTION invoices_number_from_counter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM invoice_number_counters
    WHERE year = substr(NEW.invoice_number, 5, 4)::integer
      AND substr(NEW.invoice_number, 10)::integer < next_number
  ) THEN
    RAISE EXCEPTION 'number % was not given by its counter', NEW.invoice_number
      USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_number_from_counter', TABLE = 'invoices';
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER invoices_number_from_counter AFTER INSERT ON invoices
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION invoices_number_from_counter();

---------------------------------------------------------------------------------------------------
-- An event says for ever what it said; only a published one may be cleared away

CREATE FUNCTION outbox_events_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.status = 'PUBLISHED' THEN RETURN OLD; END IF;
  ELSIF (NEW.id, NEW.position, NEW.event_type, NEW.aggregate_type, NEW.aggregate_id, NEW.payload, NEW.created_at)
        IS NOT DISTINCT FROM
        (OLD.id, OLD.position, OLD.event_type, OLD.aggregate_type, OLD.aggregate_id, OLD.payload, OLD.created_at)
        AND (OLD.status <> 'PUBLISHED' OR NEW.status = 'PUBLISHED') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'an event is kept as written until it is published'
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'outbox_events_frozen', TABLE = 'outbox_events';
END $$;

CREATE TRIGGER outbox_events_frozen BEFORE UPDATE OR DELETE ON outbox_events
  FOR EACH ROW EXECUTE FUNCTION outbox_events_frozen();
CREATE TRIGGER outbox_events_never_truncated BEFORE TRUNCATE ON outbox_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

---------------------------------------------------------------------------------------------------

-- The law reads the real tables and operators, whatever search_path and temporary tables a session has,
-- and fires in every session.
DO $$
DECLARE
  law record;
BEGIN
  FOR law IN
    SELECT oid::regprocedure AS function FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND prorettype = 'trigger'::regtype
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, public, pg_temp', law.function);
  END LOOP;
  FOR law IN
    SELECT tgrelid::regclass AS relation, tgname AS name FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid::regclass::text IN (
      'invoices', 'invoice_items', 'sellers', 'invoice_pdf_revisions', 'invoice_timeline', 'notifications',
      'invoice_number_counters', 'idempotency_records', 'outbox_events'
    )
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', law.relation, law.name);
  END LOOP;
END $$;
