import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';

/**
 * Errors outside GraphQL's own: bodies that are not JSON or too large, a store that is away. Answered in
 * GraphQL's shape, which is the only one that clients of this service know, and logged without the URL,
 * whose signature is a secret.
 */
export function answerError(log: Log) {
  return (error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply) => {
    const { status, code, message } = describe(error);
    if (status >= 500) log.error({ err: error, request_id: request.id, code }, 'a request failed');
    return reply
      .code(status)
      .send({ errors: [{ message, extensions: { code, status, requestId: request.id } }] });
  };
}

function describe(error: FastifyError | AppError): { status: number; code: string; message: string } {
  if (error instanceof AppError) return error;
  const { statusCode = 500 } = error;
  // A URL that cannot be decoded names nothing.
  if (error.code === 'FST_ERR_BAD_URL') return { status: 404, code: 'NOT_FOUND', message: 'Not found' };
  // What Fastify refuses is the client's doing, and said in Fastify's own words.
  if (statusCode < 500) return { status: statusCode, code: 'BAD_REQUEST', message: error.message };
  return { status: 500, code: 'INTERNAL', message: 'Internal error' };
}
