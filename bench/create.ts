import { bareCreates, counterAlone } from './bare-sql.ts';
import { runAtRate, runCallers } from './callers.ts';
import { createOverHttp, startApi } from './http-load.ts';
import { readOptions } from './options.ts';
import { startReport } from './report.ts';
import { startBench } from './use-case.ts';

const USAGE = `How fast invoices are issued, beside what the database could do at most.

  npm run bench:create -- [options]

  --seconds <n>   of each measurement (default 5)
  --soak <n>      seconds of a run at 500/s over HTTP (default 0: none; 300 shows what lasts)
  --help

Client, API and the embedded PostgreSQL under data/ all run here, and it waits for its disk at each commit.
Takes about 24 times --seconds. Figures go to bench/results/create.json as well. Compare ratios: machines differ.

  counter row alone   one UPDATE per transaction: no scheme with a number per transaction can be faster
  bare SQL            the same rows with pg, one transaction each, nothing checked
  use case            createInvoice called in this process
  flat out            callers ask again as soon as they are answered`;

const { seconds, soak } = readOptions({ seconds: 5, soak: 0 }, USAGE);

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
  await measure(`counter row alone, ${callers} callers`, () => counterAlone(url, callers, seconds));
  const bare = await measure(`bare SQL, ${callers} callers`, () =>
    bareCreates(url, issuer.sellerId, callers, seconds),
  );
  const ours = await measure(`use case, ${callers} callers`, () => runCallers(callers, seconds, createOne));
  ratio('bare SQL', ours.perSecond / bare.perSecond);
}

heading('Over HTTP with a JWT, the API in a process of its own');
const api = await startApi(url);
stack.defer(() => api.stop());
const overHttp = () => createOverHttp(api);
await runCallers(32, 3, overHttp);
for (const callers of CALLERS) {
  await measure(`HTTP flat out, ${callers} callers`, () => runCallers(callers, seconds, overHttp));
}
for (const rate of RATES) {
  await measure(`HTTP at ${rate}/s`, () => runAtRate(rate, seconds, overHttp));
}
if (soak > 0) await measure(`HTTP at 500/s for ${soak} s`, () => runAtRate(500, soak, overHttp));
await write();
