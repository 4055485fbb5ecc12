import { AppError } from '../kernel/errors.js';
import { orAborted } from '../kernel/or-aborted.js';
import type { ObjectStorage } from './object-storage.js';

/** A store that has not answered by then has failed, as far as whoever asked is concerned. */
const ANSWERS_WITHIN_MS = 60_000;

/**
 * The same store, with a limit on every answer: a disk or a network that hangs would otherwise hold the
 * worker, and its claim, for ever. What is written after the limit is a file that no row names.
 */
export function inTime(storage: ObjectStorage, withinMs = ANSWERS_WITHIN_MS): ObjectStorage {
  async function limited<T>(answer: Promise<T>): Promise<T> {
    const limit = new AbortController();
    const timer = setTimeout(() => {
      limit.abort(new AppError('STORAGE_ERROR', `The object store did not answer within ${withinMs} ms`));
    }, withinMs);
    try {
      return await orAborted(answer, limit.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    put: (key, bytes) => limited(storage.put(key, bytes)),
    get: (key) => limited(storage.get(key)),
    size: (key) => limited(storage.size(key)),
    signDownload: (key, options) => limited(storage.signDownload(key, options)),
  };
}
