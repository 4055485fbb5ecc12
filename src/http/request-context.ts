import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VerifyToken } from '../auth/token.js';
import { CALLER_GONE, makeInvoiceLoaders, type RequestContext } from '../graphql/context.js';
import type { ReadInvoiceParts } from '../invoices/index.js';
import { AppError, unavailable } from '../kernel/errors.js';

export interface RequestContextDeps {
  verifyToken: VerifyToken;
  readParts: ReadInvoiceParts;
  /** For the whole request; what was started may still come true. */
  requestTimeoutMs: number;
}

/** What resolvers learn of the HTTP request, and nothing more. */
export async function makeRequestContext(
  request: FastifyRequest,
  reply: FastifyReply,
  { verifyToken, readParts, requestTimeoutMs }: RequestContextDeps,
): Promise<RequestContext> {
  // First of all: it also counts the time that a key server takes, and hears a caller who hangs up meanwhile.
  const patience = patienceOf(reply, requestTimeoutMs);
  const key = request.headers['idempotency-key'];
  return {
    requestId: request.id,
    actor: await verifyToken(request.headers.authorization).catch(asAppError),
    patience,
    // A header that came twice arrives joined by a comma and a space, and fails as a key should.
    idempotencyKey: Array.isArray(key) ? key.join(', ') : key,
    loaders: makeInvoiceLoaders(readParts),
  };
}

/** Ends with the request's time, or when the caller hangs up before the answer. */
function patienceOf(reply: FastifyReply, timeoutMs: number): AbortSignal {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(unavailable('Folio')), timeoutMs);
  reply.raw.once('close', () => {
    clearTimeout(timer);
    if (!reply.raw.writableFinished) patience.abort(CALLER_GONE);
  });
  return patience.signal;
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
