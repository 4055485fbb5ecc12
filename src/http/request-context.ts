import type { FastifyRequest } from 'fastify';
import type { VerifyToken } from '../auth/token.js';
import { makeInvoiceLoaders, type RequestContext } from '../graphql/context.js';
import type { ReadInvoiceParts } from '../invoices/index.js';
import { AppError } from '../kernel/errors.js';

export interface RequestContextDeps {
  verifyToken: VerifyToken;
  readParts: ReadInvoiceParts;
  /** For the whole request; what was started may still come true. */
  requestTimeoutMs: number;
}

/** What resolvers learn of the HTTP request, and nothing more. */
export async function makeRequestContext(
  request: FastifyRequest,
  { verifyToken, readParts, requestTimeoutMs }: RequestContextDeps,
): Promise<RequestContext> {
  const key = request.headers['idempotency-key'];
  return {
    requestId: request.id,
    actor: await verifyToken(request.headers.authorization).catch(asAppError),
    deadline: performance.now() + requestTimeoutMs,
    // A header that came twice arrives joined by a comma and a space, and fails as a key should.
    idempotencyKey: Array.isArray(key) ? key.join(', ') : key,
    loaders: makeInvoiceLoaders(readParts),
  };
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
