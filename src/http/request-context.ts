import type { FastifyRequest } from 'fastify';
import type { VerifyToken } from '../auth/token.js';
import { makeInvoiceLoaders, type RequestContext } from '../graphql/context.js';
import type { ReadInvoiceParts } from '../invoices/index.js';

/** What resolvers learn of the HTTP request, and nothing more. */
export async function makeRequestContext(
  request: FastifyRequest,
  { verifyToken, readParts }: { verifyToken: VerifyToken; readParts: ReadInvoiceParts },
): Promise<RequestContext> {
  const key = request.headers['idempotency-key'];
  return {
    requestId: request.id,
    actor: await verifyToken(request.headers.authorization),
    // A header that came twice arrives joined by a comma and a space, and fails as a key should.
    idempotencyKey: Array.isArray(key) ? key.join(', ') : key,
    loaders: makeInvoiceLoaders(readParts),
  };
}
