import { startApp } from '../dist/app.js';
import { readConfig } from '../dist/config.js';
import { makeLog } from '../dist/kernel/log.js';
import { makeOrders } from './orders.ts';

// The real service in a process of its own, over orders that cost nothing to fetch. Its environment says
// the rest; it stops when whoever started it is gone.
const config = readConfig();
const app = await startApp(config, makeLog(config.logLevel), { orders: makeOrders() });
console.log(`listening at ${app.url}`);
process.once('SIGTERM', stop);
process.stdin.resume().on('end', stop);

async function stop(): Promise<void> {
  await app.stop();
  process.exit(0);
}
