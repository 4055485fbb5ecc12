import { describe, expect, test } from 'vitest';
import { JWT_SECRET, sender, tokenOf } from '../helpers/graphql-client.js';
import { rawRequest } from './raw-request.js';
import { useShop } from './shop.js';

const shop = useShop({ NODE_ENV: 'production', JWT_SECRET });
const { alice } = shop;

describe('in production the schema is told to nobody', () => {
  test.each([
    '{ __schema { types { name } } }',
    '{ __type(name: "Invoice") { fields { name } } }',
    'query ($id: ID!) { invoice(id: $id) { id } __schema { queryType { name } } }',
    '{ ...A } fragment A on Query { __schema { types { name } } }',
  ])('by %s', async (query) => {
    for (const send of [alice, shop.api.anonymously, shop.admin]) {
      const { data, errors } = await send(query, { variables: { id: 'x' } });
      expect(data).toBeUndefined();
      expect(errors?.[0]?.extensions.code).toMatch(/^(?:GRAPHQL_VALIDATION_FAILED|INTROSPECTION_DISABLED)$/);
      expect(JSON.stringify(errors)).not.toMatch(/invoiceNumber|customerInvoices/);
    }
  });

  test.each([
    '{ invoce(id: "x") { id } }',
    '{ invoice(id: "x") { invoiceNumbr } }',
    '{ invoice(idd: "x") { id } }',
    '{ invoices(filter: { stats: FINALIZED }) { edges { cursor } } }',
    '{ invoices(filter: { status: FINALISED }) { edges { cursor } } }',
  ])('nor suggested by the errors of %s', async (query) => {
    const { errors } = await alice(query);
    expect(errors).toBeDefined();
    expect(JSON.stringify(errors)).not.toMatch(/did you mean|invoiceNumber|FINALIZED|pdfStatus/i);
  });

  test('nor by suggestions for a variable', async () => {
    const { errors } = await alice(
      'query ($filter: InvoiceFilter) { invoices(filter: $filter) { edges { cursor } } }',
      { variables: { filter: { stats: 'x' } } },
    );
    expect(JSON.stringify(errors)).not.toMatch(/did you mean/i);
  });
});

test('the playground is off, and a browser’s GET runs nothing', async () => {
  for (const accept of ['text/html', 'application/json']) {
    const { status, body } = await rawRequest(shop.api.url, '/graphql?query={__typename}', {
      headers: { accept },
    });
    expect([404, 405]).toContain(status);
    expect(body).not.toMatch(/__typename"|<html/i);
  }
  expect((await rawRequest(shop.api.url, '/graphql/static/ruru.js')).status).toBe(404);
});

test('operations are answered as ever', async () => {
  const send = sender(shop.api.url, `Bearer ${await tokenOf('customer', 'u_alice')}`);
  const { id } = await shop.issue();
  expect((await send(`{ invoice(id: "${id}") { total } }`)).data).toEqual({ invoice: { total: '81.00' } });
});
