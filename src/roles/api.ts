import { readFile } from 'node:fs/promises';
import { makeTokenVerifier } from '../auth/token.js';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import { toAppError } from '../db/database-errors.js';
import { makeDownloadLink } from '../downloads/download-link.js';
import { makeSchema } from '../graphql/schema.js';
import { makeApollo } from '../http/apollo.js';
import type { ApiDeps } from '../http/server.js';
import { makeCancelInvoice } from '../invoices/cancel-invoice.js';
import { type Issuer, makeCreateInvoice } from '../invoices/create-invoice.js';
import { makeIssueInSets } from '../invoices/issue-in-sets.js';
import { makeIssueInvoices } from '../invoices/issue-invoices.js';
import { makeListCustomerInvoices, makeSearchInvoices } from '../invoices/list-invoices.js';
import { makeReadInvoice, makeReadInvoiceParts } from '../invoices/read-invoices.js';
import { keepSeller } from '../invoices/seller.js';
import { readSellerLogo } from '../invoices/seller-logo.js';
import { makeReadTimeline, recordOnTimeline } from '../invoices/timeline.js';
import type { Log } from '../kernel/log.js';
import { askForMailAgain } from '../notifications/delivery-status.js';
import { makeHttpOrders } from '../orders/http-orders.js';
import type { OrderSource } from '../orders/order-source.js';
import { makeSampleOrders } from '../orders/sample-orders.js';
import { SAMPLE_ORDERS } from '../orders/samples.js';
import { forwardAgain } from '../outbox/forward-events.js';
import { makeDueAgain } from '../pdf/pdf-status.js';
import { makeRegeneratePdf } from '../pdf/regenerate-pdf.js';
import { makeListDeadLetters, makeReplayDeadLetters } from '../queue/dead-letters.js';
import { makeReadPipeline } from '../queue/read-pipeline.js';
import type { Parts } from './parts.js';

/** Everything that the operations of the API do, joined. */
export async function makeApi(parts: Parts): Promise<ApiDeps> {
  const { config, adapters, db, storage, signer, clock, log } = parts;
  const readInvoice = makeReadInvoice({ db });
  const schema = await makeSchema({
    writes: {
      createInvoice: makeCreateInvoice({
        db,
        orders: adapters.orders ?? makeOrderSource(config, log),
        issueInvoice: makeIssueInSets({ issueInvoices: makeIssueInvoices({ db }) }),
        issuer: await makeIssuer(config, db),
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
      replayDeadLetters: makeReplay(parts),
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

function makeReplay({ db, queue }: Parts) {
  const { enqueueAgain } = queue;
  return makeReplayDeadLetters({
    db,
    takeBack: {
      async pdf(tx, event) {
        await makeDueAgain(tx, event.invoiceId);
        await enqueueAgain(tx, [event]);
      },
      async notification(tx, event) {
        await askForMailAgain(tx, event.id);
        await enqueueAgain(tx, [event]);
      },
      outbox: forwardAgain,
    },
    recordReplay: (tx, invoiceId, actor) => recordOnTimeline(tx, invoiceId, 'DeadLetterReplayed', { actor }),
  });
}

function makeOrderSource({ orderServiceUrl, production }: Config, log: Log): OrderSource {
  if (orderServiceUrl) return makeHttpOrders({ baseUrl: orderServiceUrl });
  if (production) log.warn('ORDER_SERVICE_URL is not set: the sample orders are served, in production');
  return makeSampleOrders(SAMPLE_ORDERS);
}

async function makeIssuer(config: Config, db: Db): Promise<Issuer> {
  const { seller, issueTimeZone: timeZone, pdf } = config;
  const logo = config.sellerLogoFile ? readSellerLogo(await readFile(config.sellerLogoFile)) : null;
  const sellerId = await keepSeller(db, { ...seller, logo });
  return { sellerId, seller, timeZone, locale: pdf.locale };
}
