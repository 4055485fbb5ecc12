import { AppError } from '../kernel/errors.js';

/** Knows the errors of a library below and says what they mean to a caller, if anything. */
export type TranslateError = (error: unknown) => AppError | undefined;

/**
 * What a caller is told of an error: a refusal by its name, and everything unforeseen as INTERNAL, in the
 * same two words.
 */
export function refusalOf(error: unknown, translate: TranslateError): AppError {
  if (error instanceof AppError) return error;
  return translate(error) ?? new AppError('INTERNAL', 'Internal error', {}, { cause: error });
}
