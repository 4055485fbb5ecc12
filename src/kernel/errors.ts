/** Every code that an operation of ours may answer, with the HTTP status that the design gives it. */
export const STATUS_OF_CODE = {
  VALIDATION_ERROR: 400,
  TOTALS_MISMATCH: 400,
  UNAUTHENTICATED: 401,
  UNAUTHORIZED_INVOICE_ACCESS: 403,
  INVOICE_NOT_FOUND: 404,
  ORDER_NOT_FOUND: 404,
  DEAD_LETTER_NOT_FOUND: 404,
  INVOICE_ALREADY_EXISTS: 409,
  IDEMPOTENCY_CONFLICT: 409,
  PDF_NOT_READY: 409,
  INVALID_INVOICE_STATE: 409,
  ORDER_NOT_PAID: 409,
  RATE_LIMITED: 429,
  STORAGE_ERROR: 503,
  DEPENDENCY_UNAVAILABLE: 503,
  INTERNAL: 500,
} as const;

export type ErrorCode = keyof typeof STATUS_OF_CODE;

/** Facts that go out beside the code: the field at fault, the invoice in the way. Never secrets or SQL. */
export type ErrorDetails = Readonly<Record<string, string>>;

/**
 * A refusal with a name. Its message and details are written for the caller; `cause` is for the log
 * alone and never leaves the process.
 */
export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  get status(): number {
    return STATUS_OF_CODE[this.code];
  }
}

/** A value that breaks a rule of the contract: `field` is its path in the caller's own document. */
export function invalid(field: string, rule: string): AppError {
  return new AppError('VALIDATION_ERROR', `${field}: ${rule}`, { field });
}

/** Something Folio depends on did not answer, or not in time. The outcome may be unknown to us too. */
export function unavailable(dependency: string, cause?: unknown): AppError {
  return new AppError('DEPENDENCY_UNAVAILABLE', `${dependency} is unavailable`, {}, { cause });
}
