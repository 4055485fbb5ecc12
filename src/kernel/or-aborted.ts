/**
 * Waits for a result, but no longer than until the signal. The work itself may go on: whoever aborts no
 * longer wants what comes of it.
 *
 * @throws the signal's reason
 */
export async function orAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}
