import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeTokenVerifier, type VerifyToken } from '../../src/auth/token.js';

const ours = generateKeyPairSync('ed25519');
const second = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const strangers = generateKeyPairSync('ed25519');

const keySet = {
  keys: [
    { ...ours.publicKey.export({ format: 'jwk' }), kid: 'ours', alg: 'EdDSA', use: 'sig' },
    { ...second.publicKey.export({ format: 'jwk' }), kid: 'second', alg: 'RS256', use: 'sig' },
  ],
};

const answerKeys: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(keySet));
};
let answer = answerKeys;
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  answer(request, response);
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
beforeEach(() => {
  answer = answerKeys;
  requests = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Each has an empty cache of its own. */
function verifierAt(
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
): VerifyToken {
  return makeTokenVerifier({
    key: { kind: 'jwks', url },
    issuer: 'folio',
    audience: 'folio',
    maxAgeSeconds: 3_600,
  });
}

async function tokenBy(header: { kid?: string; alg?: string }, { privateKey } = ours): Promise<string> {
  const token = await new SignJWT({ role: 'customer' })
    .setProtectedHeader({ alg: 'EdDSA', ...header })
    .setSubject('u_alice')
    .setIssuer('folio')
    .setAudience('folio')
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(privateKey);
  return `Bearer ${token}`;
}

test('the key that a token names verifies it, and is asked for once', async () => {
  const verify = verifierAt();
  expect(await verify(await tokenBy({ kid: 'ours' }))).toEqual({ id: 'u_alice', role: 'customer' });
  expect(await verify(await tokenBy({ kid: 'second', alg: 'RS256' }, second))).toMatchObject({
    id: 'u_alice',
  });
  expect(requests).toBe(1);
});

test('a stranger’s token is no actor, whatever key it names', async () => {
  const verify = verifierAt();
  expect(await verify(await tokenBy({ kid: 'ours' }, strangers))).toBeUndefined();
  expect(await verify(await tokenBy({ kid: 'theirs' }, strangers))).toBeUndefined();
  expect(await verify(await tokenBy({}, strangers))).toBeUndefined();
  expect(await verify(await tokenBy({ kid: 'second' }, strangers))).toBeUndefined();
});

test('tokens of unknown keys do not make the key server work for each of them', async () => {
  const verify = verifierAt();
  for (let index = 0; index < 10; index += 1) {
    expect(await verify(await tokenBy({ kid: `unknown-${index}` }, strangers))).toBeUndefined();
  }
  expect(requests).toBeLessThanOrEqual(2);
});

test('garbage is no actor, and the key server is not asked for it', async () => {
  const verify = verifierAt();
  for (const header of [undefined, '', 'Bearer', 'Bearer a.b.c', 'Basic dTpw']) {
    expect(await verify(header)).toBeUndefined();
  }
  expect(requests).toBe(0);
});

const unavailable = {
  code: 'DEPENDENCY_UNAVAILABLE',
  status: 503,
  message: expect.not.stringMatching(/127\.0/),
};

const FAULTS: [string, RequestListener][] = [
  ['never answers', () => undefined],
  ['never ends its answer', (_, response) => void response.writeHead(200).write('{"keys":[')],
  ['resets the connection', (request) => void request.socket.destroy()],
  ['answers 500', (_, response) => void response.writeHead(500).end('{}')],
  ['answers 404', (_, response) => void response.writeHead(404).end('{"keys":[]}')],
  ['answers HTML', (_, response) => void response.writeHead(200).end('<html></html>')],
  ['answers JSON that is no key set', (_, response) => void response.writeHead(200).end('{"error":"busy"}')],
  ['answers nothing', (_, response) => void response.writeHead(200).end()],
  ['redirects', (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
];

test.each(FAULTS)('a key server that %s makes tokens unverifiable, not wrong', async (_, fault) => {
  const verify = verifierAt();
  const token = await tokenBy({ kid: 'ours' });
  answer = fault;
  await expect(verify(token)).rejects.toMatchObject(unavailable);
  answer = answerKeys;
  expect(await verify(token)).toMatchObject({ id: 'u_alice' });
});

test('a key server that is not there makes tokens unverifiable, not wrong', async () => {
  await expect(
    verifierAt('http://127.0.0.1:1/jwks.json')(await tokenBy({ kid: 'ours' })),
  ).rejects.toMatchObject(unavailable);
});
