import { invalid } from './errors.js';

/** A page asked for: the newest `first` items that are older than `after`. */
export interface PageRequest {
  /** 1 to 100 */
  first: number;
  /** Opaque; from an earlier page. */
  after?: string | null | undefined;
}

/** A page given: newest first. */
export interface Page<T> {
  items: T[];
  hasNextPage: boolean;
}

const LARGEST_PAGE = 100;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Lists are ordered by time-ordered ids, so an id is all that a cursor has to carry. */
export function cursorOf(uuid: string): string {
  return Buffer.from(uuid).toString('base64url');
}

/**
 * @returns how many rows to read (one more than the page holds tells whether another follows) and the
 * id that they come after.
 * @throws AppError VALIDATION_ERROR on `first` or `after`.
 */
export function readPageRequest({ first, after }: PageRequest): { take: number; before: string | undefined } {
  if (!Number.isInteger(first) || first < 1 || first > LARGEST_PAGE) {
    throw invalid('first', `must be 1 to ${LARGEST_PAGE}`);
  }
  const before = after == null ? undefined : Buffer.from(after, 'base64url').toString();
  if (before !== undefined && !UUID.test(before)) throw invalid('after', 'is not a cursor of this list');
  return { take: first + 1, before };
}

export function pageOf<T>(rows: readonly T[], { first }: PageRequest): Page<T> {
  return { items: rows.slice(0, first), hasNextPage: rows.length > first };
}
