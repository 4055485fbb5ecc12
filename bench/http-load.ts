import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Pool } from 'undici';
import { signToken } from '../dist/auth/token.js';
import { freePort } from '../dist/kernel/free-port.js';

export interface Api {
  client: Pool;
  authorization: string;
  stop(): Promise<void>;
}

/** More than callers; at a fixed rate each request that waits has one. */
const MOST_CONNECTIONS = 256;

/** The service with ROLES=api in a process of its own, over orders made in process. */
export async function startApi(databaseUrl: string): Promise<Api> {
  const secret = randomBytes(32).toString('hex');
  const child = spawn(process.execPath, [new URL('api-process.ts', import.meta.url).pathname], {
    env: {
      ROLES: 'api',
      LOG_LEVEL: 'warn',
      PORT: String(await freePort()),
      DATABASE_URL: databaseUrl,
      JWT_SECRET: secret,
      DOWNLOAD_URL_SECRET: randomBytes(32).toString('hex'),
      PLAYGROUND: 'false',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const url = await listeningAt(child);
  const token = await signToken(
    { role: 'service', id: 'bench' },
    { secret, issuer: 'folio', audience: 'folio', ttlSeconds: 3_600 },
  );
  const client = new Pool(url, { connections: MOST_CONNECTIONS });
  return {
    client,
    authorization: `Bearer ${token}`,
    async stop() {
      await client.close();
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function listeningAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      const url = /listening at (\S+)/.exec(String(chunk))?.[1];
      if (url) resolve(url);
      else process.stderr.write(chunk);
    });
    child.once('exit', (code) => reject(new Error(`The API ended with ${code} before it listened`)));
  });
}

const CREATE = `mutation ($input: CreateInvoiceInput!) {
  createInvoice(input: $input) { replayed invoice { id invoiceNumber status currency total pdfStatus } }
}`;

/**
 * A create over HTTP on a kept-alive connection, of a new order under a key of its own. Fails where the
 * answer is anything but an invoice.
 */
export async function createOverHttp({ client, authorization }: Api): Promise<void> {
  const id = randomUUID();
  const variables = { input: { orderId: id, idempotencyKey: id } };
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: '/graphql',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query: CREATE, variables }),
  });
  const answer = await body.text();
  if (statusCode !== 200 || answer.includes('"errors"')) throw new Error(`${statusCode} ${answer}`);
}
