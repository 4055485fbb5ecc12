import { describe, expect, test } from 'vitest';
import type { Send } from '../helpers/graphql-client.js';
import { expectRefusal, UNKNOWN_ID, useShop } from './shop.js';

const TTL_SECONDS = 120;
const shop = useShop({ DOWNLOAD_URL_TTL_SECONDS: String(TTL_SECONDS) });
const { alice, bob, checkout, admin } = shop;

const download = (send: Send, id: string, revision?: number | null) =>
  send(
    'query ($id: ID!, $revision: Int) { invoiceDownload(id: $id, revision: $revision) { downloadUrl expiresAt } }',
    { variables: { id, ...(revision === undefined ? {} : { revision }) } },
  );

const textBehind = async (send: Send, id: string, revision?: number) => {
  const { data, errors } = await download(send, id, revision);
  expect(errors).toBeUndefined();
  const response = await fetch(data?.invoiceDownload.downloadUrl);
  expect(response.status).toBe(200);
  return response.text();
};

describe('a download', () => {
  test('is not ready before the file is there, nor after a failed rendering', async () => {
    const { id } = await shop.issue();
    for (const send of [alice, checkout, admin])
      expectRefusal(await download(send, id), 'PDF_NOT_READY', 409);
    await shop.failPdf(id);
    expectRefusal(await download(alice, id), 'PDF_NOT_READY', 409);
  });

  test('is a URL that opens the file, named after the invoice, for as long as it says', async () => {
    const { id, invoiceNumber } = await shop.issue();
    await shop.finishPdf(id, '%PDF- of Alice');
    for (const send of [alice, checkout, admin]) {
      const earliest = Math.floor(Date.now() / 1000) + TTL_SECONDS;
      const { data } = await download(send, id);
      const expires = Date.parse(data?.invoiceDownload.expiresAt) / 1000;
      expect(expires).toBeGreaterThanOrEqual(earliest);
      expect(expires).toBeLessThanOrEqual(Date.now() / 1000 + TTL_SECONDS);
      const response = await fetch(data?.invoiceDownload.downloadUrl);
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename=${invoiceNumber}.pdf`);
      expect(await response.text()).toBe('%PDF- of Alice');
    }
  });

  test('names neither the order nor the customer', async () => {
    const { id, orderId } = await shop.issue();
    await shop.finishPdf(id, '%PDF-');
    const { data } = await download(alice, id);
    expect(data?.invoiceDownload.downloadUrl).not.toContain(orderId);
    expect(data?.invoiceDownload.downloadUrl).not.toMatch(/alice/i);
  });

  test('is refused to customer B, before and after the file is there', async () => {
    const { id } = await shop.issue();
    expectRefusal(await download(bob, id), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    await shop.finishPdf(id, '%PDF-');
    expectRefusal(await download(bob, id), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    expectRefusal(await download(bob, id, 1), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
  });

  test.each([UNKNOWN_ID, '', '../x', 'inv_\0'])('of the unknown id %j is INVOICE_NOT_FOUND', async (id) => {
    for (const send of [alice, admin]) expectRefusal(await download(send, id), 'INVOICE_NOT_FOUND', 404);
  });

  test('stays where the invoice is cancelled', async () => {
    const { id } = await shop.issue();
    await shop.finishPdf(id, '%PDF- cancelled');
    await admin(`mutation { cancelInvoice(input: { invoiceId: "${id}", reason: "x" }) { invoice { id } } }`);
    expect(await textBehind(alice, id)).toBe('%PDF- cancelled');
  });
});

describe('an earlier revision', () => {
  test('is opened by its number for admins, while and after a new one is made', async () => {
    const { id } = await shop.issue();
    await shop.finishPdf(id, 'first');
    await admin(`mutation { regenerateInvoicePdf(input: { invoiceId: "${id}" }) { invoice { id } } }`);
    expectRefusal(await download(alice, id), 'PDF_NOT_READY', 409);
    expectRefusal(await download(admin, id), 'PDF_NOT_READY', 409);
    expect(await textBehind(admin, id, 1)).toBe('first');
    await shop.finishPdf(id, 'second');
    expect(await textBehind(alice, id)).toBe('second');
    expect(await textBehind(admin, id, 1)).toBe('first');
    expect(await textBehind(admin, id, 2)).toBe('second');
  });

  test('is refused to owner and service', async () => {
    const { id } = await shop.issue();
    await shop.finishPdf(id, 'first');
    for (const send of [alice, checkout]) {
      expectRefusal(await download(send, id, 1), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
      expectRefusal(await download(send, id, 9), 'UNAUTHORIZED_INVOICE_ACCESS', 403);
    }
  });

  test.each([0, -1, 2, 2_147_483_647])(
    'of number %i is PDF_NOT_READY where there is none',
    async (revision) => {
      const { id } = await shop.issue();
      await shop.finishPdf(id, 'first');
      expectRefusal(await download(admin, id, revision), 'PDF_NOT_READY', 409);
    },
  );

  test('of null is the current one', async () => {
    const { id } = await shop.issue();
    await shop.finishPdf(id, 'first');
    expect((await download(alice, id, null)).errors).toBeUndefined();
  });
});
