import { beforeAll, describe, expect, test } from 'vitest';
import { uuidOf } from '../../src/kernel/ids.js';
import { codeOf, type GraphQLAnswer } from '../helpers/graphql-client.js';
import { expectRefusal, type IssuedInvoice, useShop } from './shop.js';

const shop = useShop();
const { alice, checkout, admin } = shop;

type Filter = Record<string, string | null>;

const search = (filter: Filter | null, page: { first?: number; after?: string | null } = {}, send = admin) =>
  send(
    `query ($filter: InvoiceFilter, $first: Int, $after: String) {
      invoices(filter: $filter, first: $first, after: $after) {
        edges { cursor node { id } }
        pageInfo { hasNextPage endCursor }
      }
    }`,
    { variables: { filter, ...page } },
  );

function idsIn({ data, errors }: GraphQLAnswer): string[] {
  expect(errors).toBeUndefined();
  return data?.invoices.edges.map(({ node }: { node: { id: string } }) => node.id);
}

// Oldest first: plain, cancelled, failed, generated, announced.
let invoices: IssuedInvoice[];
const at = (index: number) => invoices[index] ?? expect.fail('no such invoice');

beforeAll(async () => {
  invoices = [];
  for (let index = 0; index < 5; index += 1) {
    invoices.push(await shop.issue({ customer_id: index === 0 ? 'u_bob' : 'u_alice' }));
  }
  await admin(
    `mutation { cancelInvoice(input: { invoiceId: "${at(1).id}", reason: "wrong" }) { invoice { id } } }`,
  );
  await shop.failPdf(at(2).id);
  for (const index of [3, 4]) await shop.finishPdf(at(index).id, '%PDF-');
  // One mail that waits, and a newer one that went out: the newest counts.
  await shop.database.sql.query(
    `INSERT INTO notifications (id, invoice_id, event_id, status, created_at, sent_at)
     VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'PENDING', now() - interval '1 hour', NULL),
            (gen_random_uuid(), $1, gen_random_uuid(), 'SENT', now(), now())`,
    [uuidOf('inv', at(4).id)],
  );
});

const ids = (...indexes: number[]) => indexes.map((index) => at(index).id);

describe('a search', () => {
  test('without conditions finds all, newest first, for admins and services', async () => {
    for (const send of [admin, checkout]) {
      for (const filter of [null, {}, { customerId: null, status: null }]) {
        expect(idsIn(await search(filter, {}, send))).toEqual(ids(4, 3, 2, 1, 0));
      }
    }
  });

  test('is refused to customers, whatever they ask for', async () => {
    for (const filter of [null, { customerId: 'u_alice' }, { orderId: at(1).orderId }]) {
      expectRefusal(await search(filter, {}, alice), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    }
  });

  test.each<[string, () => Filter, number[]]>([
    ['status FINALIZED', () => ({ status: 'FINALIZED' }), [4, 3, 2, 0]],
    ['status CANCELLED', () => ({ status: 'CANCELLED' }), [1]],
    ['status PENDING', () => ({ status: 'PENDING' }), []],
    ['pdfStatus PENDING', () => ({ pdfStatus: 'PENDING' }), [1, 0]],
    ['pdfStatus PROCESSING', () => ({ pdfStatus: 'PROCESSING' }), []],
    ['pdfStatus FAILED', () => ({ pdfStatus: 'FAILED' }), [2]],
    ['pdfStatus GENERATED', () => ({ pdfStatus: 'GENERATED' }), [4, 3]],
    ['notificationStatus SENT', () => ({ notificationStatus: 'SENT' }), [4]],
    ['notificationStatus PENDING', () => ({ notificationStatus: 'PENDING' }), []],
    ['notificationStatus FAILED', () => ({ notificationStatus: 'FAILED' }), []],
    ['customerId', () => ({ customerId: 'u_bob' }), [0]],
    ['another’s beginning as customerId', () => ({ customerId: 'u_' }), []],
    ['orderId', () => ({ orderId: at(3).orderId }), [3]],
    ['the whole number', () => ({ invoiceNumber: at(2).invoiceNumber }), [2]],
    ['the beginning of a number', () => ({ invoiceNumber: 'INV-' }), [4, 3, 2, 1, 0]],
    ['a part of a number', () => ({ invoiceNumber: '0000' }), []],
    ['a pattern as number', () => ({ invoiceNumber: 'INV%' }), []],
    ['another pattern as number', () => ({ invoiceNumber: 'INV_____-' }), []],
    ['createdFrom, inclusive', () => ({ createdFrom: at(3).createdAt }), [4, 3]],
    ['createdTo, exclusive', () => ({ createdTo: at(2).createdAt }), [1, 0]],
    ['a span of time', () => ({ createdFrom: at(1).createdAt, createdTo: at(3).createdAt }), [2, 1]],
    ['a span of no time', () => ({ createdFrom: at(1).createdAt, createdTo: at(1).createdAt }), []],
    ['conditions that all hold', () => ({ customerId: 'u_alice', pdfStatus: 'PENDING' }), [1]],
    ['conditions that do not all hold', () => ({ customerId: 'u_bob', status: 'CANCELLED' }), []],
  ])('by %s', async (_, filter, found) => {
    expect(idsIn(await search(filter()))).toEqual(ids(...found));
  });

  const TEXTS = ['customerId', 'orderId', 'invoiceNumber'];
  const found = async (filter: Filter) => {
    const answer = await search(filter);
    return codeOf(answer) ?? answer.data?.invoices.edges;
  };

  test.each(TEXTS)('by any text as %s finds nothing else', async (name) => {
    for (const value of ["' OR 1=1 --", '\\', '%', '\u202e', '😀']) {
      expect(await found({ [name]: value }), JSON.stringify(value)).toEqual([]);
    }
  });

  test.each(TEXTS)('by what no text can be, as %s, finds nothing and is no fault of ours', async (name) => {
    for (const value of ['\0', 'INV-\0', '\ud83d', 'x'.repeat(10_000)]) {
      expect([[], 'VALIDATION_ERROR']).toContainEqual(await found({ [name]: value }));
    }
  });

  test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-02-28T23:59:59.999999999+14:00'])(
    'by the moment %s is no fault of ours',
    async (moment) => {
      for (const name of ['createdFrom', 'createdTo']) {
        expect(await found({ [name]: moment }), name).not.toBe('INTERNAL');
      }
    },
  );

  test('by what is no moment or no status is refused by the transport', async () => {
    for (const filter of [
      { createdFrom: 'yesterday' },
      { createdTo: '2026-13-01T00:00:00Z' },
      { status: 'PAID' },
    ]) {
      expect(codeOf(await search(filter))).toBe('BAD_USER_INPUT');
    }
  });

  test('is not answered by pages of 0 or 101, nor after a broken cursor', async () => {
    for (const first of [0, 101]) {
      expectRefusal(await search(null, { first }), 'VALIDATION_ERROR', 400, { field: 'first' });
    }
    expectRefusal(await search(null, { after: 'x' }), 'VALIDATION_ERROR', 400, { field: 'after' });
  });
});

test('paging while invoices are issued shows each older one exactly once', async () => {
  for (let index = 0; index < 20; index += 1) await shop.issue({ customer_id: 'u_pages' });
  const older = idsIn(await search({ customerId: 'u_pages' }));
  expect(older).toHaveLength(20);
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const asked = search({ customerId: 'u_pages' }, { first: 3, after });
    await Promise.all([shop.issue({ customer_id: 'u_pages' }), shop.issue({ customer_id: 'u_pages' })]);
    const answer: GraphQLAnswer = await asked;
    seen.push(...idsIn(answer));
    after = answer.data?.invoices.pageInfo.hasNextPage ? answer.data.invoices.pageInfo.endCursor : null;
  } while (after);
  expect(seen.filter((id) => older.includes(id))).toEqual(older);
  expect(new Set(seen).size).toBe(seen.length);
});
