import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { JWT_SECRET, type Send, sender } from '../helpers/graphql-client.js';
import { expectRefusal, UNKNOWN_ID, useShop } from './shop.js';

const shop = useShop();

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
const now = Math.floor(Date.now() / 1000);
const CLAIMS = { sub: 'u_alice', role: 'customer', iss: 'folio', aud: 'folio', iat: now, exp: now + 600 };

function forge(changes: Record<string, unknown>, header: Record<string, unknown> = {}): string {
  const input = `${encode({ alg: 'HS256', ...header })}.${encode({ ...CLAIMS, ...changes })}`;
  return `Bearer ${input}.${createHmac('sha256', JWT_SECRET).update(input).digest('base64url')}`;
}

const as = (authorization: string | undefined): Send => sender(shop.api.url, authorization);

const BAD: [string, () => string | undefined][] = [
  ['no token', () => undefined],
  ['garbage', () => 'Bearer garbage'],
  ['another scheme', () => forge({}).replace('Bearer', 'Basic')],
  ['an expired token', () => forge({ iat: now - 900, exp: now - 600 })],
  ['a token without exp', () => forge({ exp: undefined })],
  ['a token without sub', () => forge({ sub: undefined })],
  ['alg none', () => forge({}, { alg: 'none' })],
  ['a token of another issuer', () => forge({ iss: 'elsewhere' })],
  ['a token for another audience', () => forge({ aud: 'elsewhere' })],
  ['a token that lives ten years', () => forge({ exp: now + 315_360_000 })],
  ['the role "ADMIN "', () => forge({ role: 'ADMIN ' })],
  ['the role ["admin"]', () => forge({ role: ['admin'] })],
  ['no role', () => forge({ role: undefined })],
  ['an unknown crit', () => forge({}, { crit: ['x'], x: 1 })],
  ['a changed signature', () => `${forge({}).slice(0, -4)}AAAA`],
];

test('a right token is let in', async () => {
  const { data, errors } = await as(forge({}))(
    '{ customerInvoices(customerId: "u_alice") { edges { cursor } } }',
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({ customerInvoices: { edges: [] } });
});

describe.each(BAD)('%s', (_, authorization) => {
  test('is UNAUTHENTICATED in the same words as any other', async () => {
    const answer = await as(authorization())(
      '{ customerInvoices(customerId: "u_alice") { edges { cursor } } }',
    );
    expectRefusal(answer, 'UNAUTHENTICATED', 401);
    expect(answer.errors?.[0]?.message).toBe('A valid bearer token is required');
  });
});

describe('without a token', () => {
  test.each([
    `{ invoice(id: "${UNKNOWN_ID}") { id } }`,
    '{ invoiceByOrder(orderId: "ORD-1") { id } }',
    '{ customerInvoices(customerId: "u_alice") { edges { cursor } } }',
    '{ invoices { edges { cursor } } }',
    `{ invoiceDownload(id: "${UNKNOWN_ID}") { downloadUrl } }`,
    '{ deadLetters { edges { cursor } } }',
    '{ pipeline { deadLetters } }',
    'mutation { createInvoice(input: { orderId: "ORD-1", idempotencyKey: "k" }) { replayed } }',
    `mutation { cancelInvoice(input: { invoiceId: "${UNKNOWN_ID}", reason: "x" }) { invoice { id } } }`,
    `mutation { regenerateInvoicePdf(input: { invoiceId: "${UNKNOWN_ID}" }) { invoice { id } } }`,
    'mutation { replayDeadLetter(input: { id: "x" }) { invoice { id } } }',
    'mutation { replayDeadLetters(input: {}) { replayed } }',
  ])('nothing is told or done by %s', async (operation) => {
    expectRefusal(await as(undefined)(operation), 'UNAUTHENTICATED', 401);
  });

  // The token is asked for before anything else about a request is judged.
  test.each([
    '{ invoice(id: "broken") { id } }',
    '{ invoices(first: 0) { edges { cursor } } }',
    'mutation { createInvoice(input: { orderId: "../x" }) { replayed } }',
    'mutation { cancelInvoice(input: { invoiceId: "broken", reason: "" }) { invoice { id } } }',
  ])('a wrong input is not judged: %s', async (operation) => {
    expectRefusal(await as(undefined)(operation), 'UNAUTHENTICATED', 401);
  });
});

test('what only admins may do is refused to all others', async () => {
  for (const role of ['customer', 'service'] as const) {
    const send = shop.api.as(role, 'somebody');
    for (const operation of ['{ pipeline { deadLetters } }', '{ deadLetters { edges { cursor } } }']) {
      expectRefusal(await send(operation), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    }
  }
});
