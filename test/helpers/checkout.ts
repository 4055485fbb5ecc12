import { randomUUID } from 'node:crypto';
import { type Acknowledged, outcomeOf } from './books.js';
import { JWT_SECRET, type Send, sender, tokenOf } from './graphql-client.js';
import type { FakeOrderService } from './order-service.js';
import { anOrder } from './orders.js';
import type { ServiceProcess, useServiceProcesses } from './service-process.js';

export interface Checkout {
  service: ServiceProcess;
  send: Send;
}

/** An API in a process of its own, and a checkout's token for it. */
export async function startCheckout(
  startService: ReturnType<typeof useServiceProcesses>,
  orders: FakeOrderService,
  environment: { DATABASE_URL: string; DATABASE_POOL_SIZE?: string },
): Promise<Checkout> {
  const service = await startService({
    ROLES: 'api',
    PORT: '0',
    PUBLIC_URL: 'http://localhost',
    LOG_LEVEL: 'silent',
    ORDER_SERVICE_URL: orders.url,
    JWT_SECRET,
    DOWNLOAD_URL_SECRET: 'a-download-secret-for-tests-of-checkouts',
    ...environment,
  });
  return { service, send: sender(service.url, `Bearer ${await tokenOf('service', 'checkout')}`) };
}

/** What a client asks for, and repeats until it knows. */
export interface Wish {
  orderId: string;
  idempotencyKey: string;
}

export const aWish = (orders: FakeOrderService): Wish => ({
  orderId: orders.add(anOrder()).order_id,
  idempotencyKey: randomUUID(),
});

/** The invoice, the code of the refusal, or "no answer". */
export function create(send: Send, input: Wish): Promise<Acknowledged | string> {
  const query = `mutation ($input: CreateInvoiceInput!) {
    createInvoice(input: $input) { invoice { id invoiceNumber orderId } }
  }`;
  return send(query, { variables: { input } }).then(outcomeOf, () => 'no answer');
}
