import { beforeAll, describe, expect, test } from 'vitest';
import type { GraphQLAnswer, Send } from '../helpers/graphql-client.js';
import { expectRefusal, type IssuedInvoice, useShop } from './shop.js';

const shop = useShop();
const { alice, bob, checkout, admin } = shop;

interface Page {
  ids: string[];
  cursors: string[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}

const list = (send: Send, customerId: string, page: { first?: number | null; after?: string | null } = {}) =>
  send(
    `query ($customerId: ID!, $first: Int, $after: String) {
      customerInvoices(customerId: $customerId, first: $first, after: $after) {
        edges { cursor node { id customerId total notificationStatus items { total } } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`,
    // What is not given is not sent: the schema's own default has to serve.
    { variables: { customerId, ...page } },
  );

function pageOf({ data, errors }: GraphQLAnswer): Page {
  expect(errors).toBeUndefined();
  const { edges, pageInfo } = data?.customerInvoices ?? {};
  return {
    ids: edges.map((edge: { node: { id: string } }) => edge.node.id),
    cursors: edges.map((edge: { cursor: string }) => edge.cursor),
    pageInfo,
  };
}

const idsOf = (invoices: IssuedInvoice[]) => invoices.map(({ id }) => id);
const issueMany = async (count: number, customer_id: string) => {
  const issued: IssuedInvoice[] = [];
  for (let index = 0; index < count; index += 1) issued.push(await shop.issue({ customer_id }));
  return issued;
};

let ofAlice: IssuedInvoice[];
let ofBob: IssuedInvoice[];
beforeAll(async () => {
  ofAlice = await issueMany(5, 'u_alice');
  ofBob = await issueMany(2, 'u_bob');
});

describe('a customer’s invoices', () => {
  test('are listed newest first, and only theirs', async () => {
    for (const send of [alice, checkout, admin]) {
      const page = pageOf(await list(send, 'u_alice'));
      expect(page.ids).toEqual(idsOf(ofAlice).reverse());
      expect(page.pageInfo).toEqual({
        hasNextPage: false,
        hasPreviousPage: false,
        startCursor: page.cursors[0],
        endCursor: page.cursors.at(-1),
      });
    }
    const { data } = await list(alice, 'u_alice', { first: 1 });
    expect(data?.customerInvoices.edges[0].node).toMatchObject({
      total: '81.00',
      notificationStatus: null,
      items: [{ total: '81.00' }],
    });
  });

  test('come page by page, each exactly once', async () => {
    const first = pageOf(await list(alice, 'u_alice', { first: 2 }));
    const second = pageOf(await list(alice, 'u_alice', { first: 2, after: first.pageInfo.endCursor }));
    const third = pageOf(await list(alice, 'u_alice', { first: 2, after: second.pageInfo.endCursor }));
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(idsOf(ofAlice).reverse());
    expect([first, second, third].map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, true, false]);
    const fourth = pageOf(await list(alice, 'u_alice', { first: 2, after: third.pageInfo.endCursor }));
    expect(fourth.ids).toEqual([]);
    expect(fourth.pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: null,
      endCursor: null,
    });
  });

  test('know of a next page exactly where one is', async () => {
    expect(pageOf(await list(alice, 'u_alice', { first: 4 })).pageInfo.hasNextPage).toBe(true);
    expect(pageOf(await list(alice, 'u_alice', { first: 5 })).pageInfo.hasNextPage).toBe(false);
  });

  test('are none for a customer without invoices', async () => {
    expect(pageOf(await list(admin, 'u_nobody')).ids).toEqual([]);
    expect(pageOf(await list(admin, '')).ids).toEqual([]);
    expect(pageOf(await list(admin, "' OR 1=1 --")).ids).toEqual([]);
  });

  test.each([0, -1, 101, 2_147_483_647])('are not listed by pages of %i', async (first) => {
    expectRefusal(await list(alice, 'u_alice', { first }), 'VALIDATION_ERROR', 400, { field: 'first' });
  });

  test('are listed by pages of 1 to 100, and of 50 where null is given', async () => {
    expect(pageOf(await list(alice, 'u_alice', { first: 1 })).ids).toHaveLength(1);
    expect(pageOf(await list(alice, 'u_alice', { first: 100 })).ids).toHaveLength(5);
    expect(pageOf(await list(alice, 'u_alice', { first: null, after: null })).ids).toHaveLength(5);
  });

  test.each([
    ['empty', ''],
    ['words', 'the first page'],
    ['a public id', 'inv_01jfhta3rye9xx9w000j6hcy5b'],
    ['another text in base64', Buffer.from('not an id').toString('base64url')],
    ['SQL', Buffer.from("' OR 1=1 --").toString('base64url')],
    ['NUL', '\0'],
  ])('are not listed after a cursor that is broken: %s', async (_, after) => {
    expectRefusal(await list(alice, 'u_alice', { after }), 'VALIDATION_ERROR', 400, { field: 'after' });
  });
});

describe('customer B', () => {
  test('is refused the list of customer A, with and without their cursor', async () => {
    const { cursors } = pageOf(await list(alice, 'u_alice', { first: 2 }));
    for (const page of [{}, { after: cursors[0] ?? '' }]) {
      expectRefusal(await list(bob, 'u_alice', page), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    }
  });

  test('finds only invoices of his own behind customer A’s cursor', async () => {
    const { cursors } = pageOf(await list(alice, 'u_alice'));
    for (const after of cursors) {
      const { data } = await list(bob, 'u_bob', { after });
      for (const { node } of data?.customerInvoices.edges ?? []) expect(node.customerId).toBe('u_bob');
    }
    // Those of B are all newer than A's.
    expect(pageOf(await list(bob, 'u_bob', { after: cursors[0] ?? '' })).ids).toEqual([]);
    expect(pageOf(await list(bob, 'u_bob')).ids).toEqual(idsOf(ofBob).reverse());
  });

  test.each(['U_ALICE', 'u_alice ', '', '%', 'u_%'])(
    'is refused %j as a customer’s id',
    async (customerId) => {
      expectRefusal(await list(bob, customerId), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    },
  );
});
