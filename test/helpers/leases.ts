import type { Lease } from '../../src/kernel/lease.js';

/** A claim that nobody takes away. */
export const HELD: Lease = { signal: new AbortController().signal, isHeld: () => true };

/** The process goes on. */
export const RUNNING: AbortSignal = new AbortController().signal;
