import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Db, makeDb } from '../dist/db/client.js';
import { migrate } from '../dist/db/migrate.js';
import { startTemporaryDatabase } from '../dist/db/temporary-database.js';
import { type CreateInvoice, type Issuer, makeCreateInvoice } from '../dist/invoices/create-invoice.js';
import { makeIssueInSets } from '../dist/invoices/issue-in-sets.js';
import { makeIssueInvoices } from '../dist/invoices/issue-invoices.js';
import { keepSeller } from '../dist/invoices/seller.js';
import { bareCreates, counterAlone } from './bare-sql.ts';
import { type Figures, runAtRate, runCallers } from './callers.ts';
import { createOverHttp, startApi } from './http-load.ts';
import { makeOrders } from './orders.ts';

const USAGE = `How fast invoices are issued, beside what the database could do at most.

  npm run bench:create -- [options]

  --seconds <n>   of each measurement (default 5)
  --soak <n>      seconds of a run at 500/s over HTTP (default 0: none; the contract asks 300)
  --help

Everything runs here: client, API and an embedded PostgreSQL that waits for its disk at each commit.
Figures go to bench/results/create.json as well. Compare ratios: machines differ.`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    soak: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(USAGE);
  process.exit(0);
}
const seconds = wholeSeconds('seconds', options.seconds, 1);
const soak = wholeSeconds('soak', options.soak, 0);

const CALLERS = [1, 8, 32, 64, 128];
const RATES = [100, 500, 1_000, 1_500];
const SELLER = { name: 'Folio Sample Store', address: '100 Harbour Street', taxId: null, email: null };

const results: Record<string, Figures> = {};

await using stack = new AsyncDisposableStack();
const database = await startTemporaryDatabase({ directory: 'data/postgres', prefix: 'bench' });
stack.defer(() => database.stop());
await migrate({ url: database.url, directory: 'prisma/migrations' });
const db = makeDb({ url: database.url, poolSize: 10, applicationName: 'folio bench' });
stack.defer(() => db.$disconnect());
const issuer = await makeIssuer(db);
const createInvoice = makeUseCase(db, issuer);
await warmUp();

heading('One transaction takes one number: the bound of the counter row, and bare SQL with pg');
for (const callers of CALLERS) {
  await measure(`counter row alone, ${callers}`, () => counterAlone(database.url, callers, seconds));
  await measure(`bare SQL, ${callers}`, () => bareCreates(database.url, issuer.sellerId, callers, seconds));
}

heading('The use case alone: createInvoice in this process');
for (const callers of CALLERS) {
  const figures = await measure(`use case, ${callers}`, () =>
    runCallers(callers, seconds, () => createOne(createInvoice)),
  );
  const bare = results[`bare SQL, ${callers}`];
  if (bare) console.log(`      ${(figures.perSecond / bare.perSecond).toFixed(2)} × bare SQL`);
}

heading('Over HTTP with a JWT, the API in a process of its own');
const api = await startApi(database.url);
stack.defer(() => api.stop());
const overHttp = () => createOverHttp(api);
await runCallers(32, 3, overHttp);
for (const callers of CALLERS) {
  await measure(`HTTP flat out, ${callers}`, () => runCallers(callers, seconds, overHttp));
}
for (const rate of RATES) {
  await measure(`HTTP at ${rate}/s`, () => runAtRate(rate, seconds, overHttp));
}
if (soak > 0) await measure(`HTTP at 500/s for ${soak} s`, () => runAtRate(500, soak, overHttp));
await writeResults();

async function measure(name: string, run: () => Promise<Figures>): Promise<Figures> {
  const figures = await run();
  results[name] = figures;
  const { perSecond, p50, p99, failed } = figures;
  const latency = `p50 ${p50.toFixed(1).padStart(6)} ms   p99 ${p99.toFixed(1).padStart(6)} ms`;
  const failures = failed > 0 ? `   ${failed} FAILED` : '';
  console.log(`  ${name.padEnd(26)} ${perSecond.toFixed(0).padStart(6)}/s   ${latency}${failures}`);
  return figures;
}

async function makeIssuer(client: Db): Promise<Issuer> {
  const sellerId = await keepSeller(client, { ...SELLER, logo: null });
  return { sellerId, seller: SELLER, timeZone: 'UTC', locale: 'en-US' };
}

function makeUseCase(client: Db, issuedBy: Issuer): CreateInvoice {
  const issueInvoice = makeIssueInSets({ issueInvoices: makeIssueInvoices({ db: client }) });
  return makeCreateInvoice({ db: client, orders: makeOrders(), issueInvoice, issuer: issuedBy });
}

function createOne(create: CreateInvoice): Promise<unknown> {
  const id = randomUUID();
  return create({ role: 'service', id: 'bench' }, { orderId: id, idempotencyKey: id });
}

/** Plans, caches and compiled code of either side: a service that was just started is another question. */
async function warmUp(): Promise<void> {
  await runCallers(8, 2, () => createOne(createInvoice));
  await bareCreates(database.url, issuer.sellerId, 8, 1);
}

async function writeResults(): Promise<void> {
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
  const report = { at: new Date().toISOString(), machine, seconds, results };
  await mkdir('bench/results', { recursive: true });
  await writeFile('bench/results/create.json', `${JSON.stringify(report, null, 2)}\n`);
  console.log('\nWritten to bench/results/create.json');
}

function heading(text: string): void {
  console.log(`\n${text}`);
}

function wholeSeconds(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  console.error(`--${name} must be a whole number of seconds, at least ${least}\n\n${USAGE}`);
  process.exit(2);
}
