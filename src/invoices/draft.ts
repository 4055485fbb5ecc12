import type { IdempotencyClaim } from './claim-idempotency-key.js';
import type { OrderSnapshot } from './snapshot-order.js';

/** All that an invoice will say, but for its number and its moment. */
export interface Draft {
  claim: IdempotencyClaim;
  snapshot: OrderSnapshot;
  /** Id of a kept seller row. */
  sellerId: string;
  /** IANA name; decides year and dates. */
  timeZone: string;
  /** BCP 47 tag */
  locale: string;
}

/** How a draft fared. The two refusals name the invoice that was there first. */
export type IssueOutcome =
  | { kind: 'issued'; invoiceId: string; invoiceNumber: string; issueDate: string; finalizedAt: Date }
  | { kind: 'key used'; invoiceId: string; requestHash: string }
  | { kind: 'order invoiced'; invoiceId: string };
