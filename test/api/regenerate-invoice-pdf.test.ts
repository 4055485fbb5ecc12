import { describe, expect, test } from 'vitest';
import { INVOICE_FIELDS } from '../helpers/api.js';
import { codeOf, type Send } from '../helpers/graphql-client.js';
import { expectRefusal, UNKNOWN_ID, useShop } from './shop.js';

const shop = useShop();
const { alice, bob, checkout, admin } = shop;

const regenerate = (send: Send, invoiceId: string, rest: { notifyCustomer?: boolean | null } = {}) =>
  send(
    `mutation ($input: RegenerateInvoicePdfInput!) {
      regenerateInvoicePdf(input: $input) { invoice { ${INVOICE_FIELDS} } }
    }`,
    { variables: { input: { invoiceId, ...rest } } },
  );
const read = async (id: string, fields = INVOICE_FIELDS) =>
  (await admin(`query ($id: ID!) { invoice(id: $id) { ${fields} } }`, { variables: { id } })).data?.invoice;

describe('a PDF', () => {
  test('that waits cannot be asked for again', async () => {
    const issued = await shop.issue();
    expectRefusal(await regenerate(admin, issued.id), 'INVALID_INVOICE_STATE', 409);
    expect(await read(issued.id)).toEqual(issued);
  });

  test.each([
    ['GENERATED', (id: string) => shop.finishPdf(id, '%PDF-')],
    ['FAILED', (id: string) => shop.failPdf(id)],
  ])('that is %s can, and no money is touched', async (_, prepare) => {
    const issued = await shop.issue();
    await prepare(issued.id);
    const before = await read(issued.id);
    const { data, errors } = await regenerate(admin, issued.id);
    expect(errors).toBeUndefined();
    expect(data?.regenerateInvoicePdf.invoice).toEqual({
      ...before,
      pdfStatus: 'PENDING',
      pdfErrorCode: null,
      version: before.version + 1,
    });
    const { timeline } = await read(issued.id, 'timeline { event actor }');
    expect(timeline.at(-1)).toEqual({ event: 'InvoicePDFRegenerateRequested', actor: 'admin:u_admin' });
  });

  test('is asked for once, however many ask at once', async () => {
    const { id } = await shop.issue();
    await shop.finishPdf(id, '%PDF-');
    const answers = await Promise.all(Array.from({ length: 10 }, () => regenerate(admin, id)));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    expect(answers.filter((answer) => codeOf(answer) === 'INVALID_INVOICE_STATE')).toHaveLength(9);
  });

  test('of a cancelled invoice cannot', async () => {
    const { id } = await shop.issue();
    await shop.finishPdf(id, '%PDF-');
    await admin(`mutation { cancelInvoice(input: { invoiceId: "${id}", reason: "x" }) { invoice { id } } }`);
    expectRefusal(await regenerate(admin, id), 'INVALID_INVOICE_STATE', 409);
  });

  test('is asked for with or without a mail, null being without', async () => {
    for (const notifyCustomer of [true, false, null]) {
      const { id } = await shop.issue();
      await shop.finishPdf(id, '%PDF-');
      expect((await regenerate(admin, id, { notifyCustomer })).errors).toBeUndefined();
    }
  });
});

describe('asking again', () => {
  test('is refused to everybody but admins, whatever they name', async () => {
    const { id } = await shop.issue();
    await shop.finishPdf(id, '%PDF-');
    const before = await read(id);
    for (const send of [alice, bob, checkout]) {
      expectRefusal(await regenerate(send, id), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
      expectRefusal(await regenerate(send, UNKNOWN_ID), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    }
    expect(await read(id)).toEqual(before);
  });

  test('for an unknown id is INVOICE_NOT_FOUND', async () => {
    for (const id of [UNKNOWN_ID, 'x', ''])
      expectRefusal(await regenerate(admin, id), 'INVOICE_NOT_FOUND', 404);
  });
});
