import { readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApp } from './app.js';
import { type Config, readConfig } from './config.js';
import { startTemporaryDatabase } from './db/temporary-database.js';
import { developmentToken } from './development-tokens.js';
import { freePort } from './kernel/free-port.js';
import { makeLog } from './kernel/log.js';
import { onStopSignal } from './stop-signal.js';

// The main job once, against real parts. It shares the embedded PostgreSQL with `npm start` but has a
// database of its own, so it begins at number 1 each time and touches nothing that is kept.
const DATA_DIR = resolve('data');
const DEMO_DIR = join(DATA_DIR, 'demo');
const ORDER = 'ORD-123';

/** A cold first start on a slow machine takes seconds; a minute means that something is wrong. */
const PATIENCE_MS = 60_000;

const INVOICE = 'id invoiceNumber status currency total pdfStatus notificationStatus';

interface DemoInvoice {
  id: string;
  invoiceNumber: string;
  status: string;
  currency: string;
  total: string;
  pdfStatus: string;
  notificationStatus: string | null;
}

const say = (line: string) => console.log(line);

const interrupted = new AbortController();
onStopSignal(async () => interrupted.abort(new Error('interrupted')), false);

try {
  await demonstrate();
  process.exit(0);
} catch (error) {
  console.error('The demo failed:', error);
  process.exit(1);
}

async function demonstrate(): Promise<void> {
  await using parts = new AsyncDisposableStack();
  await rm(DEMO_DIR, { recursive: true, force: true });
  say('Starting Folio with a database of its own …');
  const database = await startTemporaryDatabase({
    directory: join(DATA_DIR, 'postgres'),
    prefix: 'folio_demo',
  });
  parts.defer(() => database.stop());
  const config = readConfig({
    DATA_DIR: DEMO_DIR,
    DATABASE_URL: database.url,
    PORT: String(await freePort()),
  });
  const app = await startApp(config, makeLog('warn'));
  parts.defer(() => app.stop());
  interrupted.signal.throwIfAborted();
  say(`Folio runs at ${app.url}`);
  await issueAndDownload(app.url, config);
}

async function issueAndDownload(url: string, config: Config): Promise<void> {
  const ask = makeAsk(url, await developmentToken(config, { id: 'u_alice', role: 'customer' }));
  say(`\nu_alice asks for the invoice of order ${ORDER} …`);
  const { createInvoice } = await ask<{ createInvoice: { invoice: DemoInvoice } }>(
    `mutation { createInvoice(input: { orderId: "${ORDER}", idempotencyKey: "demo" }) { invoice { ${INVOICE} } } }`,
  );
  const { id } = createInvoice.invoice;
  show(createInvoice.invoice);

  say('\nWaiting for the worker to render the PDF …');
  show(await waitFor(ask, id, ({ pdfStatus }) => pdfStatus === 'GENERATED'));

  say('\nDownloading it through its signed URL …');
  const { invoiceDownload } = await ask<{ invoiceDownload: { downloadUrl: string; expiresAt: string } }>(
    `{ invoiceDownload(id: "${id}") { downloadUrl expiresAt } }`,
  );
  const file = join(DEMO_DIR, `${createInvoice.invoice.invoiceNumber}.pdf`);
  await download(invoiceDownload.downloadUrl, file);
  say(`  the URL works until ${invoiceDownload.expiresAt}`);

  say('\nWaiting for the mail …');
  show(await waitFor(ask, id, ({ notificationStatus }) => notificationStatus === 'SENT'));

  const [mail = ''] = await readdir(config.mail.directory);
  say(`\nDone. The PDF lies at  ${relative('.', file)}`);
  say(`      The mail lies at ${relative('.', join(config.mail.directory, mail))}`);
}

type Ask = <T>(query: string) => Promise<T>;

function makeAsk(url: string, token: string): Ask {
  return async <T>(query: string) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    });
    const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
    if (errors) throw new Error(`The API refused: ${JSON.stringify(errors)}`);
    return data;
  };
}

async function waitFor(
  ask: Ask,
  id: string,
  isDone: (invoice: DemoInvoice) => boolean,
): Promise<DemoInvoice> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { invoice } = await ask<{ invoice: DemoInvoice }>(`{ invoice(id: "${id}") { ${INVOICE} } }`);
    if (isDone(invoice)) return invoice;
    if (Date.now() > deadline) throw new Error(`Nothing happened for a minute: ${JSON.stringify(invoice)}`);
    await sleep(100, undefined, { signal: interrupted.signal });
  }
}

function show({ invoiceNumber, status, currency, total, pdfStatus, notificationStatus }: DemoInvoice): void {
  say(
    `  ${invoiceNumber}  ${status}  ${currency} ${total}  PDF ${pdfStatus}  mail ${notificationStatus ?? '–'}`,
  );
}

async function download(url: string, file: string): Promise<void> {
  const response = await fetch(url);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!response.ok || !Buffer.from(bytes).toString('latin1').startsWith('%PDF-')) {
    throw new Error(`The download answered ${response.status}`);
  }
  await writeFile(file, bytes);
  say(`  ${bytes.byteLength} bytes`);
}
