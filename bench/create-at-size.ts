import { randomUUID } from 'node:crypto';
import { claimFor } from '../dist/invoices/claim-idempotency-key.js';
import { snapshotOrder } from '../dist/invoices/snapshot-order.js';
import { runCallers } from './callers.ts';
import { readOptions } from './options.ts';
import { makeOrders } from './orders.ts';
import { startReport } from './report.ts';
import { startBench } from './use-case.ts';

readOptions(
  {},
  `What a create costs when the books are long: the same measurements at 10,000 and at 1,000,000 invoices.

  npm run bench:create-at-size

Takes about ten minutes, nearly all of it to write the invoices, and 2 GB under data/ for as long. Figures go to
bench/results/create-at-size.json as well.`,
);

const SIZES = [10_000, 1_000_000];
const CALLERS = [1, 32];
const SECONDS = 10;
const AT_ONCE = 1_000;

await using stack = new AsyncDisposableStack();
const { db, issuer, issueInvoices, createOne } = await startBench(stack);
const { heading, measure, ratio, write } = startReport('create-at-size');
const orders = makeOrders(1);

const smaller: Record<number, number> = {};
for (const size of SIZES) {
  await fillTo(size);
  heading(`At ${size} invoices`);
  await runCallers(8, 2, createOne);
  for (const callers of CALLERS) {
    const { perSecond } = await measure(`use case, ${callers} callers, at ${size}`, () =>
      runCallers(callers, SECONDS, createOne),
    );
    if (smaller[callers]) ratio(`the cost at ${SIZES[0]}`, smaller[callers] / perSecond);
    else smaller[callers] = perSecond;
  }
}
await write();

async function fillTo(size: number): Promise<void> {
  for (let count = await db.invoice.count(); count < size; count += AT_ONCE) {
    await issueInvoices(await Promise.all(Array.from({ length: AT_ONCE }, aDraft)));
    if (count % 100_000 < AT_ONCE) console.error(`${count} invoices written …`);
  }
}

async function aDraft() {
  const id = randomUUID();
  const claim = claimFor({ role: 'service', id: 'bench' }, id, { orderId: id });
  return { claim, snapshot: snapshotOrder(await orders.fetchOrder(id)), ...issuer };
}
