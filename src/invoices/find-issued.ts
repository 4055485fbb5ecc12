import DataLoader from 'dataloader';
import { type Db, Prisma } from '../db/client.js';
import { assertSameRequest, type IdempotencyClaim } from './claim-idempotency-key.js';

/** What the books hold already, by id. */
export interface AlreadyIssued {
  byKey: string | undefined;
  forOrder: string | undefined;
}

/** @throws AppError IDEMPOTENCY_CONFLICT where the key was used with another input. */
export type FindIssued = (claim: IdempotencyClaim, orderId: string) => Promise<AlreadyIssued>;

interface Asked {
  claim: IdempotencyClaim;
  orderId: string;
}

export interface FoundRow {
  key_invoice_id: string | null;
  key_request_hash: string | null;
  order_invoice_id: string | null;
}

/**
 * SQL that joins what was committed to rows named "asked": the key as "used", the order as "invoiced". LIMIT
 * keeps them two look-ups for each row.
 */
export const JOIN_ISSUED = Prisma.sql`
  LEFT JOIN LATERAL (
    SELECT invoice_id, request_hash FROM idempotency_records AS record
    WHERE (record.actor_role, record.actor_id, record.key) = (asked.actor_role, asked.actor_id, asked.key)
    LIMIT 1
  ) AS used ON true
  LEFT JOIN LATERAL (
    SELECT id FROM invoices WHERE invoices.order_id = asked.order_id LIMIT 1
  ) AS invoiced ON true`;

/** Far more than ask in one turn of the event loop; bounds the statement. */
const MOST_AT_ONCE = 500;

/**
 * Looks for keys and orders among what was committed, all that are asked for in one turn of the event loop
 * in one statement. Key and order together: in two statements, a create that commits between them would
 * show its invoice but not yet its key, and a caller who repeats a key would be told of a conflict.
 */
export function makeFindIssued({ db }: { db: Db }): FindIssued {
  const loader = new DataLoader<Asked, FoundRow>((asked) => lookUp(db, asked), {
    cache: false,
    maxBatchSize: MOST_AT_ONCE,
    batchScheduleFn: setImmediate,
  });
  return async (claim, orderId) => {
    const found = await loader.load({ claim, orderId });
    if (found.key_request_hash) assertSameRequest(claim, found.key_request_hash);
    return { byKey: found.key_invoice_id ?? undefined, forOrder: found.order_invoice_id ?? undefined };
  };
}

/** @returns one row for each, in their order. */
function lookUp(db: Db, asked: readonly Asked[]): Promise<FoundRow[]> {
  const rows = asked.map(({ claim, orderId }) => ({
    actor_role: claim.actor.role,
    actor_id: claim.actor.id,
    key: claim.key,
    order_id: orderId,
  }));
  return db.$queryRaw<FoundRow[]>`
    -- prepared: find_issued
    SELECT used.invoice_id AS key_invoice_id, used.request_hash AS key_request_hash,
           invoiced.id AS order_invoice_id
    FROM ROWS FROM (
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS (actor_role text, actor_id text, key text, order_id text)
    ) WITH ORDINALITY AS asked (actor_role, actor_id, key, order_id, place)
    ${JOIN_ISSUED}
    ORDER BY asked.place`;
}
