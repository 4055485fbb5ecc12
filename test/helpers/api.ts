import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { type App, startApp } from '../../src/app.js';
import type { Role } from '../../src/auth/actor.js';
import { readConfig } from '../../src/config.js';
import { freePort } from '../../src/kernel/free-port.js';
import type { Adapters } from '../../src/roles/parts.js';
import {
  type GraphQLAnswer,
  JWT_SECRET,
  type RequestOptions,
  type Send,
  sender,
  tokenOf,
} from './graphql-client.js';

export interface TestApi {
  url: string;
  dataDir: string;
  as(role: Role, id: string): Send;
  anonymously: Send;
  createInvoice(
    send: Send,
    input: { orderId: string; idempotencyKey?: string },
    options?: RequestOptions,
  ): Promise<GraphQLAnswer>;
}

/** The fields of an invoice that most tests compare. */
export const INVOICE_FIELDS = `
  id invoiceNumber orderId customerId status currency subtotal discount tax total version
  pdfStatus pdfErrorCode pdfRevision notificationStatus createdAt finalizedAt cancelledAt
  items { productId description quantity unitPrice discount tax total }
  customer { name email taxId address { line1 line2 city region postalCode country } }
  seller { name address taxId email }`;

/**
 * The real service on a port of its own, API alone unless `environment` names other ROLES. `environment`
 * is asked for when the tests start, since it names URLs that other helpers only know then.
 */
export function useApi(environment: () => Record<string, string>, adapters: Adapters = {}): TestApi {
  const api = {} as TestApi;
  let app: App | undefined;

  beforeAll(async () => {
    api.dataDir = await mkdtemp(join(tmpdir(), 'folio-api-'));
    app = await startApp(
      readConfig({
        ROLES: 'api',
        PORT: String(await freePort()),
        DATA_DIR: api.dataDir,
        JWT_SECRET,
        ...environment(),
      }),
      pino({ level: 'silent' }),
      adapters,
    );
    api.url = app.url;
    api.anonymously = sender(api.url);
  });

  api.as = (role, id) => async (query, options) =>
    sender(api.url, `Bearer ${await tokenOf(role, id)}`)(query, options);

  api.createInvoice = (send, input, options) =>
    send(
      `mutation ($input: CreateInvoiceInput!) {
        createInvoice(input: $input) { replayed invoice { ${INVOICE_FIELDS} } }
      }`,
      { ...options, variables: { input } },
    );

  afterAll(async () => {
    await app?.stop();
    await rm(api.dataDir, { recursive: true, force: true });
  });
  return api;
}
