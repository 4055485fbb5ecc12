import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useApi } from '../helpers/api.js';
import { useDatabase } from '../helpers/database.js';
import { useDatabaseProxy } from '../helpers/database-proxy.js';
import { sender, tokenOf } from '../helpers/graphql-client.js';
import { waitFor } from '../helpers/service-process.js';
import { rawRequest } from './raw-request.js';
import { expectRefusal, UNKNOWN_ID } from './shop.js';

describe('the database', () => {
  const database = useDatabase();
  const proxy = useDatabaseProxy(database);
  const api = useApi(() => ({ DATABASE_URL: proxy.url, REQUEST_TIMEOUT_MS: '700' }));
  const admin = api.as('admin', 'u_admin');
  const get = (path: string) => rawRequest(api.url, path);

  afterEach(async () => {
    proxy.behave('passes');
    // The pool may still hold connections that it does not know to be dead.
    await waitFor(async () => (await get('/readyz')).status === 200);
  });

  const OPERATIONS = [
    `{ invoice(id: "${UNKNOWN_ID}") { id } }`,
    '{ invoiceByOrder(orderId: "ORD-123") { id } }',
    '{ customerInvoices(customerId: "u_alice") { edges { cursor } } }',
    '{ invoices { edges { cursor } } }',
    `{ invoiceDownload(id: "${UNKNOWN_ID}") { downloadUrl } }`,
    '{ pipeline { deadLetters } }',
    '{ deadLetters { edges { cursor } } }',
    'mutation { createInvoice(input: { orderId: "ORD-123", idempotencyKey: "k" }) { replayed } }',
    `mutation { cancelInvoice(input: { invoiceId: "${UNKNOWN_ID}", reason: "x" }) { invoice { id } } }`,
    `mutation { regenerateInvoicePdf(input: { invoiceId: "${UNKNOWN_ID}" }) { invoice { id } } }`,
    'mutation { replayDeadLetters(input: {}) { replayed } }',
  ];

  test('that is there makes the process ready', async () => {
    const [health, ready] = await Promise.all([get('/healthz'), get('/readyz')]);
    expect([health.status, JSON.parse(health.body)]).toEqual([200, { status: 'ok' }]);
    expect([ready.status, JSON.parse(ready.body)]).toEqual([200, { status: 'ready' }]);
  });

  describe.each(['resets', 'hangs'] as const)('that %s', (how) => {
    test('leaves the process alive and not ready, by the name of what is missing', async () => {
      proxy.behave(how);
      expect((await get('/healthz')).status).toBe(200);
      const { status, body } = await get('/readyz');
      expect([status, JSON.parse(body)]).toEqual([503, { status: 'not ready', failing: ['database'] }]);
    });

    test('makes every operation DEPENDENCY_UNAVAILABLE, and tells nothing else', async () => {
      proxy.behave(how);
      const answers = await Promise.all(OPERATIONS.map((operation) => admin(operation)));
      for (const answer of answers) {
        expectRefusal(answer, 'DEPENDENCY_UNAVAILABLE', 503);
        expect(JSON.stringify(answer.errors)).not.toMatch(/127\.0\.0\.1|test_|ECONN|terminated/);
      }
    });

    test('is used again when it is back, with nothing spent meanwhile', async () => {
      proxy.behave(how);
      expect((await admin(OPERATIONS[7] ?? '')).errors).toHaveLength(1);
      proxy.behave('passes');
      await waitFor(async () => (await get('/readyz')).status === 200);
      const { rows } = await database.sql.query('SELECT count(*)::int AS count FROM invoices');
      expect(rows).toEqual([{ count: 0 }]);
      expect((await admin('{ pipeline { pdfPending } }')).data).toEqual({ pipeline: { pdfPending: 0 } });
    });
  });

  test('that takes no connections for now is DEPENDENCY_UNAVAILABLE too', async () => {
    const url = new URL(database.url);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    const administrator = new pg.Client({ connectionString: url.href });
    await administrator.connect();
    try {
      await administrator.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      proxy.behave('resets');
      proxy.behave('passes');
      expectRefusal(await admin('{ pipeline { deadLetters } }'), 'DEPENDENCY_UNAVAILABLE', 503);
    } finally {
      await administrator.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await administrator.end();
    }
  });
});

describe('a key server that is down', () => {
  const database = useDatabase();
  const keyServer = createServer((_, response) => response.writeHead(500).end());
  beforeAll(() => new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    keyServer.close();
  });
  const api = useApi(() => ({
    DATABASE_URL: database.url,
    JWT_SECRET: '',
    JWT_JWKS_URL: `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/jwks.json`,
  }));

  test('makes a token unverifiable: DEPENDENCY_UNAVAILABLE, in the shape of every other refusal', async () => {
    const send = sender(api.url, await tokenOfAKeyServer());
    expectRefusal(await send('{ pipeline { deadLetters } }'), 'DEPENDENCY_UNAVAILABLE', 503);
  });

  test('leaves a request without a token UNAUTHENTICATED', async () => {
    expectRefusal(await api.anonymously('{ pipeline { deadLetters } }'), 'UNAUTHENTICATED', 401);
  });
});

/** One that names an algorithm which key servers serve. */
async function tokenOfAKeyServer(): Promise<string> {
  const [, payload, signature] = (await tokenOf('admin', 'u_admin')).split('.');
  const header = Buffer.from('{"alg":"RS256","kid":"ours"}').toString('base64url');
  return `Bearer ${header}.${payload}.${signature}`;
}
