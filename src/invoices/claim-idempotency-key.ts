import { createHash } from 'node:crypto';
import type { Actor } from '../auth/actor.js';
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

/** @throws AppError IDEMPOTENCY_CONFLICT */
export function assertSameRequest(claim: IdempotencyClaim, recordedHash: string): void {
  if (recordedHash !== claim.requestHash) {
    throw new AppError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used with another input');
  }
}
