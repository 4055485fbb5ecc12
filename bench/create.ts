import { parseArgs } from 'node:util';
import { bareCreates, counterAlone } from './bare-sql.ts';
import { runAtRate, runCallers } from './callers.ts';
import { createOverHttp, startApi } from './http-load.ts';
import { startReport } from './report.ts';
import { startBench } from './use-case.ts';

const USAGE = `How fast invoices are issued, beside what the database could do at most.

  npm run bench:create -- [options]

  --seconds <n>   of each measurement (default 5)
  --soak <n>      seconds of a run at 500/s over HTTP (default 0: none; the contract asks for 300)
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

await using stack = new AsyncDisposableStack();
const { url, issuer, createOne } = await startBench(stack);
const { heading, measure, ratio, write } = startReport('create');

// Plans, caches and compiled code of either side: a service that was just started is another question.
await runCallers(8, 2, createOne);
await bareCreates(url, issuer.sellerId, 8, 1);

heading('The use case alone, beside bare SQL (one transaction each) and the counter row alone');
for (const callers of CALLERS) {
  await measure(`counter row alone, ${callers}`, () => counterAlone(url, callers, seconds));
  const bare = await measure(`bare SQL, ${callers}`, () =>
    bareCreates(url, issuer.sellerId, callers, seconds),
  );
  const ours = await measure(`use case, ${callers}`, () => runCallers(callers, seconds, createOne));
  ratio('bare SQL', ours.perSecond / bare.perSecond);
}

heading('Over HTTP with a JWT, the API in a process of its own');
const api = await startApi(url);
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
await write();

function wholeSeconds(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  console.error(`--${name} must be a whole number of seconds, at least ${least}\n\n${USAGE}`);
  process.exit(2);
}
