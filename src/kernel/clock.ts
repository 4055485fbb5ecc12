/**
 * The host's time, for what stays inside one process: how long a signed URL lives, how old a token is.
 * Whatever other processes must agree on (leases, numbers, dates of issue) takes the database's clock.
 */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
