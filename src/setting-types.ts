import { z } from 'zod';

// How a variable of the environment may be spelt. No message carries the value: it may be a secret.

export const present = z.string();

export const text = z.string().trim().min(1, 'must not be blank');

export function whole(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be ${least} to ${most}`);
}

export const milliseconds = whole(1, 600_000);

export const flag = z
  .enum(['true', 'false', '1', '0', 'on', 'off'], 'must be true or false')
  .transform((value) => ['true', '1', 'on'].includes(value));

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

export function list<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .pipe(z.array(item).min(1));
}

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .transform((url) => url.replace(/\/+$/, ''));

export const timeZone = z.string().refine((zone) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
}, 'must be an IANA time zone, like Europe/Berlin');
