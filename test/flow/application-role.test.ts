import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/kernel/free-port.js';
import { useApplicationRole } from '../helpers/application-role.js';
import { useDatabase } from '../helpers/database.js';
import { JWT_SECRET, sender, tokenOf } from '../helpers/graphql-client.js';
import { useServiceProcesses, waitFor } from '../helpers/service-process.js';

const database = useDatabase();
const role = useApplicationRole(database);
const startService = useServiceProcesses();
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'folio-role-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test('the whole service runs with the rights of the application role, from the order to the cancel', async () => {
  const { url } = await startService({
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    DATABASE_URL: role.url,
    JWT_SECRET,
    DOWNLOAD_URL_SECRET: 'a-download-secret-for-tests-of-roles',
  });
  const admin = sender(url, `Bearer ${await tokenOf('admin', 'u_admin')}`);
  const created = await admin(
    `mutation { createInvoice(input: { orderId: "ORD-123", idempotencyKey: "role" }) { invoice { id } } }`,
  );
  expect(created.errors).toBeUndefined();
  const { id } = created.data?.createInvoice.invoice ?? {};
  const look = async () =>
    (await admin(`{ invoice(id: "${id}") { pdfStatus pdfRevision notificationStatus } }`)).data?.invoice;
  await waitFor(async () => (await look())?.notificationStatus === 'SENT');

  const again = await admin(
    `mutation { regenerateInvoicePdf(input: { invoiceId: "${id}" }) { invoice { id } } }`,
  );
  expect(again.errors).toBeUndefined();
  await waitFor(async () => (await look())?.pdfRevision === 2);
  const cancelled = await admin(
    `mutation { cancelInvoice(input: { invoiceId: "${id}", reason: "role" }) { invoice { status } } }`,
  );
  expect(cancelled.data?.cancelInvoice.invoice.status).toBe('CANCELLED');
}, 60_000);
