import type { Tx } from '../db/client.js';
import type { EventRef } from './events.js';

/** A delivery that did not work out, with the failures of its piece of work so far, this one included. */
export interface FailedDelivery {
  event: EventRef;
  failures: number;
  /** What an operator can act on; one of the closed lists of codes. */
  code: string;
  /** For the operator's eyes: no secrets, no order data. */
  message: string;
  /** Trying again cannot help. */
  permanent: boolean;
}

/** What follows: a job after a delay, which the failed row must carry too, or the dead letter. */
export type WhatFollows = { kind: 'retry'; delaySeconds: number } | { kind: 'dead' };

export type SettleFailure = (tx: Tx, failed: FailedDelivery) => Promise<WhatFollows>;

/**
 * Decides what follows a failed delivery and writes it in the caller's transaction, beside the state
 * that tells of the failure: a job after the next delay, or the dead letter. The two can never differ.
 */
export function makeSettleFailure(deps: {
  retryDelaysSeconds: readonly number[];
  queueOf: (event: EventRef) => string;
  enqueueLater: (tx: Tx, event: EventRef, delaySeconds: number) => Promise<void>;
}): SettleFailure {
  const { retryDelaysSeconds, queueOf, enqueueLater } = deps;
  return async (tx, { event, failures, code, message, permanent }) => {
    const delaySeconds = permanent ? undefined : retryDelaysSeconds[failures - 1];
    if (delaySeconds !== undefined) {
      await enqueueLater(tx, event, delaySeconds);
      return { kind: 'retry', delaySeconds };
    }
    await tx.$executeRaw`
      INSERT INTO dead_letters (id, queue, event_id, event_type, invoice_id, code, message, attempts, failed_at)
      VALUES (uuid_v7(clock_timestamp(), 0), ${queueOf(event)}, ${event.id}::uuid, ${event.type},
              ${event.invoiceId}::uuid, ${code}, ${message.slice(0, 500)}, ${failures}, clock_timestamp())`;
    return { kind: 'dead' };
  };
}
