import type { Db, Tx } from '../db/client.js';

/** The right to send one event's mail; every later move of it carries the attempt number. */
export interface MailClaim {
  notificationId: string;
  attempt: number;
}

export type MailClaimResult =
  | { kind: 'claimed'; claim: MailClaim; first: boolean }
  | { kind: 'busy'; secondsLeft: number }
  | { kind: 'done' };

/**
 * One row per event, however often the event is delivered; PENDING or FAILED → PENDING under a lease.
 * Joins the caller's transaction, so that the request can be told of beside the row.
 */
export async function claimMail(
  tx: Tx,
  event: { id: string; invoiceId: string },
  leaseSeconds: number,
): Promise<MailClaimResult> {
  const inserted = await tx.$executeRaw`
    INSERT INTO notifications (id, invoice_id, event_id, created_at)
    VALUES (uuid_v7(clock_timestamp(), 0), ${event.invoiceId}::uuid, ${event.id}::uuid, clock_timestamp())
    ON CONFLICT (event_id) DO NOTHING`;
  const [claimed] = await tx.$queryRaw<{ id: string; attempt: number }[]>`
    UPDATE notifications
    SET status = 'PENDING', error_code = NULL, attempt = attempt + 1,
        lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE event_id = ${event.id}::uuid AND status IN ('PENDING', 'FAILED')
      AND (lease_until IS NULL OR lease_until <= clock_timestamp())
    RETURNING id, attempt`;
  if (claimed) {
    return {
      kind: 'claimed',
      claim: { notificationId: claimed.id, attempt: claimed.attempt },
      first: inserted === 1,
    };
  }
  const [holder] = await tx.$queryRaw<{ seconds_left: number }[]>`
    SELECT greatest(0, extract(epoch FROM lease_until - clock_timestamp()))::float AS seconds_left
    FROM notifications WHERE event_id = ${event.id}::uuid AND status <> 'SENT'`;
  return holder ? { kind: 'busy', secondsLeft: holder.seconds_left } : { kind: 'done' };
}

/** PENDING → SENT. @returns false where the claim is lost. */
export async function recordSent(tx: Tx, { notificationId, attempt }: MailClaim): Promise<boolean> {
  const sent = await tx.$executeRaw`
    UPDATE notifications
    SET status = 'SENT', sent_at = clock_timestamp(), lease_until = NULL
    WHERE id = ${notificationId}::uuid AND status = 'PENDING' AND attempt = ${attempt}`;
  return sent === 1;
}

/** PENDING → FAILED. @returns the failures so far, or undefined where the claim is lost. */
export async function recordMailFailed(
  tx: Tx,
  { notificationId, attempt }: MailClaim,
  code: string,
): Promise<number | undefined> {
  const [failed] = await tx.$queryRaw<{ failures: number }[]>`
    UPDATE notifications
    SET status = 'FAILED', error_code = ${code}, failures = failures + 1, lease_until = NULL
    WHERE id = ${notificationId}::uuid AND status = 'PENDING' AND attempt = ${attempt}
    RETURNING failures`;
  return failed?.failures;
}

/** FAILED → PENDING with its full number of attempts again, for a replay. */
export async function forgetMailFailures(tx: Tx, eventId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE notifications SET status = 'PENDING', error_code = NULL, failures = 0
    WHERE event_id = ${eventId}::uuid AND status = 'FAILED'`;
}

/** What the event said when it was written: whether the customer is to be told of this revision. */
export async function customerIsToBeTold(db: Db, eventId: string): Promise<boolean> {
  const [event] = await db.$queryRaw<{ notify: boolean | null }[]>`
    SELECT (payload->>'notify_customer')::boolean AS notify FROM outbox_events WHERE id = ${eventId}::uuid`;
  return event?.notify === true;
}
