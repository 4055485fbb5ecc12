import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { uuidOf } from '../../src/kernel/ids.js';
import { INVOICE_FIELDS } from '../helpers/api.js';
import { codeOf, type Send } from '../helpers/graphql-client.js';
import { anOrder } from '../helpers/orders.js';
import { expectRefusal, UNKNOWN_ID, useShop } from './shop.js';

const shop = useShop();
const { alice, bob, checkout, admin } = shop;

const cancel = (send: Send, invoiceId: string, reason = 'ordered twice') =>
  send(
    `mutation ($input: CancelInvoiceInput!) { cancelInvoice(input: $input) { invoice { ${INVOICE_FIELDS} } } }`,
    { variables: { input: { invoiceId, reason } } },
  );
const read = async (send: Send, id: string, fields = INVOICE_FIELDS) =>
  (await send(`query ($id: ID!) { invoice(id: $id) { ${fields} } }`, { variables: { id } })).data?.invoice;

describe('a cancelled invoice', () => {
  test('is CANCELLED, one version on, and the same in all else', async () => {
    const issued = await shop.issue();
    const { data, errors } = await cancel(admin, issued.id);
    expect(errors).toBeUndefined();
    expect(data?.cancelInvoice.invoice).toEqual({
      ...issued,
      status: 'CANCELLED',
      version: issued.version + 1,
      cancelledAt: expect.stringMatching(/Z$/),
    });
    expect(await read(alice, issued.id)).toEqual(data?.cancelInvoice.invoice);
  });

  test('has the actor on its timeline, and the reason in the books', async () => {
    const issued = await shop.issue();
    const { data } = await cancel(shop.api.as('admin', 'u_eva'), issued.id, 'Rückgabe „ganz“');
    const { timeline } = await read(admin, issued.id, 'timeline { at event actor code }');
    expect(timeline.at(-1)).toMatchObject({ event: 'InvoiceCancelled', actor: 'admin:u_eva', code: null });
    expect(
      Math.abs(Date.parse(timeline.at(-1).at) - Date.parse(data?.cancelInvoice.invoice.cancelledAt)),
    ).toBeLessThan(5_000);
    const { rows } = await shop.database.sql.query('SELECT cancel_reason FROM invoices WHERE id = $1', [
      uuidOf('inv', issued.id),
    ]);
    expect(rows).toEqual([{ cancel_reason: 'Rückgabe „ganz“' }]);
  });

  test('writes one InvoiceCancelled', async () => {
    const issued = await shop.issue();
    await cancel(admin, issued.id);
    await cancel(admin, issued.id);
    const { rows } = await shop.database.sql.query(
      `SELECT payload FROM outbox_events WHERE aggregate_id = $1 AND event_type = 'InvoiceCancelled'`,
      [uuidOf('inv', issued.id)],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].payload).toMatchObject({ type: 'InvoiceCancelled', order_id: issued.orderId });
  });

  test('cannot be cancelled twice', async () => {
    const issued = await shop.issue();
    const { data } = await cancel(admin, issued.id);
    expectRefusal(await cancel(admin, issued.id, 'again'), 'INVALID_INVOICE_STATE', 409);
    expect(await read(admin, issued.id)).toEqual(data?.cancelInvoice.invoice);
  });

  test('is cancelled by one of many at once', async () => {
    const issued = await shop.issue();
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(admin, issued.id)));
    const codes = answers.map(codeOf);
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === 'INVALID_INVOICE_STATE')).toHaveLength(9);
    const { timeline, version } = await read(admin, issued.id, 'version timeline { event }');
    expect(version).toBe(issued.version + 1);
    expect(timeline).toHaveLength(2);
  });

  test('still occupies its order', async () => {
    const issued = await shop.issue();
    await cancel(admin, issued.id);
    const again = await shop.api.createInvoice(checkout, {
      orderId: issued.orderId,
      idempotencyKey: randomUUID(),
    });
    expectRefusal(again, 'INVOICE_ALREADY_EXISTS', 409, {
      invoiceId: issued.id,
      invoiceNumber: issued.invoiceNumber,
      invoiceStatus: 'CANCELLED',
    });
  });

  test('is what a repeated create shows', async () => {
    const { order_id: orderId } = shop.orders.add(anOrder());
    const create = () => shop.api.createInvoice(checkout, { orderId, idempotencyKey: `key-${orderId}` });
    const first = await create();
    await cancel(admin, first.data?.createInvoice.invoice.id);
    expect((await create()).data?.createInvoice).toMatchObject({
      replayed: true,
      invoice: { id: first.data?.createInvoice.invoice.id, status: 'CANCELLED' },
    });
  });
});

describe('a reason', () => {
  test.each([
    ['a letter', 'x'],
    ['300 characters', 'ż'.repeat(300)],
    ['300 code points', '😀'.repeat(300)],
    ['any script', 'החזרה · 返品 · <b>&"'],
  ])('may be %s', async (_, reason) => {
    const { id } = await shop.issue();
    expect((await cancel(admin, id, reason)).errors).toBeUndefined();
  });

  test.each([
    ['empty', ''],
    ['301 characters', 'x'.repeat(301)],
    ['two lines', 'a\nb'],
    ['a tab', 'a\tb'],
    ['NUL', 'a\0b'],
    ['half a character', 'a\ud83d'],
  ])('may not be %s', async (_, reason) => {
    const { id, version } = await shop.issue();
    expectRefusal(await cancel(admin, id, reason), 'VALIDATION_ERROR', 400, { field: 'reason' });
    expect(await read(admin, id, 'status version')).toEqual({ status: 'FINALIZED', version });
  });

  test('is required', async () => {
    const { id } = await shop.issue();
    const answer = await admin(
      `mutation { cancelInvoice(input: { invoiceId: "${id}" }) { invoice { id } } }`,
    );
    expect(codeOf(answer)).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});

describe('cancelling', () => {
  test('is refused to everybody but admins, whatever they name', async () => {
    const { id, version } = await shop.issue();
    for (const send of [alice, bob, checkout]) {
      expectRefusal(await cancel(send, id), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
      expectRefusal(await cancel(send, UNKNOWN_ID), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    }
    expect(await read(admin, id, 'status version')).toEqual({ status: 'FINALIZED', version });
  });

  test('of an unknown id is INVOICE_NOT_FOUND', async () => {
    for (const id of [UNKNOWN_ID, 'x', '']) expectRefusal(await cancel(admin, id), 'INVOICE_NOT_FOUND', 404);
  });
});
