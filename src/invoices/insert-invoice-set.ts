import { Prisma, type Tx } from '../db/client.js';
import { insertEvents } from '../outbox/append-events.js';
import { momentOfIssue } from './allocate-number.js';
import type { Draft, IssueOutcome } from './draft.js';
import { type FoundRow, JOIN_ISSUED } from './find-issued.js';

export interface IssueRow extends FoundRow {
  invoice_id: string | null;
  invoice_number: string | null;
  issue_date: string | null;
  finalized_at: Date | null;
}

const INVOICE_CREATED = Prisma.sql`
  SELECT 'InvoiceCreated' AS type, id AS invoice_id, order_id, customer_id, '{}'::jsonb AS data, nth AS place
  FROM numbered`;

/**
 * The set in one statement. Keys and orders are looked at first and only the survivors are numbered: a number
 * taken before a conflict is found would leave a gap.
 *
 * @returns one row per draft, in their order; none at all where the statement waited for the counter and it
 * moved meanwhile, where the year turned meanwhile, or where the year has no counter yet.
 */
export function insertInvoiceSet(tx: Tx, drafts: readonly Draft[], timeZone: string): Promise<IssueRow[]> {
  return tx.$queryRaw<IssueRow[]>`
    -- prepared: issue_set
    WITH ${momentOfIssue(timeZone)},
    draft AS MATERIALIZED (
      SELECT draft.*, moment.at, moment.year
      FROM moment, ROWS FROM (
        jsonb_to_recordset(${JSON.stringify(drafts.map(toRow))}::jsonb) AS (
          actor_role text, actor_id text, key text, request_hash text,
          order_id text, customer_id text, currency text, minor_unit smallint,
          subtotal numeric, discount numeric, tax numeric, total numeric,
          customer_name text, customer_email text, customer_tax_id text,
          line1 text, line2 text, city text, region text, postal_code text, country text,
          seller_id text, locale text, lines jsonb
        )
      ) WITH ORDINALITY AS draft (
        actor_role, actor_id, key, request_hash,
        order_id, customer_id, currency, minor_unit, subtotal, discount, tax, total,
        customer_name, customer_email, customer_tax_id,
        line1, line2, city, region, postal_code, country, seller_id, locale, lines, place
      )
      WHERE extract(year FROM moment.at AT TIME ZONE ${timeZone}) = moment.year
    ),
    judged AS MATERIALIZED (
      SELECT asked.*, used.invoice_id AS key_invoice_id, used.request_hash AS key_request_hash,
             invoiced.id AS order_invoice_id
      FROM draft AS asked
      ${JOIN_ISSUED}
    ),
    accepted AS MATERIALIZED (
      SELECT judged.*, (row_number() OVER (ORDER BY place))::integer AS nth
      FROM judged WHERE key_invoice_id IS NULL AND order_invoice_id IS NULL
    ),
    taken AS (
      UPDATE invoice_number_counters AS counter
      SET next_number = counter.next_number + (SELECT count(*) FROM accepted), last_finalized_at = moment.at
      FROM moment WHERE counter.year = moment.year AND EXISTS (SELECT FROM accepted)
      RETURNING counter.next_number - (SELECT count(*)::integer FROM accepted) - 1 AS number_before
    ),
    numbered AS MATERIALIZED (
      SELECT accepted.*, uuid_v7(at, number_before + nth) AS id, invoice_number(year, number_before + nth) AS invoice_number,
             (at AT TIME ZONE ${timeZone})::date AS issue_date
      FROM accepted, taken
    ),
    invoice AS (
      INSERT INTO invoices (
        id, order_id, customer_id, invoice_number, status, currency, minor_unit,
        subtotal, discount, tax, total, line_count,
        customer_name, customer_email, customer_tax_id, address_line1, address_line2, address_city,
        address_region, address_postal_code, address_country,
        seller_id, issue_date, time_zone, locale, created_by_role, created_by_id, created_at, finalized_at
      )
      SELECT id, order_id, customer_id, invoice_number, 'FINALIZED', currency, minor_unit,
        subtotal, discount, tax, total, jsonb_array_length(lines),
        customer_name, customer_email, customer_tax_id, line1, line2, city, region, postal_code, country,
        seller_id, issue_date, ${timeZone}, locale, actor_role, actor_id, at, at
      FROM numbered
    ),
    line AS (
      INSERT INTO invoice_items (
        invoice_id, line_number, product_id, description, quantity, unit_price, discount, tax, total, minor_unit
      )
      SELECT numbered.id, line.place, line.product_id, line.description, line.quantity, line.unit_price,
        line.discount, line.tax, line.total, numbered.minor_unit
      FROM numbered, ROWS FROM (
        jsonb_to_recordset(numbered.lines) AS (
          product_id text, description text, quantity numeric, unit_price numeric,
          discount numeric, tax numeric, total numeric
        )
      ) WITH ORDINALITY AS line (
        product_id, description, quantity, unit_price, discount, tax, total, place
      )
    ),
    claim AS (
      INSERT INTO idempotency_records (actor_role, actor_id, key, request_hash, invoice_id, created_at)
      SELECT actor_role, actor_id, key, request_hash, id, at FROM numbered
    ),
    event AS (${insertEvents(INVOICE_CREATED)})
    SELECT numbered.id AS invoice_id, numbered.invoice_number, numbered.issue_date::text,
           numbered.at AS finalized_at,
           judged.key_invoice_id, judged.key_request_hash, judged.order_invoice_id
    FROM judged LEFT JOIN numbered USING (place)
    ORDER BY judged.place`;
}

function toRow({ claim, snapshot, sellerId, locale }: Draft) {
  const { customer } = snapshot;
  return {
    actor_role: claim.actor.role,
    actor_id: claim.actor.id,
    key: claim.key,
    request_hash: claim.requestHash,
    order_id: snapshot.orderId,
    customer_id: snapshot.customerId,
    currency: snapshot.currency,
    minor_unit: snapshot.minorUnit,
    subtotal: snapshot.subtotal,
    discount: snapshot.discount,
    tax: snapshot.tax,
    total: snapshot.total,
    customer_name: customer.name,
    customer_email: customer.email,
    customer_tax_id: customer.taxId,
    line1: customer.address.line1,
    line2: customer.address.line2,
    city: customer.address.city,
    region: customer.address.region,
    postal_code: customer.address.postalCode,
    country: customer.address.country,
    seller_id: sellerId,
    locale,
    lines: snapshot.lines.map(({ productId, unitPrice, ...line }) => ({
      ...line,
      product_id: productId,
      unit_price: unitPrice,
    })),
  };
}

export function toOutcome(row: IssueRow): IssueOutcome {
  const { invoice_id, invoice_number, issue_date, finalized_at } = row;
  if (invoice_id && invoice_number && issue_date && finalized_at) {
    return {
      kind: 'issued',
      invoiceId: invoice_id,
      invoiceNumber: invoice_number,
      issueDate: issue_date,
      finalizedAt: finalized_at,
    };
  }
  if (row.key_invoice_id && row.key_request_hash) {
    return { kind: 'key used', invoiceId: row.key_invoice_id, requestHash: row.key_request_hash };
  }
  if (row.order_invoice_id) return { kind: 'order invoiced', invoiceId: row.order_invoice_id };
  throw new Error('A draft was neither issued nor refused');
}
