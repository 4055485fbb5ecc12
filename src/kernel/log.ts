import { type Logger, pino } from 'pino';

/** Structured log with ids: request, invoice, order, event. Never bodies, tokens, addresses or names. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function makeLog(level: LogLevel): Logger {
  return pino({
    level,
    // A second line of defence: whoever logs a whole request or config by mistake tells no secret.
    redact: {
      paths: ['*.authorization', '*.cookie', 'req.headers', '*.password', '*.secret', '*.token'],
      censor: '[redacted]',
    },
  });
}
