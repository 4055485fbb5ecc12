import { randomUUID } from 'node:crypto';
import { type Db, makeDb } from '../dist/db/client.js';
import { migrate } from '../dist/db/migrate.js';
import { startTemporaryDatabase } from '../dist/db/temporary-database.js';
import { type Issuer, makeCreateInvoice } from '../dist/invoices/create-invoice.js';
import { makeIssueInSets } from '../dist/invoices/issue-in-sets.js';
import { type IssueInvoices, makeIssueInvoices } from '../dist/invoices/issue-invoices.js';
import { keepSeller } from '../dist/invoices/seller.js';
import { makeOrders } from './orders.ts';

export interface Bench {
  url: string;
  db: Db;
  issuer: Issuer;
  issueInvoices: IssueInvoices;
  /** The use case, of a new order under a key of its own. */
  createOne(): Promise<unknown>;
}

const SELLER = { name: 'Folio Sample Store', address: '100 Harbour Street', taxId: null, email: null };

/** An embedded PostgreSQL that waits for its disk at each commit, a database of its own, and the use case. */
export async function startBench(stack: AsyncDisposableStack): Promise<Bench> {
  // Ctrl-C too leaves no database behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(1)));
  }
  const database = await startTemporaryDatabase({ directory: 'data/postgres', prefix: 'bench' });
  stack.defer(() => database.stop());
  const { url } = database;
  await migrate({ url, directory: 'prisma/migrations' });
  const db = makeDb({ url, poolSize: 10, applicationName: 'folio bench' });
  stack.defer(() => db.$disconnect());
  const sellerId = await keepSeller(db, { ...SELLER, logo: null });
  const issuer = { sellerId, seller: SELLER, timeZone: 'UTC', locale: 'en-US' };
  const issueInvoices = makeIssueInvoices({ db });
  const issueInvoice = makeIssueInSets({ issueInvoices });
  const createInvoice = makeCreateInvoice({ db, orders: makeOrders(), issueInvoice, issuer });
  return {
    url,
    db,
    issuer,
    issueInvoices,
    createOne() {
      const id = randomUUID();
      return createInvoice({ role: 'service', id: 'bench' }, { orderId: id, idempotencyKey: id });
    },
  };
}
