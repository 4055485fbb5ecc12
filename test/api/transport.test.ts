import { describe, expect, test } from 'vitest';
import { codeOf } from '../helpers/graphql-client.js';
import { rawRequest } from './raw-request.js';
import { expectRefusal, useShop } from './shop.js';

const shop = useShop();
const { alice } = shop;

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (body: string, headers: Record<string, string> = JSON_TYPE) =>
  rawRequest(shop.api.url, '/graphql', { method: 'POST', headers, body });
const operation = (query: string, rest = {}) => JSON.stringify({ query, ...rest });
const HARMLESS = '{ __typename }';

/** Refused before anything ran: an error, no data, and nothing of our inside. */
function expectNotRun({ status, body }: { status: number; body: string }): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(body).not.toMatch(/"data":\{/);
  expect(body).not.toMatch(/node_modules|\.ts:|stacktrace|at \w+ \(/);
}

describe('a POST', () => {
  test('of JSON is answered as JSON, in the media type that was asked for', async () => {
    const answer = await post(operation(HARMLESS));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ data: { __typename: 'Query' } });
    const accept = 'application/graphql-response+json';
    const { headers } = await post(operation(HARMLESS), { ...JSON_TYPE, accept });
    expect(headers['content-type']).toMatch(/^application\/graphql-response\+json/);
  });

  test('has an id of ours, in its header and in every error', async () => {
    const asked = { ...JSON_TYPE, 'x-request-id': 'chosen-by-the-client', 'request-id': 'me-too' };
    const { headers, body } = await post(operation('{ pipeline { deadLetters } }'), asked);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(body).errors[0].extensions.requestId).toBe(headers['x-request-id']);
  });

  test.each([
    ['what is no query', '{ nonsense', 'GRAPHQL_PARSE_FAILED'],
    ['a field that is not there', '{ invoice(id: "x") { secrets } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an argument that is missing', '{ invoice { id } }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable of a wrong type',
      'query ($f: Int!) { invoices(first: $f) { edges { cursor } } }',
      'BAD_USER_INPUT',
    ],
  ])('with %s keeps the code of the transport, and has a request id', async (_, query, code) => {
    const { headers, body } = await post(operation(query, { variables: { f: 'many' } }));
    const { errors, data } = JSON.parse(body);
    expect(data).toBeUndefined();
    expect(errors[0].extensions).toMatchObject({ code, requestId: headers['x-request-id'] });
    expect(body).not.toMatch(/stacktrace|node_modules/);
  });

  test.each([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['no type', {} as Record<string, string>],
    ['a type that only begins like JSON', { 'content-type': 'application/jsonp' }],
  ])('of %s, as a foreign page can send it, is not run', async (_, headers) => {
    expectNotRun(await post(operation(HARMLESS), headers));
  });

  test.each([
    ['nothing', ''],
    ['half a document', '{"query":'],
    ['a list of operations', JSON.stringify([{ query: HARMLESS }, { query: HARMLESS }])],
    ['a number', '42'],
    ['null', 'null'],
    ['no query', '{}'],
    ['a query that is a number', '{"query":42}'],
    ['variables that are a string', JSON.stringify({ query: HARMLESS, variables: 'x' })],
    ['a prototype', '{"__proto__":{"query":"{ __typename }"}}'],
  ])('with a body of %s is not run', async (_, body) => {
    expectNotRun(await post(body));
  });

  test('may be as large as 256 KiB, and not a byte larger', async () => {
    const padded = (bytes: number) => operation(HARMLESS).padEnd(bytes, ' ');
    expect((await post(padded(256 * 1024))).status).toBe(200);
    const refused = await post(padded(256 * 1024 + 1));
    expect(refused.status).toBe(413);
    expectNotRun(refused);
  });
});

describe('another method', () => {
  test('by a program that asks by GET is 405, and runs nothing', async () => {
    for (const path of ['/graphql', `/graphql?query=${encodeURIComponent(HARMLESS)}`]) {
      const answer = await rawRequest(shop.api.url, path, { headers: { accept: 'application/json' } });
      expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow: 'POST' });
      expect(answer.body).not.toContain('__typename');
    }
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s runs nothing, and allows no other origin',
    async (method) => {
      const headers = {
        ...JSON_TYPE,
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
      };
      const answer = await rawRequest(shop.api.url, '/graphql', {
        method,
        headers,
        body: operation(HARMLESS),
      });
      expectNotRun(answer);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});

describe('an operation that costs too much is refused before it runs', () => {
  const FRAGMENTS = Array.from(
    { length: 30 },
    (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`,
  );

  test.each([
    ['10,000 tokens', `{ ${'__typename '.repeat(10_000)}}`],
    ['10,000 tokens of nothing else', `{ ${'{ '.repeat(10_000)}`],
    [
      '1,000 aliases',
      `{ ${Array.from({ length: 1_000 }, (_, i) => `a${i}: pipeline { deadLetters }`).join(' ')} }`,
    ],
    ['a fragment that holds itself', '{ ...A } fragment A on Query { ...A }'],
    ['fragments that hold each other', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
    [
      'fragments that double 30 times',
      `{ ...F0 } ${FRAGMENTS.join(' ')} fragment F30 on Query { __typename }`,
    ],
    [
      '10,000 variables',
      `query (${Array.from({ length: 10_000 }, (_, i) => `$v${i}: Int`).join(' ')}) { __typename }`,
    ],
  ])('%s', async (_, query) => {
    const answer = await post(operation(query));
    expectNotRun(answer);
    expect(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']).toContain(
      JSON.parse(answer.body).errors[0].extensions.code,
    );
  });
});

test('a schema that is told in development has every operation of the contract', async () => {
  const { data } = await alice(
    '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }',
  );
  const names = (type: { fields: { name: string }[] }) => type.fields.map(({ name }) => name).sort();
  expect(names(data?.__schema.queryType)).toEqual(
    [
      'invoice',
      'invoiceByOrder',
      'customerInvoices',
      'invoices',
      'invoiceDownload',
      'deadLetters',
      'pipeline',
    ].sort(),
  );
  expect(names(data?.__schema.mutationType)).toEqual(
    [
      'createInvoice',
      'regenerateInvoicePdf',
      'cancelInvoice',
      'replayDeadLetter',
      'replayDeadLetters',
    ].sort(),
  );
});

test('two requests at once keep their own errors and actors', async () => {
  const [refused, allowed] = await Promise.all([
    shop.api.anonymously('{ pipeline { deadLetters } }'),
    shop.admin('{ pipeline { deadLetters } }'),
  ]);
  expect(codeOf(refused)).toBe('UNAUTHENTICATED');
  expect(allowed.data).toEqual({ pipeline: { deadLetters: 0 } });
});

test('a fault of ours is INTERNAL in the same two words, whatever it was', async () => {
  const { sql } = shop.database;
  await sql.query('ALTER TABLE dead_letters RENAME TO dead_letters_gone');
  try {
    const answer = await shop.admin('{ deadLetters { edges { cursor } } }');
    expectRefusal(answer, 'INTERNAL', 500);
    expect(answer.errors?.[0]?.message).toBe('Internal error');
    expect(JSON.stringify(answer)).not.toMatch(/dead_letters|42P01|relation/);
  } finally {
    await sql.query('ALTER TABLE dead_letters_gone RENAME TO dead_letters');
  }
});
