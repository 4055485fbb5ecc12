import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { INVOICE_FIELDS } from '../helpers/api.js';
import type { Send } from '../helpers/graphql-client.js';
import { anItem, aPlainOrder } from '../helpers/orders.js';
import { expectRefusal, UNKNOWN_ID, useShop } from './shop.js';

const shop = useShop();
const { alice, bob, checkout, admin } = shop;

const byId = (send: Send, id: string, fields = INVOICE_FIELDS) =>
  send(`query ($id: ID!) { invoice(id: $id) { ${fields} } }`, { variables: { id } });
const byOrder = (send: Send, orderId: string, fields = INVOICE_FIELDS) =>
  send(`query ($orderId: ID!) { invoiceByOrder(orderId: $orderId) { ${fields} } }`, {
    variables: { orderId },
  });

describe('an invoice', () => {
  test('is read by its id and by its order, as it was issued', async () => {
    const issued = await shop.issue();
    for (const send of [alice, checkout, admin]) {
      expect((await byId(send, issued.id)).data).toEqual({ invoice: issued });
      expect((await byOrder(send, issued.orderId)).data).toEqual({ invoiceByOrder: issued });
    }
  });

  test('has times in UTC and an id of its own kind', async () => {
    const issued = await shop.issue();
    const { data } = await byId(alice, issued.id, 'id createdAt finalizedAt cancelledAt');
    expect(data?.invoice).toEqual({
      id: expect.stringMatching(/^inv_[0-9a-z]{26}$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/),
      finalizedAt: expect.stringMatching(/Z$/),
      cancelledAt: null,
    });
  });

  test.each([
    ['JPY', { quantity: '1', unit_price: '1935', total: '1935' }, ['1', '1935', '1935']],
    ['JPY', { quantity: '1000', unit_price: '4.5', total: '4500.00' }, ['1000', '4.5', '4500']],
    ['USD', { quantity: '1000', unit_price: '0.02925', total: '29.25' }, ['1000', '0.02925', '29.25']],
    ['USD', { quantity: '1.0', unit_price: '0.000001', total: '0' }, ['1', '0.000001', '0.00']],
    ['USD', { quantity: '1.333', unit_price: '9.99', total: '13.3200' }, ['1.333', '9.99', '13.32']],
    ['KWD', { quantity: '1', unit_price: '125.5', total: '125.5' }, ['1', '125.500', '125.500']],
    ['CLF', { quantity: '2', unit_price: '24.5678', total: '49.1356' }, ['2', '24.5678', '49.1356']],
    [
      'USD',
      { quantity: '100', unit_price: '9999999999999.9999', total: '999999999999999.99' },
      ['100', '9999999999999.9999', '999999999999999.99'],
    ],
  ])('in %s keeps %j to the last digit, read back from the books too', async (currency, line, written) => {
    const [quantity, unitPrice, total] = written;
    const issued = await shop.issue(aPlainOrder(currency, line, { order_id: `ORD-${randomUUID()}` }));
    const { data } = await byId(
      alice,
      issued.id,
      'total subtotal discount items { quantity unitPrice total }',
    );
    expect(data?.invoice).toMatchObject({ total, subtotal: total, items: [{ quantity, unitPrice, total }] });
    expect(data?.invoice).toEqual(
      (await byOrder(alice, issued.orderId, 'total subtotal discount items { quantity unitPrice total }'))
        .data?.invoiceByOrder,
    );
    expect(issued).toMatchObject({ total, items: [{ quantity, unitPrice, total }] });
  });

  test('keeps its lines in their order and its texts in any script', async () => {
    const descriptions = ['Żółw', '東京 ランプ', 'שלום רב', '<b>not bold</b> & "quotes"', 'two\nlines', '😀'];
    const issued = await shop.issue({
      items: descriptions.map((description) => anItem({ description })),
      subtotal: '480',
      discount: '30',
      tax: '36',
      total: '486',
    });
    const { data } = await byId(alice, issued.id, 'items { description }');
    expect(data?.invoice.items.map((item: { description: string }) => item.description)).toEqual(
      descriptions,
    );
  });

  test('is read many times in one request, by aliases', async () => {
    const issued = await Promise.all([shop.issue(), shop.issue()]);
    const { data } = await alice(
      `{ a: invoice(id: "${issued[0]?.id}") { orderId items { total } } b: invoice(id: "${issued[1]?.id}") { orderId } }`,
    );
    expect(data).toEqual({
      a: { orderId: issued[0]?.orderId, items: [{ total: '81.00' }] },
      b: { orderId: issued[1]?.orderId },
    });
  });
});

describe('customer B', () => {
  test('is refused the invoice of customer A by id and by order', async () => {
    const issued = await shop.issue();
    for (const answer of [await byId(bob, issued.id), await byOrder(bob, issued.orderId)]) {
      expectRefusal(answer, 'UNAUTHORIZED_INVOICE_ACCESS', 403);
      expect(JSON.stringify(answer)).not.toContain(issued.invoiceNumber);
    }
  });

  test('is refused it by an alias beside an invoice of his own', async () => {
    const [own, other] = [await shop.issue({ customer_id: 'u_bob' }), await shop.issue()];
    const { data, errors } = await bob(
      `{ mine: invoice(id: "${own.id}") { id } theirs: invoice(id: "${other.id}") { id total customer { name } } }`,
    );
    expect(data).toEqual({ mine: { id: own.id }, theirs: null });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]).toMatchObject({
      path: ['theirs'],
      extensions: { code: 'UNAUTHORIZED_INVOICE_ACCESS' },
    });
  });

  test.each([
    ['customer', 'U_ALICE'],
    ['customer', 'u_alice '],
    ['customer', 'u_alic'],
    ['customer', 'checkout'],
  ] as const)('is refused as %s %j', async (role, id) => {
    const issued = await shop.issue();
    expectRefusal(await byId(shop.api.as(role, id), issued.id), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
  });
});

describe('nothing is found', () => {
  test.each([
    UNKNOWN_ID,
    '',
    'INV-2026-00000001',
    'dl_01jfhta3rye9xx9w000j6hcy5b',
    '0193e3a4-7c1e-7d3b-9f00-0123456789ab',
    "inv_' OR 1=1 --",
    'inv_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    'inv_\u0000',
    'ż',
  ])('by the id %j: null and INVOICE_NOT_FOUND', async (id) => {
    const answer = await byId(alice, id);
    expect(answer.data).toEqual({ invoice: null });
    expectRefusal(answer, 'INVOICE_NOT_FOUND', 404);
  });

  test.each(['ORD-NONE', '', "' OR 1=1 --", '../x', 'x'.repeat(10_000), '\u0000', 'ORD-\u0000', '\ud83d'])(
    'by the order %j: null and INVOICE_NOT_FOUND',
    async (orderId) => {
      const answer = await byOrder(alice, orderId);
      expect(answer.data).toEqual({ invoiceByOrder: null });
      expectRefusal(answer, 'INVOICE_NOT_FOUND', 404);
    },
  );
});

describe('timeline and revisions', () => {
  test.each(['timeline { event actor }', 'pdfRevisions { sha256 }'])(
    'are for admins: %s is refused to others',
    async (fields) => {
      const issued = await shop.issue();
      for (const send of [alice, checkout]) {
        const answer = await byId(send, issued.id, fields);
        expect(answer.errors?.[0]?.extensions).toMatchObject({
          code: 'UNAUTHORIZED_INVOICE_ACCESS',
          status: 403,
        });
        expect(JSON.stringify(answer.data)).not.toMatch(/InvoiceCreated|service:|sha256":"/);
      }
      expectRefusal(await byId(bob, issued.id, fields), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    },
  );

  test('tell an admin who issued, what was tried and what came of it', async () => {
    const issued = await shop.issue();
    await shop.failPdf(issued.id);
    await admin(`mutation { regenerateInvoicePdf(input: { invoiceId: "${issued.id}" }) { invoice { id } } }`);
    await shop.finishPdf(issued.id, '%PDF-');
    const fields =
      'timeline { at event actor attempt code } pdfRevisions { revision createdAt sha256 bytes templateVersion }';
    const { data } = await byId(admin, issued.id, fields);
    expect(data?.invoice.timeline[0]).toEqual({
      at: issued.createdAt,
      event: 'InvoiceCreated',
      actor: 'service:checkout',
      attempt: null,
      code: null,
    });
    expect(data?.invoice.pdfRevisions).toEqual([
      {
        revision: 2,
        createdAt: expect.stringMatching(/Z$/),
        sha256: 'a'.repeat(64),
        bytes: 5,
        templateVersion: 'test',
      },
    ]);
  });
});
