import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeTokenVerifier, signToken, type TokenKey } from '../../src/auth/token.js';

const SECRET = 'a-secret-for-tests-that-is-long-enough';
const DAY = 86_400;
const NEVER = 10 * 365 * DAY;

const verifierOf = (key: TokenKey) =>
  makeTokenVerifier({ key, issuer: 'folio', audience: 'folio', maxAgeSeconds: DAY });
const verify = verifierOf({ kind: 'secret', secret: SECRET });

const now = () => Math.floor(Date.now() / 1000);
const START = now();
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** What a right token claims; a claim set to undefined is left out. */
const claims = (changes: Record<string, unknown> = {}) => ({
  sub: 'u_alice',
  role: 'customer',
  iss: 'folio',
  aud: 'folio',
  iat: now(),
  exp: now() + 600,
  ...changes,
});

type Sign = (input: string) => Buffer;
const hmac =
  (secret: string, hash = 'sha256'): Sign =>
  (input) =>
    createHmac(hash, secret).update(input).digest();
/** JWS wants EC signatures as two plain numbers. */
const by =
  (key: KeyObject, hash: string | null): Sign =>
  (input) =>
    sign(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });

/** Any token, also such as no library would sign. */
function forge(payload: unknown, signer: Sign = hmac(SECRET), header: Record<string, unknown> = {}): string {
  const input = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(payload)}`;
  return `Bearer ${input}.${signer(input).toString('base64url')}`;
}

const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const ed25519 = generateKeyPairSync('ed25519');

describe('a right token', () => {
  test.each(['customer', 'service', 'admin'] as const)('of a %s is its actor', async (role) => {
    const options = { secret: SECRET, issuer: 'folio', audience: 'folio', ttlSeconds: 600 };
    const token = await signToken({ id: 'u_alice', role }, options);
    expect(await verify(`Bearer ${token}`)).toEqual({ id: 'u_alice', role });
    expect(await verify(forge(claims({ role })))).toEqual({ id: 'u_alice', role });
  });

  test.each(['bearer', 'BEARER', 'bEaReR'])('may be announced as %s', async (scheme) => {
    expect(await verify(forge(claims()).replace('Bearer', scheme))).toMatchObject({ id: 'u_alice' });
  });

  test('may live as long as the settings allow, and say more than we read', async () => {
    const payload = claims({
      exp: now() + DAY,
      aud: ['shop', 'folio'],
      scope: 'openid',
      email: 'a@b.example',
    });
    expect(await verify(forge(payload))).toEqual({ id: 'u_alice', role: 'customer' });
  });
});

describe('no actor has', () => {
  const PAYLOADS: [string, () => unknown][] = [
    ['an expired token', () => claims({ iat: now() - 900, exp: now() - 300 })],
    ['one without exp', () => claims({ exp: undefined })],
    ['one without iat', () => claims({ iat: undefined })],
    ['one without sub', () => claims({ sub: undefined })],
    ['one with an empty sub', () => claims({ sub: '' })],
    ['one with a number as sub', () => claims({ sub: 42 })],
    ['one with a list as sub', () => claims({ sub: ['u_alice'] })],
    ['one of another issuer', () => claims({ iss: 'elsewhere' })],
    ['one without issuer', () => claims({ iss: undefined })],
    ['one for another audience', () => claims({ aud: 'elsewhere' })],
    ['one for no audience', () => claims({ aud: undefined })],
    ['one that lives ten years', () => claims({ exp: now() + NEVER })],
    ['one that lives a second too long', () => ({ ...claims(), iat: START, exp: START + DAY + 1 })],
    ['one that lives for ever', () => claims({ exp: 1e308 })],
    ['one that is as old as that', () => claims({ iat: now() - NEVER, exp: now() + 600 })],
    ['one issued in the future', () => claims({ iat: now() + 600, exp: now() + 1_200 })],
    ['one not valid yet', () => claims({ nbf: now() + 600 })],
    ['one whose exp is a string', () => claims({ exp: String(now() + 600) })],
    ['one whose iat is a string', () => claims({ iat: String(now()) })],
    ['one whose exp is null', () => claims({ exp: null })],
    ['the role "ADMIN "', () => claims({ role: 'ADMIN ' })],
    ['the role ADMIN', () => claims({ role: 'ADMIN' })],
    ['the role ["admin"]', () => claims({ role: ['admin'] })],
    ['the role {}', () => claims({ role: {} })],
    ['the role true', () => claims({ role: true })],
    ['the role of an object’s own names', () => claims({ role: 'constructor' })],
    ['no role', () => claims({ role: undefined })],
    ['a list of claims', () => [claims()]],
    ['null for claims', () => null],
    ['a word for claims', () => 'admin'],
  ];
  test.each(PAYLOADS)('%s', async (_, payload) => {
    expect(await verify(forge(payload()))).toBeUndefined();
  });

  const pem = pemOf(rsa.publicKey);
  const FORGED: [string, TokenKey, () => string][] = [
    [
      'alg none',
      { kind: 'secret', secret: SECRET },
      () => forge(claims(), () => Buffer.alloc(0), { alg: 'none' }),
    ],
    [
      'alg none and a signature',
      { kind: 'secret', secret: SECRET },
      () => forge(claims(), hmac(SECRET), { alg: 'none' }),
    ],
    [
      'alg nOnE where a public key verifies',
      { kind: 'public key', pem },
      () => forge(claims(), hmac(''), { alg: 'nOnE' }),
    ],
    ['another secret', { kind: 'secret', secret: SECRET }, () => forge(claims(), hmac('another secret'))],
    ['an empty secret', { kind: 'secret', secret: SECRET }, () => forge(claims(), hmac(''))],
    [
      'HS512 with the right secret',
      { kind: 'secret', secret: SECRET },
      () => forge(claims(), hmac(SECRET, 'sha512'), { alg: 'HS512' }),
    ],
    ['HS256 with the public key as secret', { kind: 'public key', pem }, () => forge(claims(), hmac(pem))],
    [
      'HS256 with the public key, trimmed, as secret',
      { kind: 'public key', pem },
      () => forge(claims(), hmac(pem.trim())),
    ],
    [
      'RS256 by another key',
      { kind: 'public key', pem: pemOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey) },
      () => forge(claims(), by(rsa.privateKey, 'sha256'), { alg: 'RS256' }),
    ],
    [
      'an unknown crit',
      { kind: 'secret', secret: SECRET },
      () => forge(claims(), hmac(SECRET), { crit: ['folio-x'], 'folio-x': 1 }),
    ],
    [
      'crit without a list',
      { kind: 'secret', secret: SECRET },
      () => forge(claims(), hmac(SECRET), { crit: 'exp' }),
    ],
    [
      'a payload not encoded',
      { kind: 'secret', secret: SECRET },
      () => forge(claims(), hmac(SECRET), { b64: false, crit: ['b64'] }),
    ],
    [
      'a key of its own in its header',
      { kind: 'public key', pem },
      () =>
        forge(claims(), by(ed25519.privateKey, null), {
          alg: 'EdDSA',
          jwk: ed25519.publicKey.export({ format: 'jwk' }),
        }),
    ],
  ];
  test.each(FORGED)('a token signed with %s', async (_, key, token) => {
    expect(await verifierOf(key)(token())).toBeUndefined();
  });

  test('a token with one character of it changed', async () => {
    const token = forge(claims());
    for (let at = 'Bearer '.length; at < token.length; at += 1) {
      const changed = token[at] === 'A' ? 'B' : 'A';
      const forged = `${token.slice(0, at)}${changed}${token.slice(at + 1)}`;
      // The last character carries bits that no decoder reads; what it decodes to must differ.
      if (Buffer.from(forged.slice(7), 'base64url').equals(Buffer.from(token.slice(7), 'base64url')))
        continue;
      expect(await verify(forged), `at ${at}`).toBeUndefined();
    }
  });

  const right = forge(claims());
  const GARBAGE: [string, string | undefined][] = [
    ['nothing', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Bearer'],
    ['an empty token', 'Bearer '],
    ['dots', 'Bearer ..'],
    ['words', 'Bearer let.me.in'],
    ['a token without scheme', right.slice(7)],
    ['another scheme', right.replace('Bearer', 'Basic')],
    ['a tab', right.replace(' ', '\t')],
    ['two spaces', right.replace(' ', '  ')],
    ['a space behind', `${right} `],
    ['a line behind', `${right}\n`],
    ['two tokens', `${right}, ${right}`],
    ['no signature', right.slice(0, right.lastIndexOf('.') + 1)],
    ['two parts', right.slice(0, right.lastIndexOf('.'))],
    ['five parts', `${right}.x.y`],
    ['padding', `${right}=`],
    ['a header that is no JSON', `Bearer AAAA.${right.split('.')[1]}.AAAA`],
    ['a header that is null', `Bearer ${encode(null)}.${encode(claims())}.AAAA`],
    ['a megabyte', `Bearer ${'a'.repeat(500_000)}.${'b'.repeat(500_000)}.c`],
  ];
  test.each(GARBAGE)('an Authorization header of %s', async (_, header) => {
    expect(await verify(header)).toBeUndefined();
  });
});

describe('a public key', () => {
  const FAMILIES: [string, string, KeyObject, Sign][] = [
    ['RSA', 'RS256', rsa.publicKey, by(rsa.privateKey, 'sha256')],
    ['RSA', 'RS512', rsa.publicKey, by(rsa.privateKey, 'sha512')],
    ['P-256', 'ES256', p256.publicKey, by(p256.privateKey, 'sha256')],
    ['P-384', 'ES384', p384.publicKey, by(p384.privateKey, 'sha384')],
    ['Ed25519', 'EdDSA', ed25519.publicKey, by(ed25519.privateKey, null)],
  ];
  test.each(FAMILIES)('of %s verifies %s, and no other key does', async (_, alg, key, signer) => {
    const token = forge(claims({ role: 'admin' }), signer, { alg });
    expect(await verifierOf({ kind: 'public key', pem: pemOf(key) })(token)).toEqual({
      id: 'u_alice',
      role: 'admin',
    });
    for (const [, , other] of FAMILIES.filter(([, , candidate]) => candidate !== key)) {
      expect(await verifierOf({ kind: 'public key', pem: pemOf(other) })(token)).toBeUndefined();
    }
  });

  test('is not asked for an algorithm of another family or curve', async () => {
    for (const [, , key, signer] of FAMILIES) {
      const own = verifierOf({ kind: 'public key', pem: pemOf(key) });
      for (const alg of [
        'HS256',
        'RS256',
        'PS256',
        'ES256',
        'ES384',
        'ES512',
        'EdDSA',
        'ES256K',
        'none',
        '',
      ]) {
        const token = forge(claims({ iss: 'elsewhere' }), signer, { alg });
        expect(await own(token), `${key.asymmetricKeyType} asked for ${alg}`).toBeUndefined();
      }
    }
  });
});
