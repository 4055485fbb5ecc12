import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { publicId, uuidOf } from '../../src/kernel/ids.js';
import type { OrderJson } from '../../src/orders/parse-order.js';
import { claimPdf, recordFailed, recordGenerated, setRetry } from '../../src/pdf/pdf-status.js';
import { makeDownloadSigner } from '../../src/storage/download-signature.js';
import { makeFilesystemStorage } from '../../src/storage/filesystem-storage.js';
import { pdfObjectKey } from '../../src/storage/object-key.js';
import { type TestApi, useApi } from '../helpers/api.js';
import { type TestDatabase, useDatabase } from '../helpers/database.js';
import type { GraphQLAnswer, Send } from '../helpers/graphql-client.js';
import { type FakeOrderService, useOrderService } from '../helpers/order-service.js';
import { anOrder } from '../helpers/orders.js';

export interface Shop {
  database: TestDatabase;
  orders: FakeOrderService;
  api: TestApi;
  alice: Send;
  bob: Send;
  checkout: Send;
  admin: Send;
  /** An invoice of a new order of u_alice, as its payload shows it. */
  issue(changes?: Partial<OrderJson>): Promise<IssuedInvoice>;
  /** What a worker does to an invoice's PDF: a finished rendering with its file, or a failed one. */
  finishPdf(id: string, bytes: string): Promise<void>;
  failPdf(id: string): Promise<void>;
}

export interface IssuedInvoice {
  id: string;
  invoiceNumber: string;
  orderId: string;
  customerId: string;
  version: number;
  createdAt: string;
}

const DOWNLOAD_URL_SECRET = 'a-download-secret-for-tests-of-the-shop';

/** The API over an Order Service, with the actors of most tests. */
export function useShop(environment: Record<string, string> = {}): Shop {
  const database = useDatabase();
  const orders = useOrderService();
  const api = useApi(() => ({
    DATABASE_URL: database.url,
    ORDER_SERVICE_URL: orders.url,
    DOWNLOAD_URL_SECRET,
    ...environment,
  }));
  const checkout = api.as('service', 'checkout');

  async function claim(id: string) {
    const result = await claimPdf(database.db, uuid(id), 60);
    if (result.kind !== 'claimed') throw new Error(`The PDF of ${id} was ${result.kind}`);
    return result.claim;
  }

  return {
    database,
    orders,
    api,
    alice: api.as('customer', 'u_alice'),
    bob: api.as('customer', 'u_bob'),
    checkout,
    admin: api.as('admin', 'u_admin'),
    async issue(changes) {
      const { order_id: orderId } = orders.add(anOrder(changes));
      const { data, errors } = await api.createInvoice(checkout, { orderId, idempotencyKey: randomUUID() });
      expect(errors).toBeUndefined();
      return data?.createInvoice.invoice;
    },
    async finishPdf(id, bytes) {
      const held = await claim(id);
      const objectKey = pdfObjectKey({ id: uuid(id), issueDate: '2026-03-31' }, held.attempt);
      await makeFilesystemStorage({
        directory: join(api.dataDir, 'invoices'),
        publicUrl: api.url,
        ttlSeconds: 1,
        signer: makeDownloadSigner({ current: DOWNLOAD_URL_SECRET }),
        clock: { now: () => new Date() },
      }).put(objectKey, Buffer.from(bytes));
      const file = { objectKey, sha256: 'a'.repeat(64), bytes: bytes.length, templateVersion: 'test' };
      await database.db.$transaction((tx) => recordGenerated(tx, held, file));
    },
    async failPdf(id) {
      const held = await claim(id);
      await database.db.$transaction(async (tx) => {
        await recordFailed(tx, held, 'RENDER_FAILED');
        await setRetry(tx, held, 0);
      });
    },
  };
}

function uuid(id: string): string {
  const found = uuidOf('inv', id);
  if (!found) throw new Error(`${id} is no id of an invoice`);
  return found;
}

/** Well-formed, and of no invoice. */
export const UNKNOWN_ID = publicId('inv', '0193e3a4-7c1e-7d3b-9f00-0123456789ab');

/** That an answer is one refusal by this code, in the shape of the contract, telling nothing else. */
export function expectRefusal(
  { data, errors }: GraphQLAnswer,
  code: string,
  status: number,
  details: Record<string, unknown> = {},
): void {
  expect(errors).toHaveLength(1);
  expect(errors?.[0]?.extensions).toEqual({
    code,
    status,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...details,
  });
  expect(JSON.stringify(errors)).not.toMatch(
    /SQLSTATE|constraint|prisma|postgres|node_modules|stack|\.ts:|invoices_|Error:|<\?xml/i,
  );
  // Nothing of what was asked for came along.
  expect(Object.values(data ?? {}).every((value) => value === null)).toBe(true);
}
