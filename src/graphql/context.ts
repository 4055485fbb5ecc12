import DataLoader from 'dataloader';
import type { Actor } from '../auth/actor.js';
import type {
  Invoice,
  InvoiceLine,
  NotificationStatus,
  PdfRevision,
  ReadInvoiceParts,
} from '../invoices/index.js';
import { AppError, unavailable } from '../kernel/errors.js';

/** What one request carries from HTTP to its resolvers. */
export interface RequestContext {
  requestId: string;
  /**
   * Undefined where the request had no token, or a bad one: which of the two is nobody's business. An
   * error where it could not be verified just now; only what asks for an actor fails by it.
   */
  actor: Actor | AppError | undefined;
  /** Aborted when the request's time is up, or its caller gone; the reason says which. */
  patience: AbortSignal;
  /** The Idempotency-Key header. */
  idempotencyKey: string | undefined;
  loaders: InvoiceLoaders;
}

/** Why a request is given up whose caller hung up. Nobody is told, and it is nobody's fault. */
export const CALLER_GONE = unavailable('The caller');

/** Parts of invoices that a list asks for one by one and the database answers in one query. */
export interface InvoiceLoaders {
  invoice: DataLoader<string, Invoice | undefined>;
  lines: DataLoader<string, InvoiceLine[]>;
  notificationStatus: DataLoader<string, NotificationStatus | null>;
  pdfRevisions: DataLoader<string, PdfRevision[]>;
}

export function makeInvoiceLoaders(read: ReadInvoiceParts): InvoiceLoaders {
  // No cache: a mutation and a query of one request may see the row change between them.
  const options = { cache: false };
  return {
    invoice: new DataLoader((ids) => read.invoices(ids), options),
    lines: new DataLoader((ids) => read.lines(ids), options),
    notificationStatus: new DataLoader((ids) => read.notificationStatuses(ids), options),
    pdfRevisions: new DataLoader((ids) => read.pdfRevisions(ids), options),
  };
}

/** @throws AppError UNAUTHENTICATED, in the same words for every reason; or why nobody can tell. */
export function requireActor({ actor }: RequestContext): Actor {
  if (actor instanceof AppError) throw actor;
  if (!actor) throw new AppError('UNAUTHENTICATED', 'A valid bearer token is required');
  return actor;
}
