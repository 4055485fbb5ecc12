import { randomUUID } from 'node:crypto';
import type { Db } from '../../src/db/client.js';
import { claimFor } from '../../src/invoices/claim-idempotency-key.js';
import type { Draft } from '../../src/invoices/draft.js';
import { makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import { keepSeller } from '../../src/invoices/seller.js';
import { snapshotOrder } from '../../src/invoices/snapshot-order.js';
import { type OrderJson, parseOrder } from '../../src/orders/parse-order.js';
import { anItem, anOrder } from './orders.js';

/** An order of several equal lines, each of them USD 80.00 − 5.00 + 6.00 = 81.00. */
export const anOrderOfLines = (count: number, changes: Partial<OrderJson> = {}): OrderJson =>
  anOrder({
    items: Array.from({ length: count }, (_, index) => anItem({ product_id: `SKU-${index + 1}` })),
    subtotal: `${80 * count}.00`,
    discount: `${5 * count}.00`,
    tax: `${6 * count}.00`,
    total: `${81 * count}.00`,
    ...changes,
  });

export function keepTestSeller(db: Db): Promise<string> {
  return keepSeller(db, {
    name: 'Folio Lamps Ltd',
    address: '1 Seller Street\nSpringfield',
    taxId: 'US-123',
    email: 'billing@example.com',
    logo: { mediaType: 'image/png', bytes: Buffer.from('not looked into here') },
  });
}

export const aDraft = (sellerId: string, order = anOrder(), changes: Partial<Draft> = {}): Draft => ({
  claim: claimFor({ id: 'checkout', role: 'service' }, randomUUID(), { orderId: order.order_id }),
  snapshot: snapshotOrder(parseOrder(order, order.order_id)),
  sellerId,
  timeZone: 'UTC',
  locale: 'en-US',
  ...changes,
});

/**
 * Issues the invoice of an order by the service's own transaction.
 *
 * @returns its id, a UUID.
 */
export async function issueInvoice(db: Db, order = anOrder()): Promise<string> {
  const [outcome] = await makeIssueInvoices({ db })([aDraft(await keepTestSeller(db), order)]);
  if (outcome?.kind !== 'issued') throw new Error(`The invoice was not issued: ${outcome?.kind}`);
  return outcome.invoiceId;
}
