import type { Db, Tx } from '../db/client.js';

/** The right to send one event's mail; every later move of it carries the attempt number. */
export interface MailClaim {
  notificationId: string;
  attempt: number;
}

export type MailClaimResult =
  | { kind: 'claimed'; claim: MailClaim }
  /** Another one sends it, or it is not due again yet. */
  | { kind: 'later'; seconds: number }
  /** So many claimants were lost with it that the next one would be too. */
  | { kind: 'given up' }
  /** No mail is owed for this event; or it is SENT, or FAILED for good until somebody asks again. */
  | { kind: 'nothing to do' };

/** Each of them may have sent the mail before it was lost: this bounds how often a customer may get it. */
const MOST_TAKEOVERS = 10;

/**
 * PENDING, or FAILED and due → PENDING under a lease, or taken over from a claimant whose lease is over. By
 * the database's clock alone: workers' clocks differ.
 */
export async function claimMail(db: Db, eventId: string, leaseSeconds: number): Promise<MailClaimResult> {
  const [claimed] = await db.$queryRaw<{ id: string; attempt: number }[]>`
    UPDATE notifications
    SET status = 'PENDING', error_code = NULL, retry_at = NULL, attempt = attempt + 1,
        takeovers = takeovers + (lease_until IS NOT NULL)::integer,
        unanswered = unanswered + (lease_until IS NOT NULL)::integer,
        lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE event_id = ${eventId}::uuid
      AND (status = 'PENDING' OR (status = 'FAILED' AND retry_at <= clock_timestamp()))
      AND (lease_until IS NULL OR (lease_until <= clock_timestamp() AND takeovers < ${MOST_TAKEOVERS}))
    RETURNING id, attempt`;
  if (claimed) return { kind: 'claimed', claim: { notificationId: claimed.id, attempt: claimed.attempt } };
  const [waiting] = await db.$queryRaw<{ seconds: number | null; takeovers: number }[]>`
    SELECT extract(epoch FROM coalesce(lease_until, retry_at) - clock_timestamp())::float AS seconds, takeovers
    FROM notifications WHERE event_id = ${eventId}::uuid`;
  const seconds = waiting?.seconds ?? undefined;
  if (waiting && seconds !== undefined && seconds <= 0 && waiting.takeovers >= MOST_TAKEOVERS) {
    return { kind: 'given up' };
  }
  return seconds === undefined ? { kind: 'nothing to do' } : { kind: 'later', seconds: Math.max(0, seconds) };
}

/** @returns false where the claim is lost. */
export async function extendMailLease(
  db: Db,
  { notificationId, attempt }: MailClaim,
  leaseSeconds: number,
): Promise<boolean> {
  const extended = await db.$executeRaw`
    UPDATE notifications SET lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE id = ${notificationId}::uuid AND status = 'PENDING' AND attempt = ${attempt}
      AND lease_until IS NOT NULL`;
  return extended === 1;
}

/** A claim that ends without having sent anything: the next one may begin at once. */
export async function endMailLease(tx: Tx, { notificationId, attempt }: MailClaim): Promise<boolean> {
  const ended = await tx.$executeRaw`
    UPDATE notifications SET lease_until = NULL
    WHERE id = ${notificationId}::uuid AND status = 'PENDING' AND attempt = ${attempt}`;
  return ended === 1;
}

/** PENDING → SENT. @returns false where the claim is lost. */
export async function recordSent(tx: Tx, { notificationId, attempt }: MailClaim): Promise<boolean> {
  const sent = await tx.$executeRaw`
    UPDATE notifications
    SET status = 'SENT', sent_at = clock_timestamp(), lease_until = NULL
    WHERE id = ${notificationId}::uuid AND status = 'PENDING' AND attempt = ${attempt}`;
  return sent === 1;
}

/**
 * PENDING → FAILED.
 *
 * @param unanswered whether the mail may have arrived in spite of it
 * @returns the failures so far, or undefined where the claim is lost.
 */
export async function recordMailFailed(
  tx: Tx,
  { notificationId, attempt }: MailClaim,
  { code, unanswered }: { code: string; unanswered: boolean },
): Promise<number | undefined> {
  const [failed] = await tx.$queryRaw<{ failures: number }[]>`
    UPDATE notifications
    SET status = 'FAILED', error_code = ${code}, failures = failures + 1, lease_until = NULL,
        unanswered = unanswered + ${unanswered ? 1 : 0}
    WHERE id = ${notificationId}::uuid AND status = 'PENDING' AND attempt = ${attempt}
    RETURNING failures`;
  return failed?.failures;
}

/** PENDING → FAILED for good, after the last claimant that may be lost was lost. */
export async function recordMailWorkerLost(
  tx: Tx,
  eventId: string,
): Promise<{ attempt: number; failures: number } | undefined> {
  const [lost] = await tx.$queryRaw<{ attempt: number; failures: number }[]>`
    UPDATE notifications
    SET status = 'FAILED', error_code = 'WORKER_LOST', failures = failures + 1, lease_until = NULL
    WHERE event_id = ${eventId}::uuid AND status = 'PENDING' AND lease_until <= clock_timestamp()
      AND takeovers >= ${MOST_TAKEOVERS}
    RETURNING attempt, failures + takeovers AS failures`;
  return lost;
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

/** PENDING, or FAILED and to be tried again → FAILED for good: what is owed must not go out after a cancel. */
export async function withholdMail(db: Db, eventId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE notifications
    SET status = 'FAILED', error_code = 'INVOICE_CANCELLED', lease_until = NULL, retry_at = NULL
    WHERE event_id = ${eventId}::uuid AND (status = 'PENDING' OR retry_at IS NOT NULL)
      AND (lease_until IS NULL OR lease_until <= clock_timestamp())`;
}

/** FAILED → PENDING with its full number of attempts again, for a replay. */
export async function askForMailAgain(tx: Tx, eventId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE notifications SET status = 'PENDING', error_code = NULL, retry_at = NULL, failures = 0, takeovers = 0
    WHERE event_id = ${eventId}::uuid AND status = 'FAILED'`;
}
