import { createHash } from 'node:crypto';
import type { Actor } from '../auth/actor.js';
import type { Tx } from '../db/client.js';
import { AppError, invalid } from '../kernel/errors.js';

/** A key is its caller's own: two callers may use the same words. */
export interface IdempotencyClaim {
  actor: Actor;
  key: string;
  requestHash: string;
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** @throws AppError VALIDATION_ERROR for a key that is not 1 to 255 visible ASCII characters. */
export function claimFor(actor: Actor, key: string, input: { orderId: string }): IdempotencyClaim {
  if (!VISIBLE_ASCII.test(key)) {
    throw invalid('idempotencyKey', 'must be 1 to 255 visible ASCII characters');
  }
  const requestHash = createHash('sha256')
    .update(JSON.stringify(['createInvoice', input.orderId]))
    .digest('hex');
  return { actor, key, requestHash };
}

/** What the books hold already, by id. */
export interface AlreadyIssued {
  byKey: string | undefined;
  forOrder: string | undefined;
}

/**
 * Looks for the key and for the order in one statement. In two, a create that commits between them would
 * show its invoice but not yet its key, and a caller who repeats a key would be told of a conflict.
 *
 * @throws AppError IDEMPOTENCY_CONFLICT where the key was used with another input.
 */
export async function findIssued(tx: Tx, claim: IdempotencyClaim, orderId: string): Promise<AlreadyIssued> {
  const [found] = await tx.$queryRaw<
    { request_hash: string | null; key_invoice_id: string | null; order_invoice_id: string | null }[]
  >`
    SELECT used.request_hash, used.invoice_id AS key_invoice_id, invoiced.id AS order_invoice_id
    FROM (VALUES (${claim.actor.role}, ${claim.actor.id}, ${claim.key}, ${orderId}))
      AS asked (actor_role, actor_id, key, order_id)
    LEFT JOIN idempotency_records AS used USING (actor_role, actor_id, key)
    LEFT JOIN invoices AS invoiced ON invoiced.order_id = asked.order_id`;
  if (found?.request_hash) assertSameRequest(claim, found.request_hash);
  return { byKey: found?.key_invoice_id ?? undefined, forOrder: found?.order_invoice_id ?? undefined };
}

/** @throws AppError IDEMPOTENCY_CONFLICT */
export function assertSameRequest(claim: IdempotencyClaim, recordedHash: string): void {
  if (recordedHash !== claim.requestHash) {
    throw new AppError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used with another input');
  }
}
