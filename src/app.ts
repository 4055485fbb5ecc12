import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { makeTokenVerifier } from './auth/token.js';
import type { Config } from './config.js';
import { type Db, makeDb } from './db/client.js';
import { toAppError } from './db/database-errors.js';
import { startEmbeddedPostgres } from './db/embedded.js';
import { migrate } from './db/migrate.js';
import { makeDownloadLink } from './downloads/download-link.js';
import { makeSchema } from './graphql/schema.js';
import { makeApollo } from './http/apollo.js';
import { type ApiDeps, makeServer, stopServer } from './http/server.js';
import { makeCancelInvoice } from './invoices/cancel-invoice.js';
import { type Issuer, makeCreateInvoice } from './invoices/create-invoice.js';
import { makeIssueInSets } from './invoices/issue-in-sets.js';
import { makeIssueInvoices } from './invoices/issue-invoices.js';
import { makeListCustomerInvoices, makeSearchInvoices } from './invoices/list-invoices.js';
import { makePruneIdempotencyKeys } from './invoices/prune-idempotency-keys.js';
import { makeReadInvoice, makeReadInvoiceParts } from './invoices/read-invoices.js';
import { keepSeller } from './invoices/seller.js';
import { readSellerLogo } from './invoices/seller-logo.js';
import { makeReadTimeline, recordOnTimeline } from './invoices/timeline.js';
import { type Clock, systemClock } from './kernel/clock.js';
import { startLoop } from './kernel/loop.js';
import { askForMailAgain } from './notifications/delivery-status.js';
import { makeFileMailer } from './notifications/file-mailer.js';
import { makeNotifyCustomer } from './notifications/notify-customer.js';
import { makeHttpOrders } from './orders/http-orders.js';
import type { OrderSource } from './orders/order-source.js';
import { makeSampleOrders } from './orders/sample-orders.js';
import { SAMPLE_ORDERS } from './orders/samples.js';
import { makeForwardEvents } from './outbox/forward-events.js';
import { makeSettleFailure } from './outbox/settle-failure.js';
import { makeGeneratePdf } from './pdf/generate-pdf.js';
import { makeDueAgain } from './pdf/pdf-status.js';
import { makeRegeneratePdf } from './pdf/regenerate-pdf.js';
import { makeRendererPool, type Renderer } from './pdf/renderer.js';
import { makeQueue, type Queue } from './queue/boss.js';
import { makeListDeadLetters, makeReplayDeadLetters } from './queue/dead-letters.js';
import { queueOf } from './queue/queues.js';
import { makeReadPipeline } from './queue/read-pipeline.js';
import { makeDownloadSigner } from './storage/download-signature.js';
import { makeFilesystemStorage } from './storage/filesystem-storage.js';

export interface App {
  /** Where it listens, with the port that it was given. */
  url: string;
  stop(): Promise<void>;
}

/** For jobs under way when a stop comes. What takes longer is handed back when its lease is over. */
const WORK_ENDS_WITHIN_MS = 20_000;

/** Ports that whoever embeds Folio fills otherwise than its settings would. */
export interface Adapters {
  orders?: OrderSource;
  clock?: Clock;
}

/** The parts of Folio in the order in which one order travels, joined and started. */
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
  const renderer = runs('worker') ? startRenderer(config, started) : undefined;
  const queue = makeQueue({ url: databaseUrl, log, maintain: runs('worker') });
  await queue.start();
  started.defer(() => queue.stop(WORK_ENDS_WITHIN_MS));
  const { enqueueLater } = queue;
  const settleFailure = makeSettleFailure({
    retryDelaysSeconds: config.retryDelaysSeconds,
    queueOf,
    enqueueLater,
  });
  const signer = makeDownloadSigner(config.download);
  const storage = makeFilesystemStorage({
    directory: config.storageDir,
    publicUrl: config.publicUrl,
    ttlSeconds: config.download.ttlSeconds,
    signer,
    clock,
  });

  if (runs('relay')) startRelay(config, { db, queue, log, started });
  if (renderer) await startWorkers(renderer);
  const server = await makeServer({
    log,
    probes: { database: async () => void (await db.$queryRaw`SELECT 1`) },
    api: runs('api') ? await makeApi() : undefined,
  });
  started.defer(() => stopServer(server));
  const url = await server.listen({ host: config.host, port: config.port });

  const running = started.move();
  return { url, stop: () => running.disposeAsync() };

  async function startWorkers(renderer: Renderer): Promise<void> {
    const generatePdf = makeGeneratePdf({
      ...config.pdf,
      db,
      renderer,
      storage,
      settleFailure,
      enqueueLater,
      log,
    });
    const mailer = makeFileMailer(config.mail);
    const notifyCustomer = makeNotifyCustomer({
      db,
      mailer,
      settleFailure,
      enqueueLater,
      storefrontUrl: config.storefrontUrl,
      log,
    });
    await queue.work('pdf', generatePdf, config.pdf.concurrency);
    await queue.work('notification', notifyCustomer, 2);
  }

  async function makeApi(): Promise<ApiDeps> {
    const issuer = await makeIssuer(config, db);
    const issueInvoice = makeIssueInSets({ issueInvoices: makeIssueInvoices({ db }) });
    const readInvoice = makeReadInvoice({ db });
    const schema = await makeSchema({
      writes: {
        createInvoice: makeCreateInvoice({
          db,
          orders: adapters.orders ?? makeOrderSource(config, log),
          issueInvoice,
          issuer,
        }),
        cancelInvoice: makeCancelInvoice({ db }),
        regeneratePdf: makeRegeneratePdf({ db }),
      },
      reads: {
        readInvoice,
        listCustomerInvoices: makeListCustomerInvoices({ db }),
        searchInvoices: makeSearchInvoices({ db }),
        readTimeline: makeReadTimeline({ db }),
        downloadLink: makeDownloadLink({ db, storage }),
      },
      operations: {
        listDeadLetters: makeListDeadLetters({ db }),
        replayDeadLetters: makeReplayDeadLetters({
          db,
          enqueueLater,
          askAgain: {
            pdf: (tx, event) => makeDueAgain(tx, event.invoiceId),
            notification: (tx, event) => askForMailAgain(tx, event.id),
          },
          recordReplay: (tx, invoiceId, actor) =>
            recordOnTimeline(tx, invoiceId, 'DeadLetterReplayed', { actor }),
        }),
        readPipeline: makeReadPipeline({ db }),
        readInvoice,
      },
    });
    return {
      apollo: makeApollo({ schema, translateError: toAppError, log, introspection: config.playground }),
      context: {
        verifyToken: makeTokenVerifier(config.token),
        readParts: makeReadInvoiceParts({ db }),
        requestTimeoutMs: config.requestTimeoutMs,
      },
      playground: config.playground,
      files: { storage, signer, clock },
    };
  }
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

function makeOrderSource({ orderServiceUrl, production }: Config, log: Logger): OrderSource {
  if (orderServiceUrl) return makeHttpOrders({ baseUrl: orderServiceUrl });
  if (production) log.warn('ORDER_SERVICE_URL is not set: the sample orders are served, in production');
  return makeSampleOrders(SAMPLE_ORDERS);
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

/** Days are what pruning counts in; the hour is for a process that lives no longer. */
const PRUNE_EVERY_MS = 3_600_000;

function startRelay(
  config: Config,
  { db, queue, log, started }: { db: Db; queue: Queue; log: Logger; started: AsyncDisposableStack },
): void {
  const repeat = (name: string, everyMs: number, runOnce: () => Promise<boolean>) =>
    started.adopt(startLoop({ name, everyMs, runOnce, log }), (loop) => loop.stop());

  const forwardEvents = makeForwardEvents({ db, enqueue: queue.enqueue, log });
  repeat('forward events', config.outboxPollMs, async () => (await forwardEvents()).more);

  const pruneIdempotencyKeys = makePruneIdempotencyKeys({
    db,
    retentionDays: config.idempotencyRetentionDays,
  });
  repeat('prune idempotency keys', PRUNE_EVERY_MS, async () => {
    const { pruned, more } = await pruneIdempotencyKeys();
    if (pruned > 0) log.info({ pruned }, 'old idempotency keys were forgotten');
    return more;
  });
}

async function makeIssuer(config: Config, db: Db): Promise<Issuer> {
  const { seller, issueTimeZone: timeZone, pdf } = config;
  const logo = config.sellerLogoFile ? readSellerLogo(await readFile(config.sellerLogoFile)) : null;
  const sellerId = await keepSeller(db, { ...seller, logo });
  return { sellerId, seller, timeZone, locale: pdf.locale };
}
