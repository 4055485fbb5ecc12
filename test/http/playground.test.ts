import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSchema, type SchemaDeps } from '../../src/graphql/schema.js';
import { registerPlayground } from '../../src/http/playground.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let fastify: FastifyInstance;

beforeAll(async () => {
  fastify = Fastify();
  fastify.post('/graphql', async () => ({ data: null }));
  await fastify.register(registerPlayground, { graphqlPath: '/graphql' });
  await fastify.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(() => fastify.close());

describe('the page', () => {
  it('answers a browser that opens the GraphQL endpoint', async () => {
    const page = await fastify.inject({ url: '/graphql', headers: BROWSER });
    expect(page.statusCode).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      vary: 'accept',
    });
    expect(page.body).toContain('<title>Folio playground</title>');
    expect(page.body).toContain('npm run token -- --sub u_alice --role customer');
  });

  it('names no other host, and nothing on this one that is missing', async () => {
    const { body } = await fastify.inject({ url: '/graphql', headers: BROWSER });
    expect(body).not.toMatch(/https?:|["'(]\/\//i);
    const files = [...body.matchAll(/"(\/graphql\/static\/[^"]+\.\w+)"|worker\("([^"]+)"\)/g)].map(
      ([, path, worker]) => path ?? `/graphql/static/${worker}`,
    );
    expect(files).toEqual(
      expect.arrayContaining(['/graphql/static/ruru.js', '/graphql/static/graphqlWorker.js']),
    );
    for (const url of files) expect((await fastify.inject({ url })).statusCode, url).toBe(200);
  });

  it('has a policy that runs its own scripts and no others', async () => {
    const { body, headers } = await fastify.inject({ url: '/graphql', headers: BROWSER });
    const policy = Object.fromEntries(
      String(headers['content-security-policy'])
        .split('; ')
        .map((directive): [string, string[]] => {
          const [name = '', ...sources] = directive.split(' ');
          return [name, sources];
        }),
    );
    const inline = [...body.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(
      ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    );
    expect(inline).not.toHaveLength(0);
    expect(policy).toEqual({
      'default-src': ["'self'"],
      'script-src': ["'self'", ...inline],
      'worker-src': ["'self'"],
      'connect-src': ["'self'"],
      'object-src': ["'none'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'font-src': ["'self'", 'data:'],
      'img-src': ["'self'", 'data:'],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    });
  });

  it('keeps what is typed, a token included, in the storage of the tab, before any other script runs', async () => {
    const { body } = await fastify.inject({ url: '/graphql', headers: BROWSER });
    const [first = ''] = body.match(/<script[^>]*>[\s\S]*?<\/script>/) ?? [];
    expect(first).toContain(
      "Object.defineProperty(window, 'localStorage', { value: window.sessionStorage })",
    );
  });

  it('starts with operations that the schema has', async () => {
    const { body } = await fastify.inject({ url: '/graphql', headers: BROWSER });
    const [, config = ''] = body.match(/const RURU_CONFIG = ({[\s\S]*?});\s*<\/script>/) ?? [];
    // Nothing is resolved, so there is nothing behind the resolvers.
    const schema = await makeSchema({ ...({} as SchemaDeps) });
    expect(validate(schema, parse(JSON.parse(config).initialQuery))).toEqual([]);
  });

  it.each([['*/*'], ['application/graphql-response+json'], [undefined]])(
    'is not for a program (accept: %s)',
    async (accept) => {
      const answer = await fastify.inject({ url: '/graphql?query={me}', headers: accept ? { accept } : {} });
      expect({ ...answer.headers, status: answer.statusCode }).toMatchObject({ status: 405, allow: 'POST' });
    },
  );

  it('leaves POST to Apollo, whatever the client accepts', async () => {
    const answer = await fastify.inject({ method: 'POST', url: '/graphql', headers: BROWSER, payload: {} });
    expect(answer.json()).toEqual({ data: null });
  });
});

describe('the files', () => {
  it.each([
    ['ruru.js', 'text/javascript; charset=utf-8'],
    ['ruru.css', 'text/css; charset=utf-8'],
    ['f6283f7ccaed1249d9eb.ttf', 'font/ttf'],
    ['graphqlWorker.js', 'text/javascript; charset=utf-8'],
  ])('%s has its type, is not sniffed, and is asked for again with its ETag', async (file, type) => {
    const url = `/graphql/static/${file}`;
    const answer = await fastify.inject({ url });
    expect(answer.statusCode).toBe(200);
    expect(answer.rawPayload.length).toBeGreaterThan(1_000);
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'self'",
      'cache-control': 'public, no-cache',
      vary: 'accept-encoding',
    });
    const { etag = '' } = answer.headers;
    const again = await fastify.inject({ url, headers: { 'if-none-match': String(etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('come compressed to who takes that', async () => {
    const url = '/graphql/static/ruru.css';
    const plain = await fastify.inject({ url });
    const small = await fastify.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br' } });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(small.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(small.rawPayload).equals(plain.rawPayload)).toBe(true);
  });

  // Over a socket: inject() and fetch() would tidy the path before it is sent.
  it.each([
    '',
    'nothing.js',
    'ruru.js.map',
    '../package.json',
    '../../../../../../etc/passwd',
    '%2e%2e/package.json',
    '%2e%2e%2fpackage.json',
    '..%2f..%2fpackage.json',
    '..%5c..%5cpackage.json',
    '..\\package.json',
    './ruru.js',
    'x/../ruru.js',
    '/ruru.js',
    '//etc/passwd',
    'ruru.js%00',
    'ruru.js%00.css',
    '%00',
    'ruru%2ejs',
    '%252e%252e/package.json',
    '__proto__',
    'constructor',
    'toString',
  ])('refuse %j', async (path) => {
    expect(await statusOf(`/graphql/static/${path}`)).toBe(404);
  });

  it('take no other method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      expect((await fastify.inject({ method, url: '/graphql/static/ruru.js' })).statusCode).toBe(404);
    }
  });
});

function statusOf(path: string): Promise<number | undefined> {
  const { port } = fastify.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
