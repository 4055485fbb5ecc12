import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { TokenKey } from './auth/token.js';
import { keptSecret } from './kernel/kept-secret.js';
import { LOG_LEVELS } from './kernel/log.js';
import { faultsBetween } from './setting-faults.js';
import { flag, httpUrl, list, milliseconds, oneOf, present, text, timeZone, whole } from './setting-types.js';

export const PROCESS_ROLES = ['api', 'relay', 'worker'] as const;

const settings = z.object({
  NODE_ENV: text.default('development'),
  HOST: text.default('127.0.0.1'),
  PORT: whole(0, 65_535).default(4_000),
  PUBLIC_URL: httpUrl.optional(),
  ROLES: list(oneOf(PROCESS_ROLES)).default([...PROCESS_ROLES]),
  LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
  REQUEST_TIMEOUT_MS: milliseconds.default(5_000),
  PLAYGROUND: flag.optional(),
  DATA_DIR: text.default('./data').transform((path) => resolve(path)),
  DATABASE_URL: present.regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// URL').optional(),
  // Two cores of PostgreSQL are busy with fewer sessions than this; more only queue inside it.
  DATABASE_POOL_SIZE: whole(1, 200).default(10),
  JWT_SECRET: present.optional(),
  JWT_PUBLIC_KEY: present.transform((pem) => pem.replaceAll('\\n', '\n')).optional(),
  JWT_JWKS_URL: httpUrl.optional(),
  JWT_ISSUER: text.default('folio'),
  JWT_AUDIENCE: text.default('folio'),
  JWT_MAX_AGE_SECONDS: whole(1, 31_536_000).default(86_400),
  ORDER_SERVICE_URL: httpUrl.optional(),
  // s3 comes with its adapter.
  STORAGE: oneOf(['filesystem']).default('filesystem'),
  STORAGE_DIR: text.transform((path) => resolve(path)).optional(),
  DOWNLOAD_URL_SECRET: present.optional(),
  DOWNLOAD_URL_SECRET_PREVIOUS: present.optional(),
  DOWNLOAD_URL_TTL_SECONDS: whole(1, 604_800).default(900),
  MAIL_FROM: text.default('Folio <invoices@localhost>'),
  STOREFRONT_URL: httpUrl.optional(),
  SELLER_NAME: text.default('Folio Sample Store'),
  SELLER_ADDRESS: text
    .default('100 Harbour Street\nPortland, OR 97201\nUS')
    .transform((address) => address.replaceAll('\\n', '\n')),
  SELLER_TAX_ID: text.optional(),
  SELLER_EMAIL: text.optional(),
  SELLER_LOGO: present.optional(),
  ISSUE_TIME_ZONE: timeZone.default('UTC'),
  PDF_LOCALE: text.refine(isLocale, 'must be a BCP 47 tag, like en-US').default('en-US'),
  PDF_PAGE_SIZE: oneOf(['A4', 'LETTER']).default('A4'),
  RETRY_DELAYS_SECONDS: list(whole(0, 86_400)).default([1, 5, 30, 300]),
  PDF_LEASE_SECONDS: whole(1, 3_600).default(60),
  PDF_RENDER_TIMEOUT_SECONDS: whole(1, 600).default(30),
  // One core stays for the queue, the store and whatever else runs here.
  PDF_CONCURRENCY: whole(1, 64).default(Math.max(1, availableParallelism() - 1)),
  OUTBOX_POLL_MS: milliseconds.default(200),
  IDEMPOTENCY_RETENTION_DAYS: whole(1, 36_500).default(30),
});

type Settings = z.output<typeof settings>;

/** All settings of a process. Durations are in the unit that their name says. */
export type Config = ReturnType<typeof readConfig>;

/** Why a process does not start: every setting at fault by name, no value printed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(`These settings keep Folio from starting:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/**
 * Reads the environment into one frozen object. Outside production, secrets that are missing are made at
 * random and kept under DATA_DIR.
 *
 * @throws ConfigError with all faults at once.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  // An empty variable is how many tools spell an absent one.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(given);
  const faults = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path[0]?.toString()}: ${message}`),
    ...faultsBetween(given),
  ];
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const env = parsed.data;

  const secret = (name: string) => keptSecret(join(env.DATA_DIR, 'secrets', name));
  const givenTokenKey = tokenKeyOf(env);
  const publicUrl = env.PUBLIC_URL ?? `http://${hostInUrl(env.HOST)}:${env.PORT}`;
  return Object.freeze({
    production: env.NODE_ENV === 'production',
    host: env.HOST,
    port: env.PORT,
    publicUrl,
    roles: new Set(env.ROLES),
    logLevel: env.LOG_LEVEL,
    requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
    playground: env.PLAYGROUND ?? env.NODE_ENV !== 'production',
    dataDir: env.DATA_DIR,
    database: { url: env.DATABASE_URL, poolSize: env.DATABASE_POOL_SIZE },
    token: {
      key: givenTokenKey ?? { kind: 'secret' as const, secret: secret('jwt') },
      /** Ours is random and stays here: tokens for development may be printed. */
      ownSecret: givenTokenKey === undefined,
      issuer: env.JWT_ISSUER,
      audience: env.JWT_AUDIENCE,
      maxAgeSeconds: env.JWT_MAX_AGE_SECONDS,
    },
    /** Absent: the sample orders serve. */
    orderServiceUrl: env.ORDER_SERVICE_URL,
    storageDir: env.STORAGE_DIR ?? join(env.DATA_DIR, 'invoices'),
    download: {
      current: env.DOWNLOAD_URL_SECRET ?? secret('download-url'),
      previous: env.DOWNLOAD_URL_SECRET_PREVIOUS,
      ttlSeconds: env.DOWNLOAD_URL_TTL_SECONDS,
    },
    mail: { from: env.MAIL_FROM, directory: join(env.DATA_DIR, 'mail') },
    storefrontUrl: env.STOREFRONT_URL ?? publicUrl,
    seller: {
      name: env.SELLER_NAME,
      address: env.SELLER_ADDRESS,
      taxId: env.SELLER_TAX_ID ?? null,
      email: env.SELLER_EMAIL ?? null,
    },
    sellerLogoFile: env.SELLER_LOGO,
    issueTimeZone: env.ISSUE_TIME_ZONE,
    pdf: {
      locale: env.PDF_LOCALE,
      pageSize: env.PDF_PAGE_SIZE,
      leaseSeconds: env.PDF_LEASE_SECONDS,
      renderTimeoutSeconds: env.PDF_RENDER_TIMEOUT_SECONDS,
      concurrency: env.PDF_CONCURRENCY,
    },
    retryDelaysSeconds: env.RETRY_DELAYS_SECONDS,
    outboxPollMs: env.OUTBOX_POLL_MS,
    idempotencyRetentionDays: env.IDEMPOTENCY_RETENTION_DAYS,
    /** Set by npm for the scripts that it runs. */
    startedByNpm: environment.npm_lifecycle_event !== undefined,
  });
}

function tokenKeyOf({ JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL }: Settings): TokenKey | undefined {
  if (JWT_SECRET) return { kind: 'secret', secret: JWT_SECRET };
  if (JWT_PUBLIC_KEY) return { kind: 'public key', pem: JWT_PUBLIC_KEY };
  if (JWT_JWKS_URL) return { kind: 'jwks', url: JWT_JWKS_URL };
  return undefined;
}

/** An address that is listened on, as a client on this machine would write it. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
