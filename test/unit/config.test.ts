import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Config, ConfigError, readConfig } from '../../src/config.js';

const dataDir = mkdtempSync(join(tmpdir(), 'folio-config-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const read = (environment: Record<string, string> = {}): Config =>
  readConfig({ DATA_DIR: dataDir, ...environment });

/** One line per setting at fault, or none. */
function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).toContain(error.faults.join('\n  '));
    return error.faults;
  }
}

const namesAtFault = (environment: Record<string, string>) =>
  faultsOf(environment)
    .map((fault) => fault.split(':')[0])
    .sort();

const SECRET = 's3cret-of-32-bytes-for-tests-only';
const OTHER = 'another-s3cret-of-32-bytes-or-more';
const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://folio:hunter2@db.example/folio',
  JWT_SECRET: SECRET,
  DOWNLOAD_URL_SECRET: OTHER,
};

describe('nothing set', () => {
  test('is a service for development, with the defaults of the contract', () => {
    expect(readConfig({ DATA_DIR: dataDir })).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 4_000,
      publicUrl: 'http://127.0.0.1:4000',
      roles: new Set(['api', 'relay', 'worker']),
      logLevel: 'info',
      requestTimeoutMs: 5_000,
      playground: true,
      database: { url: undefined },
      token: { ownSecret: true, issuer: 'folio', audience: 'folio', maxAgeSeconds: 86_400 },
      orderServiceUrl: undefined,
      storageDir: join(dataDir, 'invoices'),
      download: { previous: undefined, ttlSeconds: 900 },
      mail: { directory: join(dataDir, 'mail') },
      storefrontUrl: 'http://127.0.0.1:4000',
      issueTimeZone: 'UTC',
      pdf: { locale: 'en-US', pageSize: 'A4', leaseSeconds: 60, renderTimeoutSeconds: 30 },
      retryDelaysSeconds: [1, 5, 30, 300],
      outboxPollMs: 200,
    });
  });

  test('is what an empty variable says too', () => {
    const names = ['HOST', 'PORT', 'ROLES', 'PUBLIC_URL', 'DATABASE_URL', 'JWT_SECRET', 'JWT_PUBLIC_KEY'];
    const more = ['DOWNLOAD_URL_SECRET', 'DOWNLOAD_URL_SECRET_PREVIOUS', 'STORAGE_DIR', 'SELLER_TAX_ID'];
    const empty = Object.fromEntries([...names, ...more, 'ISSUE_TIME_ZONE', 'NODE_ENV'].map((n) => [n, '']));
    expect(read(empty)).toEqual(read());
  });

  test('makes secrets of its own and keeps them for their owner', () => {
    const { token, download } = read();
    const folder = join(dataDir, 'secrets');
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(token.key).toEqual({ kind: 'secret', secret: readFileSync(join(folder, 'jwt'), 'utf8') });
    expect(download.current).toBe(readFileSync(join(folder, 'download-url'), 'utf8'));
    expect(download.current).not.toBe(readFileSync(join(folder, 'jwt'), 'utf8'));
    expect(read()).toEqual(read());
  });
});

describe('settings', () => {
  test('are one frozen object', () => {
    expect(Object.isFrozen(read())).toBe(true);
  });

  test('are read as they are spelt', () => {
    const config = read({
      PORT: '0',
      ROLES: 'worker, relay',
      PUBLIC_URL: 'https://folio.example/',
      STORAGE_DIR: 'some/where',
      JWT_SECRET: SECRET,
      SELLER_ADDRESS: '1 Main St\\nSpringfield',
      ISSUE_TIME_ZONE: 'Pacific/Kiritimati',
      PDF_PAGE_SIZE: 'LETTER',
      RETRY_DELAYS_SECONDS: '0, 2',
      PLAYGROUND: 'off',
    });
    expect(config).toMatchObject({
      port: 0,
      roles: new Set(['worker', 'relay']),
      publicUrl: 'https://folio.example',
      storefrontUrl: 'https://folio.example',
      storageDir: resolve('some/where'),
      token: { key: { kind: 'secret', secret: SECRET }, ownSecret: false },
      seller: { address: '1 Main St\nSpringfield' },
      issueTimeZone: 'Pacific/Kiritimati',
      pdf: { pageSize: 'LETTER' },
      retryDelaysSeconds: [0, 2],
      playground: false,
    });
  });

  test.each([
    ['0.0.0.0', 'http://localhost:4000'],
    ['::', 'http://localhost:4000'],
    ['::1', 'http://[::1]:4000'],
  ])('with HOST %s are reached at %s', (HOST, url) => {
    expect(read({ HOST }).publicUrl).toBe(url);
  });
});

describe('faults', () => {
  const WRONG: Record<string, string[]> = {
    PORT: ['http', '65536', '-1', '1.5', '0x10', ' 80'],
    ROLES: ['api,admin', ',', 'API'],
    LOG_LEVEL: ['loud'],
    PUBLIC_URL: ['folio.example', 'ftp://folio.example', 'javascript:alert(1)'],
    REQUEST_TIMEOUT_MS: ['0', '5s'],
    PLAYGROUND: ['yes', 'TRUE'],
    DATABASE_URL: ['mysql://db', 'db.example'],
    DATABASE_POOL_SIZE: ['0', 'many'],
    JWT_PUBLIC_KEY: ['not a key', '-----BEGIN PUBLIC KEY-----\nMAo=\n-----END PUBLIC KEY-----'],
    JWT_JWKS_URL: ['/jwks.json'],
    JWT_MAX_AGE_SECONDS: ['0', '1h'],
    ORDER_SERVICE_URL: ['orders:80'],
    STORAGE: ['ftp'],
    DOWNLOAD_URL_TTL_SECONDS: ['0', '604801', '1e3'],
    STOREFRONT_URL: ['shop'],
    ISSUE_TIME_ZONE: ['Mars/Olympus', 'Atlantis'],
    PDF_LOCALE: ['english please', 'en_US'],
    PDF_PAGE_SIZE: ['A3', 'letter'],
    RETRY_DELAYS_SECONDS: ['1,x', '1,,2', '-1'],
    PDF_LEASE_SECONDS: ['0'],
    PDF_RENDER_TIMEOUT_SECONDS: ['0'],
    PDF_CONCURRENCY: ['0', '65'],
    OUTBOX_POLL_MS: ['0'],
    IDEMPOTENCY_RETENTION_DAYS: ['0', '-1', '1.5'],
  };

  test.each(Object.entries(WRONG))('of %s are told by its name, without its value', (name, values) => {
    for (const value of values) {
      const faults = faultsOf({ [name]: value });
      expect(faults, value).not.toHaveLength(0);
      for (const fault of faults) {
        expect(fault).toMatch(new RegExp(`^${name}: .`));
        if (value.length > 4) expect(fault).not.toContain(value);
      }
    }
  });

  test('are all told together', () => {
    const all = Object.fromEntries(Object.entries(WRONG).map(([name, [value = '']]) => [name, value]));
    const { JWT_PUBLIC_KEY: _, ...shapes } = all;
    expect(namesAtFault(shapes)).toEqual(Object.keys(shapes).sort());
  });

  test('of a value and of what production asks for are told together', () => {
    const names = namesAtFault({ NODE_ENV: 'production', PORT: 'http', ISSUE_TIME_ZONE: 'Atlantis' });
    expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'DOWNLOAD_URL_SECRET', 'PORT']));
  });

  test('of a value and of the token keys are told together', () => {
    const names = namesAtFault({ PORT: 'http', JWT_PUBLIC_KEY: 'not a key' });
    expect(names).toEqual(['JWT_PUBLIC_KEY', 'PORT']);
  });

  test('are public keys that no token can be verified with', () => {
    const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
    const keys = [
      generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey,
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey,
      generateKeyPairSync('ed448').publicKey,
      generateKeyPairSync('x25519').publicKey,
    ];
    for (const key of keys) {
      expect(namesAtFault({ JWT_PUBLIC_KEY: pem(key) }), key.asymmetricKeyType).toEqual(['JWT_PUBLIC_KEY']);
    }
  });

  test('are more than one way to verify tokens', () => {
    const faults = faultsOf({ JWT_SECRET: SECRET, JWT_JWKS_URL: 'https://id.example/jwks' });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/JWT_SECRET.*JWT_JWKS_URL/);
  });

  test('leave no secret behind and make none', async () => {
    const empty = join(dataDir, 'not-started');
    expect(namesAtFault({ DATA_DIR: empty, PORT: 'http' })).toEqual(['PORT']);
    expect(() => statSync(empty)).toThrow(/ENOENT/);
  });
});

describe('production', () => {
  test('starts with a database and two secrets', () => {
    expect(read(PRODUCTION)).toMatchObject({ production: true, playground: false });
    const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const { JWT_SECRET: _, ...rest } = PRODUCTION;
    const { token } = read({ ...rest, JWT_PUBLIC_KEY: pem.replaceAll('\n', '\\n') });
    expect(token).toMatchObject({ key: { kind: 'public key', pem }, ownSecret: false });
    const url = 'https://id.example/jwks.json';
    expect(read({ ...rest, JWT_JWKS_URL: url }).token.key).toEqual({ kind: 'jwks', url });
  });

  test('makes no secret by itself', () => {
    const empty = join(dataDir, 'production');
    expect(faultsOf({ NODE_ENV: 'production', DATA_DIR: empty })).toHaveLength(3);
    read({ ...PRODUCTION, DATA_DIR: empty });
    expect(() => statSync(empty)).toThrow(/ENOENT/);
  });

  test.each([
    ['no database', { DATABASE_URL: '' }, 'DATABASE_URL'],
    ['no way to verify tokens', { JWT_SECRET: '' }, 'JWT_SECRET'],
    ['no secret for downloads', { DOWNLOAD_URL_SECRET: '' }, 'DOWNLOAD_URL_SECRET'],
    ['a short token secret', { JWT_SECRET: 'hunter2' }, 'JWT_SECRET'],
    ['a token secret of 31 bytes', { JWT_SECRET: 'x'.repeat(31) }, 'JWT_SECRET'],
    ['a short download secret', { DOWNLOAD_URL_SECRET: 'hunter2' }, 'DOWNLOAD_URL_SECRET'],
    ['a short retired secret', { DOWNLOAD_URL_SECRET_PREVIOUS: 'hunter2' }, 'DOWNLOAD_URL_SECRET_PREVIOUS'],
    ['one secret for both', { DOWNLOAD_URL_SECRET: SECRET }, 'DOWNLOAD_URL_SECRET'],
    [
      'a retired secret still in use',
      { DOWNLOAD_URL_SECRET_PREVIOUS: OTHER },
      'DOWNLOAD_URL_SECRET_PREVIOUS',
    ],
    ['a retired secret that signs tokens', { DOWNLOAD_URL_SECRET_PREVIOUS: SECRET }, 'JWT_SECRET'],
  ])('does not start with %s, and prints no value', (_, changes: Record<string, string>, name) => {
    const faults = faultsOf({ ...PRODUCTION, ...changes });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(name);
    for (const value of [SECRET, OTHER, 'hunter2', 'xxx']) expect(faults[0]).not.toContain(value);
  });

  test('takes secrets of 32 bytes, counted in bytes', () => {
    expect(faultsOf({ ...PRODUCTION, JWT_SECRET: 'x'.repeat(32) })).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, JWT_SECRET: 'ż'.repeat(16) })).toEqual([]);
  });

  test('tells all that is missing at once', () => {
    const faults = faultsOf({ NODE_ENV: 'production' }).join('\n');
    for (const name of ['DATABASE_URL', 'JWT_SECRET', 'DOWNLOAD_URL_SECRET']) expect(faults).toContain(name);
  });
});
