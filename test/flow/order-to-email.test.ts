import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/kernel/free-port.js';
import { useDatabase } from '../helpers/database.js';
import { JWT_SECRET, type Send, sender, tokenOf } from '../helpers/graphql-client.js';
import { readText } from '../helpers/invoice-pdf.js';
import { useOrderService } from '../helpers/order-service.js';
import { anItem, anOrder } from '../helpers/orders.js';
import { useServiceProcesses, waitFor } from '../helpers/service-process.js';

const database = useDatabase();
const orders = useOrderService();
const startService = useServiceProcesses();
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'folio-flow-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const settings = (more: Record<string, string>) => ({
  DATA_DIR: dataDir,
  DATABASE_URL: database.url,
  ORDER_SERVICE_URL: orders.url,
  JWT_SECRET,
  DOWNLOAD_URL_SECRET: 'another-secret-for-tests-that-is-long',
  ...more,
});

async function issue(send: Send, orderId: string) {
  const { data } = await send(
    `mutation ($id: ID!) {
      createInvoice(input: { orderId: $id, idempotencyKey: "flow" }) { invoice { id invoiceNumber pdfStatus } }
    }`,
    { variables: { id: orderId } },
  );
  return data?.createInvoice.invoice;
}

const state = async (send: Send, id: string) =>
  (
    await send('query ($id: ID!) { invoice(id: $id) { pdfStatus notificationStatus } }', {
      variables: { id },
    })
  ).data?.invoice;

test('api, relay and worker in processes of their own bring an order to its mail', async () => {
  const port = String(await freePort());
  const [api] = await Promise.all([
    startService(settings({ ROLES: 'api', PORT: port })),
    startService(settings({ ROLES: 'relay', PORT: '0' })),
    startService(settings({ ROLES: 'worker', PORT: '0' })),
  ]);
  const alice = sender(api.url, `Bearer ${await tokenOf('customer', 'u_alice')}`);
  const order = orders.add(
    anOrder({
      items: [
        anItem({ description: 'Lampa biurkowa „Żółw”', product_id: 'SKU-1' }),
        anItem({
          description: 'Kabel',
          product_id: 'SKU-2',
          quantity: '1.333',
          unit_price: '9.99',
          discount: '0',
          tax: '0',
          total: '13.32',
        }),
      ],
      subtotal: '93.32',
      discount: '5.00',
      tax: '6.00',
      total: '94.32',
    }),
  );
  const issued = await issue(alice, order.order_id);
  expect(issued.pdfStatus).toBe('PENDING');

  await waitFor(async () => (await state(alice, issued.id))?.notificationStatus === 'SENT');
  expect(await state(alice, issued.id)).toEqual({ pdfStatus: 'GENERATED', notificationStatus: 'SENT' });

  const { data } = await alice(`{ invoiceDownload(id: "${issued.id}") { downloadUrl } }`);
  const response = await fetch(data?.invoiceDownload.downloadUrl);
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename=${issued.invoiceNumber}.pdf`,
  );
  const text = await readText(new Uint8Array(await response.arrayBuffer()));
  for (const piece of [
    issued.invoiceNumber,
    'Lampa biurkowa „Żółw”',
    'SKU-2',
    '1.333',
    '9.99',
    '13.32',
    '94.32',
  ]) {
    expect(text).toContain(piece);
  }

  const [mail = '', ...others] = await readdir(join(dataDir, 'mail'));
  expect(others).toEqual([]);
  const message = await readFile(join(dataDir, 'mail', mail), 'utf8');
  expect(message).toContain('To: Alice Example <alice@example.com>');
  expect(message).toContain(`${issued.invoiceNumber} over USD 94.32`);
});

test('a process of any role tells its health, and one without the api nothing else', async () => {
  const worker = await startService(settings({ ROLES: 'worker', PORT: '0' }));
  expect((await fetch(`${worker.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${worker.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${worker.url}/graphql`, { method: 'POST' })).status).toBe(404);
});
