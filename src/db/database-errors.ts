import { AppError, unavailable } from '../kernel/errors.js';

export function toAppError(_error: unknown): AppError | undefined {
  return unavailable('x');
}
