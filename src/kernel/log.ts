import { type Logger, pino } from 'pino';

/** Structured log with ids: request, invoice, order, event. Never bodies, tokens, addresses or names. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function makeLog(level: LogLevel): Logger {
  return pino({
    level,
    serializers: { err: describeError },
    // A second line of defence: whoever logs a whole request or config by mistake tells no secret.
    redact: {
      paths: ['*.authorization', '*.cookie', 'req.headers', '*.password', '*.secret', '*.token'],
      censor: '[redacted]',
    },
  });
}

/**
 * Name, message, code and stack, down the chain of causes. Nothing else that libraries hang on their
 * errors: a database error carries the whole row that it refuses, a customer's address with it.
 */
function describeError(error: unknown, depth = 0): unknown {
  // Some libraries report plain objects that have what an error has.
  if (typeof error !== 'object' || error === null) return String(error);
  const { name, message, code, stack, cause } = error as Partial<Error> & { code?: unknown };
  return {
    ...(name === undefined ? {} : { type: name }),
    message,
    ...(code === undefined ? {} : { code }),
    ...(depth === 0 ? { stack } : {}),
    ...(cause === undefined || depth === 3 ? {} : { cause: describeError(cause, depth + 1) }),
  };
}
