import type { Tx } from '../db/client.js';
import { type GivenUpWork, writeDeadLetter } from './dead-letter-rows.js';
import type { EventRef } from './events.js';

/** A delivery that did not work out. */
export interface FailedDelivery extends Pick<GivenUpWork, 'event' | 'code' | 'message'> {
  /** Of this piece of work so far, this one included. */
  failures: number;
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
    await writeDeadLetter(tx, { queue: queueOf(event), event, code, message, attempts: failures });
    return { kind: 'dead' };
  };
}
