-- The seller as printed on invoices, once per content.
CREATE TABLE sellers (
  id text NOT NULL,
  name text NOT NULL,
  address text NOT NULL,
  tax_id text,
  email text,
  logo bytea,
  logo_media_type text,
  CONSTRAINT sellers_pkey PRIMARY KEY (id),
  CONSTRAINT sellers_id_is_sha256 CHECK (id ~ '^[0-9a-f]{64}$'),
  CONSTRAINT sellers_logo_has_media_type CHECK (
    (logo IS NULL) = (logo_media_type IS NULL) AND logo_media_type IN ('image/png', 'image/jpeg')
  )
);

-- numeric(19,4) holds four decimals, as many as the currency with the most has (CLF, UYW).
CREATE TABLE invoices (
  id uuid NOT NULL,
  order_id text NOT NULL,
  customer_id text NOT NULL,
  invoice_number text NOT NULL,
  status text NOT NULL,
  currency text NOT NULL,
  minor_unit smallint NOT NULL,
  subtotal numeric(19,4) NOT NULL,
  discount numeric(19,4) NOT NULL,
  tax numeric(19,4) NOT NULL,
  total numeric(19,4) NOT NULL,
  line_count integer NOT NULL,
  customer_name text NOT NULL,
  customer_email text,
  customer_tax_id text,
  address_line1 text NOT NULL,
  address_line2 text,
  address_city text NOT NULL,
  address_region text,
  address_postal_code text,
  address_country text NOT NULL,
  seller_id text NOT NULL,
  issue_date date NOT NULL,
  time_zone text NOT NULL,
  locale text NOT NULL,
  created_by_role text NOT NULL,
  created_by_id text NOT NULL,
  created_at timestamptz(6) NOT NULL,
  finalized_at timestamptz(6) NOT NULL,
  version integer NOT NULL DEFAULT 1,
  cancelled_at timestamptz(6),
  cancel_reason text,
  pdf_status text NOT NULL DEFAULT 'PENDING',
  pdf_error_code text,
  pdf_object_key text,
  pdf_revision integer,
  pdf_attempt integer NOT NULL DEFAULT 0,
  pdf_failures integer NOT NULL DEFAULT 0,
  pdf_takeovers integer NOT NULL DEFAULT 0,
  pdf_lease_until timestamptz(6),
  -- When a failed rendering is due again; none while it is FAILED for good.
  pdf_retry_at timestamptz(6),
  pdf_notify_customer boolean NOT NULL DEFAULT true,
  CONSTRAINT invoices_pkey PRIMARY KEY (id)
);

CREATE TABLE invoice_items (
  id bigserial NOT NULL,
  invoice_id uuid NOT NULL,
  line_number integer NOT NULL,
  product_id text NOT NULL,
  description text NOT NULL,
  quantity numeric(19,6) NOT NULL,
  unit_price numeric(19,6) NOT NULL,
  discount numeric(19,4) NOT NULL,
  tax numeric(19,4) NOT NULL,
  total numeric(19,4) NOT NULL,
  minor_unit smallint NOT NULL,
  CONSTRAINT invoice_items_pkey PRIMARY KEY (id)
);

CREATE TABLE invoice_number_counters (
  year smallint NOT NULL,
  next_number integer NOT NULL DEFAULT 1,
  last_finalized_at timestamptz(6),
  CONSTRAINT invoice_number_counters_pkey PRIMARY KEY (year)
);

CREATE TABLE idempotency_records (
  actor_role text NOT NULL,
  actor_id text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  invoice_id uuid NOT NULL,
  response_code smallint NOT NULL DEFAULT 201,
  created_at timestamptz(6) NOT NULL,
  CONSTRAINT idempotency_records_pkey PRIMARY KEY (actor_role, actor_id, key)
);

CREATE TABLE outbox_events (
  id uuid NOT NULL,
  position bigserial NOT NULL,
  event_type text NOT NULL,
  aggregate_type text NOT NULL,
  aggregate_id uuid NOT NULL,
  payload jsonb NOT NULL,
  status text NOT NULL DEFAULT 'PENDING',
  retry_count integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_error text,
  created_at timestamptz(6) NOT NULL,
  published_at timestamptz(6),
  CONSTRAINT outbox_events_pkey PRIMARY KEY (id),
  CONSTRAINT outbox_events_status CHECK (status IN ('PENDING', 'PUBLISHED', 'FAILED')),
  CONSTRAINT outbox_events_published_has_time CHECK ((status = 'PUBLISHED') = (published_at IS NOT NULL))
);

CREATE TABLE invoice_pdf_revisions (
  invoice_id uuid NOT NULL,
  revision integer NOT NULL,
  object_key text NOT NULL,
  sha256 text NOT NULL,
  bytes integer NOT NULL,
  template_version text NOT NULL,
  created_at timestamptz(6) NOT NULL,
  CONSTRAINT invoice_pdf_revisions_pkey PRIMARY KEY (invoice_id, revision),
  CONSTRAINT invoice_pdf_revisions_sha256 CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT invoice_pdf_revisions_not_empty CHECK (bytes > 0 AND revision > 0)
);

CREATE TABLE notifications (
  id uuid NOT NULL,
  invoice_id uuid NOT NULL,
  event_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'PENDING',
  error_code text,
  attempt integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  lease_until timestamptz(6),
  -- When a failed mail is due again; none while it is FAILED for good.
  retry_at timestamptz(6),
  created_at timestamptz(6) NOT NULL,
  sent_at timestamptz(6),
  CONSTRAINT notifications_pkey PRIMARY KEY (id),
  CONSTRAINT notifications_status CHECK (status IN ('PENDING', 'SENT', 'FAILED')),
  CONSTRAINT notifications_sent_has_time CHECK ((status = 'SENT') = (sent_at IS NOT NULL)),
  CONSTRAINT notifications_failed_has_code CHECK ((status = 'FAILED') = (error_code IS NOT NULL)),
  CONSTRAINT notifications_retry_is_of_failed CHECK (retry_at IS NULL OR status = 'FAILED')
);

CREATE TABLE dead_letters (
  id uuid NOT NULL,
  queue text NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  invoice_id uuid NOT NULL,
  code text NOT NULL,
  message text NOT NULL,
  attempts integer NOT NULL,
  failed_at timestamptz(6) NOT NULL,
  replayed_at timestamptz(6),
  CONSTRAINT dead_letters_pkey PRIMARY KEY (id)
);

CREATE TABLE invoice_timeline (
  id bigserial NOT NULL,
  invoice_id uuid NOT NULL,
  at timestamptz(6) NOT NULL,
  event text NOT NULL,
  actor text,
  attempt integer,
  code text,
  CONSTRAINT invoice_timeline_pkey PRIMARY KEY (id)
);

-- One invoice per order, one number once: what two API processes cannot evade.
CREATE UNIQUE INDEX invoices_order_id_key ON invoices (order_id);
CREATE UNIQUE INDEX invoices_invoice_number_key ON invoices (invoice_number);
CREATE INDEX invoices_customer_id_id_idx ON invoices (customer_id, id);
CREATE INDEX invoices_status_id_idx ON invoices (status, id);
CREATE INDEX invoices_pdf_status_id_idx ON invoices (pdf_status, id);
CREATE UNIQUE INDEX invoice_items_invoice_id_line_number_key ON invoice_items (invoice_id, line_number);
CREATE INDEX idempotency_records_created_at_idx ON idempotency_records (created_at);
CREATE UNIQUE INDEX invoice_pdf_revisions_object_key_key ON invoice_pdf_revisions (object_key);
CREATE UNIQUE INDEX invoice_pdf_revisions_current ON invoice_pdf_revisions (invoice_id, revision, object_key);
CREATE UNIQUE INDEX notifications_event_id_key ON notifications (event_id);
CREATE INDEX notifications_invoice_id_created_at_idx ON notifications (invoice_id, created_at);
CREATE INDEX notifications_status_idx ON notifications (status);
CREATE INDEX dead_letters_invoice_id_idx ON dead_letters (invoice_id);
CREATE INDEX invoice_timeline_invoice_id_id_idx ON invoice_timeline (invoice_id, id);

-- The forwarder looks only at what is not yet published; these stay as small as the backlog.
CREATE INDEX outbox_events_unpublished ON outbox_events (position) WHERE status <> 'PUBLISHED';
CREATE INDEX outbox_events_unpublished_by_invoice ON outbox_events (aggregate_id, position)
  WHERE status <> 'PUBLISHED';
CREATE INDEX dead_letters_open ON dead_letters (id) WHERE replayed_at IS NULL;

ALTER TABLE invoices
  ADD CONSTRAINT invoices_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES sellers (id)
    ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE invoice_items
  ADD CONSTRAINT invoice_items_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices (id)
    ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE idempotency_records
  ADD CONSTRAINT idempotency_records_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices (id)
    ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE invoice_pdf_revisions
  ADD CONSTRAINT invoice_pdf_revisions_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices (id)
    ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE notifications
  ADD CONSTRAINT notifications_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices (id)
    ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE dead_letters
  ADD CONSTRAINT dead_letters_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices (id)
    ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE invoice_timeline
  ADD CONSTRAINT invoice_timeline_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices (id)
    ON DELETE RESTRICT ON UPDATE RESTRICT;
-- GENERATED is never said of a file that has no revision row.
ALTER TABLE invoices
  ADD CONSTRAINT invoices_pdf_current_revision FOREIGN KEY (id, pdf_revision, pdf_object_key)
    REFERENCES invoice_pdf_revisions (invoice_id, revision, object_key)
    ON DELETE RESTRICT ON UPDATE RESTRICT;
