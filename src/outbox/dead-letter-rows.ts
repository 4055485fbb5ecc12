import type { Tx } from '../db/client.js';
import type { EventRef } from './events.js';

/** Work that is given up, as it is written down for an operator. */
export interface GivenUpWork {
  /** Which part gave it up, and takes it back when it is replayed. */
  queue: string;
  event: EventRef;
  /** What an operator can act on; one of the closed lists of codes. */
  code: string;
  /** For the operator's eyes: no secrets, no order data. */
  message: string;
  /** Failed attempts, the last one included. */
  attempts: number;
}

/** Writes the letter in the transaction that gives the work up. */
export async function writeDeadLetter(tx: Tx, work: GivenUpWork): Promise<void> {
  const { queue, event, code, message, attempts } = work;
  await tx.$executeRaw`
    INSERT INTO dead_letters (id, queue, event_id, event_type, invoice_id, code, message, attempts, failed_at)
    VALUES (uuid_v7(clock_timestamp(), 0), ${queue}, ${event.id}::uuid, ${event.type},
            ${event.invoiceId}::uuid, ${code}, ${message.slice(0, 500)}, ${attempts}, clock_timestamp())`;
}

/** Closes an invoice's letters of one queue: somebody has asked for that work anew. */
export async function closeDeadLetters(
  tx: Tx,
  { queue, invoiceId }: { queue: string; invoiceId: string },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE dead_letters SET replayed_at = clock_timestamp()
    WHERE invoice_id = ${invoiceId}::uuid AND queue = ${queue} AND replayed_at IS NULL`;
}
