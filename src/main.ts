import { startApp } from './app.js';
import { ConfigError, readConfig } from './config.js';
import { makeLog } from './kernel/log.js';
import { onStopSignal } from './stop-signal.js';
import { printWelcome } from './welcome.js';

/** Longer than the longest stop that may be waited for; then whatever hangs is left behind. */
const STOP_WITHIN_MS = 28_000;

try {
  // Node 20 runs npm's scripts up to here; the service itself runs under the Node that npm installed.
  if (typeof AsyncDisposableStack === 'undefined') {
    throw new Error(`Folio runs on Node.js 24, this is ${process.version}: start it with npm start`);
  }
  const config = readConfig();
  const log = makeLog(config.logLevel);
  const starting = startApp(config, log);
  // From the first moment: what is half started when Ctrl-C comes is started whole, and then stopped.
  onStopSignal(async (reason) => {
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error('the stop took too long; leaving');
      process.exit(1);
    }, STOP_WITHIN_MS);
    const app = await starting;
    await app.stop();
    process.exit(0);
  }, config.startedByNpm);
  const app = await starting;
  await printWelcome(config, app.url);
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}

/** In words where the remedy is the user's, whole where it is ours. */
function explain(error: unknown): unknown {
  if (error instanceof ConfigError) return error.message;
  const { code, port } = error as { code?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is taken: stop what listens there, or set PORT.`;
  return error;
}
