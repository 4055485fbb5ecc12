import type { Db } from '../db/client.js';
import type { Log } from '../kernel/log.js';
import { extendLease, type PdfClaim } from './pdf-status.js';

/**
 * Extends a claim's lease while its work goes on, three times within one lease, so that a lease may be
 * shorter than a rendering and one late extension loses nothing.
 */
export function keepLease(options: { db: Db; claim: PdfClaim; leaseSeconds: number; log: Log }): {
  release(): void;
} {
  const { db, claim, leaseSeconds, log } = options;
  const timer = setInterval(
    () => {
      extendLease(db, claim, leaseSeconds).catch((error) =>
        log.warn({ err: error, invoice_id: claim.invoiceId }, 'a lease could not be extended'),
      );
    },
    (leaseSeconds * 1000) / 3,
  );
  return { release: () => clearInterval(timer) };
}
