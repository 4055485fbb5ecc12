import { invalid } from './errors.js';

/** A page asked for: the newest `first` items that are older than `after`. */
export interface PageRequest {
  /** 1 to 100; 50 where it is left out. */
  first?: number | null | undefined;
  /** Opaque; from an earlier page. */
  after?: string | null | undefined;
}

/** A page given: newest first. */
export interface Page<T> {
  items: T[];
  hasNextPage: boolean;
}

export const DEFAULT_PAGE = 50;
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
  const size = first ?? DEFAULT_PAGE;
  if (!Number.isInteger(size) || size < 1 || size > LARGEST_PAGE) {
    throw invalid('first', `must be 1 to ${LARGEST_PAGE}`);
  }
  const before = after == null ? undefined : Buffer.from(after, 'base64url').toString();
  // Decoding is lenient; a cursor of ours is one that would be written the same again.
  if (before !== undefined && (!UUID.test(before) || cursorOf(before) !== after)) {
    throw invalid('after', 'is not a cursor of this list');
  }
  return { take: size + 1, before };
}

export function pageOf<T>(rows: readonly T[], { first }: PageRequest): Page<T> {
  const size = first ?? DEFAULT_PAGE;
  return { items: rows.slice(0, size), hasNextPage: rows.length > size };
}
