import { type AppError, unavailable } from '../kernel/errors.js';
import { Prisma } from './generated/client.js';

/** What PostgreSQL said, where an error of Prisma's or of pg's carries it. */
interface DatabaseFault {
  /** SQLSTATE, five characters. */
  sqlState: string | undefined;
  /** The adapter's own word for what has no SQLSTATE, such as an unreachable server. */
  kind: string | undefined;
}

/**
 * Lost connections, a server that starts, stops or is out of sessions, time-outs, deadlocks: nothing is
 * wrong with the request, and the same one may succeed later.
 */
const PASSING_STATES = /^(?:08|28|3D|40|53|57|55000|55P03|25P03|XX000)/;
const PASSING_KINDS =
  /^(?:DatabaseNotReachable|DatabaseAccessDenied|AuthenticationFailed|ConnectionClosed|SocketTimeout|TlsConnectionError|TooManyConnections)$/;
/** P1xxx: the connection; P2024: the pool; P2028: an interactive transaction that lost its time. */
const PASSING_PRISMA_CODES = /^(?:P1\d{3}|P2024|P2028)$/;
/** Errors of pg and Node that Prisma passes on as they are. */
const PASSING_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|is not queryable/i;
const PASSING_ERRNO = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;

/**
 * A database that cannot be used right now, as DEPENDENCY_UNAVAILABLE; undefined for anything else. A
 * broken invariant is deliberately not translated: the use cases guard against it, so it is a fault of
 * ours, answered as INTERNAL and logged with what PostgreSQL said.
 */
export function toAppError(error: unknown): AppError | undefined {
  return isPassing(error) ? unavailable('The database', error) : undefined;
}

/** Whether the database refused because a row of this key or number is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return faultOf(error).sqlState === '23505';
}

function isPassing(error: unknown): boolean {
  const { sqlState, kind } = faultOf(error);
  if (sqlState) return PASSING_STATES.test(sqlState);
  if (kind && PASSING_KINDS.test(kind)) return true;
  if (error instanceof Prisma.PrismaClientKnownRequestError) return PASSING_PRISMA_CODES.test(error.code);
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return PASSING_MESSAGES.test(error.message) || PASSING_ERRNO.test(code);
}

function faultOf(error: unknown): DatabaseFault {
  const cause = adapterCauseOf(error);
  return {
    sqlState: cause?.originalCode,
    kind: cause?.kind,
  };
}

/** Where the pg adapter of Prisma 7 keeps it. */
interface AdapterCause {
  originalCode?: string;
  kind?: string;
}

function adapterCauseOf(error: unknown): AdapterCause | undefined {
  // What fails at COMMIT comes as the adapter threw it; everything else inside an error of Prisma's.
  if (error instanceof Error && error.name === 'DriverAdapterError') return error.cause as AdapterCause;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return undefined;
  const meta = error.meta as { driverAdapterError?: { cause?: AdapterCause } } | undefined;
  return meta?.driverAdapterError?.cause;
}
