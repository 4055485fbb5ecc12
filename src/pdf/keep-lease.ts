import type { Db } from '../db/client.js';
import type { Log } from '../kernel/log.js';
import { extendLease, type PdfClaim } from './pdf-status.js';

export interface KeepLeaseOptions {
  db: Db;
  claim: PdfClaim;
  leaseSeconds: number;
  /** A work that hangs must not hold its claim for ever: others may have it after that. */
  forAtMostSeconds: number;
  log: Log;
}

/**
 * Extends a claim's lease while its work goes on, three times within one lease, so that a lease may be
 * shorter than a rendering and one late extension loses nothing.
 */
export function keepLease(options: KeepLeaseOptions): { release(): void } {
  const { db, claim, leaseSeconds, forAtMostSeconds, log } = options;
  const deadline = performance.now() + forAtMostSeconds * 1_000;
  const release = () => clearInterval(timer);

  async function extend(): Promise<void> {
    try {
      const held = performance.now() < deadline && (await extendLease(db, claim, leaseSeconds));
      if (!held) release();
    } catch (error) {
      log.warn({ err: error, invoice_id: claim.invoiceId }, 'a lease could not be extended');
    }
  }

  const timer = setInterval(() => void extend(), (leaseSeconds * 1_000) / 3);
  return { release };
}
