import type { Db, Tx } from '../db/client.js';

/** The right to send one event's mail; every later move of it carries the attempt number. */
export interface MailClaim {
  notificationId: string;
  attempt: number;
}

export type MailClaimResult =
  | { kind: 'claimed'; claim: MailClaim; first: boolean }
  /** Another one sends it, or it is not due again yet. */
  | { kind: 'later'; seconds: number }
  /** SENT, or FAILED for good until somebody asks again. */
  | { kind: 'nothing to do' };

/**
 * One row per event, however often the event is delivered; PENDING, or FAILED and due → PENDING under a lease.
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
    SET status = 'PENDING', error_code = NULL, retry_at = NULL, attempt = attempt + 1,
        lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE event_id = ${event.id}::uuid
      AND (status = 'PENDING' OR (status = 'FAILED' AND retry_at <= clock_timestamp()))
      AND (lease_until IS NULL OR lease_until <= clock_timestamp())
    RETURNING id, attempt`;
  if (claimed) {
    return {
      kind: 'claimed',
      claim: { notificationId: claimed.id, attempt: claimed.attempt },
      first: inserted === 1,
    };
  }
  const [waiting] = await tx.$queryRaw<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM coalesce(lease_until, retry_at) - clock_timestamp())::float AS seconds
    FROM notifications WHERE event_id = ${event.id}::uuid`;
  const seconds = waiting?.seconds ?? undefined;
  return seconds === undefined ? { kind: 'nothing to do' } : { kind: 'later', seconds: Math.max(0, seconds) };
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

/** A failed mail stays FAILED until then, whatever else delivers its event meanwhile. */
export async function setMailRetry(
  tx: Tx,
  { notificationId, attempt }: MailClaim,
  delaySeconds: number,
): Promise<void> {
  // now(), as the job's own start counts from: neither comes before the other.
  await tx.$executeRaw`
    UPDATE notifications SET retry_at = now() + make_interval(secs => ${delaySeconds})
    WHERE id = ${notificationId}::uuid AND status = 'FAILED' AND attempt = ${attempt}`;
}

/** PENDING → FAILED for good: what was asked for again must not go out after a cancel. */
export async function withholdMail(db: Db, eventId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE notifications SET status = 'FAILED', error_code = 'INVOICE_CANCELLED', lease_until = NULL
    WHERE event_id = ${eventId}::uuid AND status = 'PENDING'
      AND (lease_until IS NULL OR lease_until <= clock_timestamp())`;
}

/** FAILED → PENDING with its full number of attempts again, for a replay. */
export async function askForMailAgain(tx: Tx, eventId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE notifications SET status = 'PENDING', error_code = NULL, retry_at = NULL, failures = 0
    WHERE event_id = ${eventId}::uuid AND status = 'FAILED'`;
}

/**
 * Whether the customer is to be told of this event's revision: as the event said when it was written, and
 * as a notification says that was made of it, which outlives the event.
 */
export async function customerIsToBeTold(db: Db, eventId: string): Promise<boolean> {
  const [told] = await db.$queryRaw<{ told: boolean }[]>`
    SELECT EXISTS (SELECT FROM notifications WHERE event_id = ${eventId}::uuid)
        OR EXISTS (SELECT FROM outbox_events
                   WHERE id = ${eventId}::uuid AND (payload->>'notify_customer')::boolean) AS told`;
  return told?.told === true;
}
