import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { makeDb } from './db/client.js';
import { startEmbeddedPostgres } from './db/embedded.js';
import { migrate } from './db/migrate.js';
import { makeServer, stopServer } from './http/server.js';
import { systemClock } from './kernel/clock.js';
import { makeRendererPool, type Renderer } from './pdf/renderer.js';
import { makeQueue } from './queue/boss.js';
import { makeApi } from './roles/api.js';
import type { Adapters, Parts } from './roles/parts.js';
import { startRelay } from './roles/relay.js';
import { startWorker } from './roles/worker.js';
import { makeDownloadSigner } from './storage/download-signature.js';
import { makeFilesystemStorage } from './storage/filesystem-storage.js';
import { inTime } from './storage/in-time.js';

export interface App {
  /** Where it listens, with the port that it was given. */
  url: string;
  stop(): Promise<void>;
}

/** For jobs under way when a stop comes. What takes longer is handed back then. */
const WORK_ENDS_WITHIN_MS = 14_000;

/** The parts of Folio, joined and started in the roles that this process has. */
export async function startApp(config: Config, log: Logger, adapters: Adapters = {}): Promise<App> {
  // Whatever was started is stopped in reverse, also where a later part fails to start.
  await using started = new AsyncDisposableStack();
  const runs = (role: 'api' | 'relay' | 'worker') => config.roles.has(role);
  const clock = adapters.clock ?? systemClock;

  const databaseUrl = config.database.url ?? (await startDatabase(config, log, started));
  await migrate({ url: databaseUrl, directory: join(import.meta.dirname, '../prisma/migrations') });
  const db = started.adopt(
    makeDb({ url: databaseUrl, poolSize: config.database.poolSize, applicationName: 'folio' }),
    (client) => client.$disconnect(),
  );
  // Before the queue, so that it is closed after it: a handler that still works still has its renderer.
  const renderer = runs('worker') ? (adapters.renderer ?? startRenderer(config, started)) : undefined;
  const queue = makeQueue({ url: databaseUrl, log, maintain: runs('worker') });
  await queue.start();
  started.defer(() => queue.stop(WORK_ENDS_WITHIN_MS));
  const signer = makeDownloadSigner(config.download);
  const { storageDir: directory, publicUrl } = config;
  const { ttlSeconds } = config.download;
  const storage = inTime(
    adapters.storage ?? makeFilesystemStorage({ directory, publicUrl, ttlSeconds, signer, clock }),
  );

  const parts: Parts = { config, adapters, log, clock, db, queue, storage, signer, started };
  if (runs('relay')) startRelay(parts);
  if (renderer) await startWorker(parts, renderer);
  const server = await makeServer({
    log,
    probes: { database: async () => void (await db.$queryRaw`SELECT 1`) },
    api: runs('api') ? await makeApi(parts) : undefined,
  });
  started.defer(() => stopServer(server));
  const url = await server.listen({ host: config.host, port: config.port });

  const running = started.move();
  return { url, stop: () => running.disposeAsync() };
}

async function startDatabase(config: Config, log: Logger, started: AsyncDisposableStack): Promise<string> {
  const postgres = await startEmbeddedPostgres({
    directory: join(config.dataDir, 'postgres'),
    database: 'folio',
    log: (message) => log.info(message),
  });
  started.defer(() => postgres.stop());
  return postgres.url;
}

function startRenderer({ pdf }: Config, started: AsyncDisposableStack): Renderer {
  return started.adopt(
    makeRendererPool({
      threads: pdf.concurrency,
      timeoutMs: pdf.renderTimeoutSeconds * 1000,
      // 5,000 lines need more than half of this.
      memoryMb: 1_024,
    }),
    (pool) => pool.close(),
  );
}
