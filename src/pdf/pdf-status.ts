import type { Db, Tx } from '../db/client.js';
import type { PdfErrorCode } from '../invoices/index.js';

/**
 * The right to render one invoice: whoever holds it writes its attempt number into every later move, so
 * that a claimant that lost its lease changes nothing.
 */
export interface PdfClaim {
  invoiceId: string;
  attempt: number;
}

export type ClaimResult =
  | { kind: 'claimed'; claim: PdfClaim }
  /** Another one has it, or it is not due again yet: come back then, since nobody else may. */
  | { kind: 'later'; seconds: number }
  /** So many claimants were lost with it that the document itself must be what ends them. */
  | { kind: 'given up' }
  /** GENERATED, or FAILED for good until somebody asks again. */
  | { kind: 'nothing to do' };

/** Workers come and go, deployments too; a document that has cost ten of them would cost the next as well. */
export const MOST_TAKEOVERS = 10;

/**
 * PENDING, or FAILED and due → PROCESSING, or taken over from a claimant whose lease is over. By the
 * database's clock alone: workers' clocks differ.
 */
export async function claimPdf(db: Db, invoiceId: string, leaseSeconds: number): Promise<ClaimResult> {
  const [claimed] = await db.$queryRaw<{ attempt: number }[]>`
    UPDATE invoices
    SET pdf_status = 'PROCESSING',
        pdf_attempt = pdf_attempt + 1,
        pdf_takeovers = pdf_takeovers + (pdf_status = 'PROCESSING')::integer,
        pdf_error_code = NULL,
        pdf_retry_at = NULL,
        pdf_lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE id = ${invoiceId}::uuid
      AND (pdf_status = 'PENDING'
           OR (pdf_status = 'FAILED' AND pdf_retry_at <= clock_timestamp())
           OR (pdf_status = 'PROCESSING' AND pdf_lease_until <= clock_timestamp()
               AND pdf_takeovers < ${MOST_TAKEOVERS}))
    RETURNING pdf_attempt AS attempt`;
  if (claimed) return { kind: 'claimed', claim: { invoiceId, attempt: claimed.attempt } };
  const [waiting] = await db.$queryRaw<{ seconds: number | null; takeovers: number }[]>`
    SELECT extract(epoch FROM coalesce(pdf_lease_until, pdf_retry_at) - clock_timestamp())::float AS seconds,
           pdf_takeovers AS takeovers
    FROM invoices WHERE id = ${invoiceId}::uuid`;
  const seconds = waiting?.seconds ?? undefined;
  if (waiting && seconds !== undefined && seconds <= 0 && waiting.takeovers >= MOST_TAKEOVERS) {
    return { kind: 'given up' };
  }
  return seconds === undefined ? { kind: 'nothing to do' } : { kind: 'later', seconds: Math.max(0, seconds) };
}

/** @returns false where the claim is lost. */
export async function extendLease(db: Db, claim: PdfClaim, leaseSeconds: number): Promise<boolean> {
  const extended = await db.$executeRaw`
    UPDATE invoices SET pdf_lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE id = ${claim.invoiceId}::uuid AND pdf_status = 'PROCESSING' AND pdf_attempt = ${claim.attempt}`;
  return extended === 1;
}

/** Ends the lease of a claim whose work is handed back: the next one may take it over at once. */
export async function endLease(tx: Tx, { invoiceId, attempt }: PdfClaim): Promise<boolean> {
  const ended = await tx.$executeRaw`
    UPDATE invoices SET pdf_lease_until = clock_timestamp()
    WHERE id = ${invoiceId}::uuid AND pdf_status = 'PROCESSING' AND pdf_attempt = ${attempt}`;
  return ended === 1;
}

export interface FinishedRendering {
  objectKey: string;
  sha256: string;
  bytes: number;
  templateVersion: string;
}

/**
 * PROCESSING → GENERATED with its revision, whose number is the attempt's.
 *
 * @returns whether the customer is to be told, or undefined where the claim is lost.
 */
export async function recordGenerated(
  tx: Tx,
  { invoiceId, attempt }: PdfClaim,
  rendering: FinishedRendering,
): Promise<{ notifyCustomer: boolean } | undefined> {
  // The row is locked by the first guarded statement: a claim that is lost leaves no revision behind.
  const [held] = await tx.$queryRaw<{ notify_customer: boolean }[]>`
    SELECT pdf_notify_customer AS notify_customer FROM invoices
    WHERE id = ${invoiceId}::uuid AND pdf_status = 'PROCESSING' AND pdf_attempt = ${attempt}
    FOR UPDATE`;
  if (!held) return undefined;
  await tx.$executeRaw`
    INSERT INTO invoice_pdf_revisions (invoice_id, revision, object_key, sha256, bytes, template_version, created_at)
    VALUES (${invoiceId}::uuid, ${attempt}, ${rendering.objectKey}, ${rendering.sha256}, ${rendering.bytes},
            ${rendering.templateVersion}, clock_timestamp())`;
  await tx.$executeRaw`
    UPDATE invoices
    SET pdf_status = 'GENERATED', pdf_revision = ${attempt}, pdf_object_key = ${rendering.objectKey},
        pdf_lease_until = NULL, pdf_failures = 0, pdf_takeovers = 0, pdf_notify_customer = false
    WHERE id = ${invoiceId}::uuid AND pdf_status = 'PROCESSING' AND pdf_attempt = ${attempt}`;
  return { notifyCustomer: held.notify_customer };
}

/**
 * PROCESSING → FAILED.
 *
 * @returns the failures since the work was asked for, or undefined where the claim is lost.
 */
export async function recordFailed(tx: Tx, claim: PdfClaim, code: PdfErrorCode): Promise<number | undefined> {
  const [failed] = await tx.$queryRaw<{ failures: number }[]>`
    UPDATE invoices
    SET pdf_status = 'FAILED', pdf_error_code = ${code}, pdf_failures = pdf_failures + 1, pdf_lease_until = NULL
    WHERE id = ${claim.invoiceId}::uuid AND pdf_status = 'PROCESSING' AND pdf_attempt = ${claim.attempt}
    RETURNING pdf_failures AS failures`;
  return failed?.failures;
}

/**
 * PROCESSING → FAILED for good, after the last claimant that may be lost was lost.
 *
 * @returns its number and all attempts since the work was asked for, or undefined where another state was met.
 */
export async function recordWorkerLost(
  tx: Tx,
  invoiceId: string,
): Promise<{ attempt: number; failures: number } | undefined> {
  const [lost] = await tx.$queryRaw<{ attempt: number; failures: number }[]>`
    UPDATE invoices
    SET pdf_status = 'FAILED', pdf_error_code = 'WORKER_LOST', pdf_failures = pdf_failures + 1,
        pdf_lease_until = NULL
    WHERE id = ${invoiceId}::uuid AND pdf_status = 'PROCESSING' AND pdf_lease_until <= clock_timestamp()
      AND pdf_takeovers >= ${MOST_TAKEOVERS}
    RETURNING pdf_attempt AS attempt, pdf_failures + pdf_takeovers AS failures`;
  return lost;
}

/** A failed rendering stays FAILED until then, whatever else delivers its event meanwhile. */
export async function setRetry(
  tx: Tx,
  { invoiceId, attempt }: PdfClaim,
  delaySeconds: number,
): Promise<void> {
  // now(), as the job's own start counts from: neither comes before the other.
  await tx.$executeRaw`
    UPDATE invoices SET pdf_retry_at = now() + make_interval(secs => ${delaySeconds})
    WHERE id = ${invoiceId}::uuid AND pdf_status = 'FAILED' AND pdf_attempt = ${attempt}`;
}

/**
 * GENERATED or FAILED → PENDING: the same snapshot once more. A customer who never got a first file
 * announced is still owed that mail, whatever this call says.
 *
 * @returns false where invoice or PDF are in another state.
 */
export async function requestAgain(
  tx: Tx,
  invoiceId: string,
  { notifyCustomer }: { notifyCustomer: boolean },
): Promise<boolean> {
  const requested = await tx.$executeRaw`
    UPDATE invoices
    SET pdf_status = 'PENDING', pdf_error_code = NULL, pdf_retry_at = NULL, pdf_failures = 0, pdf_takeovers = 0,
        pdf_notify_customer = pdf_notify_customer OR ${notifyCustomer}
    WHERE id = ${invoiceId}::uuid AND status = 'FINALIZED' AND pdf_status IN ('GENERATED', 'FAILED')`;
  return requested === 1;
}

/** Makes a dead letter's work due at once, with its full number of attempts. */
export async function makeDueAgain(tx: Tx, invoiceId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE invoices SET pdf_failures = 0, pdf_takeovers = 0, pdf_retry_at = now()
    WHERE id = ${invoiceId}::uuid AND pdf_status = 'FAILED'`;
}
