import type { Log } from './log.js';

/** A claim on a piece of work, while the work goes on. */
export interface Lease {
  /** Aborted as soon as the claim is known to be lost. */
  readonly signal: AbortSignal;
  /**
   * Whether the claim is surely still ours, by this process's own clock. The last look before anything that
   * cannot be taken back: a process that was stopped for a while wakes up in the middle of its work, before
   * any timer or answer can tell it what it missed.
   */
  isHeld(): boolean;
}

/** The claim is lost, or is given up since its work took too long: another one may have it now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export interface KeepLeaseOptions {
  /** Writes a new lease in the claim's row. @returns false where the claim is lost. */
  extend: () => Promise<boolean>;
  leaseSeconds: number;
  /** `performance.now()` from before the claim was written: what is ours by this clock is ours by the database's. */
  claimedAt: number;
  /** A work that hangs must not hold its claim for ever: others may have it after that. */
  forAtMostSeconds: number;
  log: Log;
}

/**
 * Extends a claim's lease while its work goes on, three times within one lease, so that a lease may be
 * shorter than the work and one late extension loses nothing.
 */
export function keepLease(options: KeepLeaseOptions): Lease & { release(): void } {
  const { extend, leaseSeconds, claimedAt, forAtMostSeconds, log } = options;
  const leaseMs = leaseSeconds * 1_000;
  const giveUpAt = claimedAt + forAtMostSeconds * 1_000;
  const lost = new AbortController();
  let heldUntil = claimedAt + leaseMs;

  function give(reason: string): void {
    release();
    lost.abort(new LeaseLost(reason));
  }

  async function extendOnce(): Promise<void> {
    const askedAt = performance.now();
    if (askedAt >= giveUpAt) return give(`The work took longer than ${forAtMostSeconds} s`);
    try {
      if (await extend()) heldUntil = askedAt + leaseMs;
      else give('Another attempt has the work');
    } catch (error) {
      log.warn({ err: error }, 'a lease could not be extended');
    }
  }

  const timer = setInterval(() => void extendOnce(), leaseMs / 3);
  const release = () => clearInterval(timer);
  return { signal: lost.signal, isHeld: () => performance.now() < heldUntil, release };
}
