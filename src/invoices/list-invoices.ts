import { type Actor, canListInvoicesOf, canSearchInvoices, unauthorized } from '../auth/actor.js';
import { type Db, Prisma } from '../db/client.js';
import { invalid } from '../kernel/errors.js';
import { type Page, type PageRequest, pageOf, readPageRequest } from '../kernel/page.js';
import { checkText } from '../kernel/text.js';
import type { Invoice, InvoiceStatus, NotificationStatus, PdfStatus } from './invoice.js';
import { toInvoice, WITH_SELLER } from './invoice-row.js';

/** All conditions must hold; null is no condition. */
export interface InvoiceFilter {
  status?: InvoiceStatus | null | undefined;
  pdfStatus?: PdfStatus | null | undefined;
  notificationStatus?: NotificationStatus | null | undefined;
  customerId?: string | null | undefined;
  orderId?: string | null | undefined;
  /** The number, or the beginning of it. */
  invoiceNumber?: string | null | undefined;
  /** Inclusive. */
  createdFrom?: Date | null | undefined;
  /** Exclusive. */
  createdTo?: Date | null | undefined;
}

export type ListCustomerInvoices = (
  actor: Actor,
  customerId: string,
  page: PageRequest,
) => Promise<Page<Invoice>>;

export type SearchInvoices = (
  actor: Actor,
  filter: InvoiceFilter,
  page: PageRequest,
) => Promise<Page<Invoice>>;

/** @throws AppError UNAUTHORIZED_INVOICE_ACCESS, VALIDATION_ERROR */
export function makeListCustomerInvoices({ db }: { db: Db }): ListCustomerInvoices {
  return async (actor, customerId, page) => {
    checkText('customerId', customerId);
    if (!canListInvoicesOf(actor, { customerId })) throw unauthorized();
    return listInvoices(db, { customerId }, page);
  };
}

/** @throws AppError UNAUTHORIZED_INVOICE_ACCESS, VALIDATION_ERROR */
export function makeSearchInvoices({ db }: { db: Db }): SearchInvoices {
  return async (actor, filter, page) => {
    if (!canSearchInvoices(actor)) throw unauthorized();
    checkText('filter.customerId', filter.customerId ?? null);
    checkText('filter.orderId', filter.orderId ?? null);
    checkText('filter.invoiceNumber', filter.invoiceNumber ?? null);
    checkMoment('filter.createdFrom', filter.createdFrom);
    checkMoment('filter.createdTo', filter.createdTo);
    return listInvoices(db, filter, page);
  };
}

/** A year that ISO 8601 and the database both write with four digits. */
function checkMoment(field: string, moment: Date | null | undefined): void {
  const year = moment?.getUTCFullYear() ?? 2000;
  if (!(year >= 1 && year <= 9999)) throw invalid(field, 'must be a moment of the years 1 to 9999');
}

/** Newest first. What is inserted meanwhile has higher ids and moves nothing that is still to come. */
async function listInvoices(db: Db, filter: InvoiceFilter, page: PageRequest): Promise<Page<Invoice>> {
  const { take, before } = readPageRequest(page);
  const conditions = conditionsOf(filter);
  if (before) conditions.push(Prisma.sql`invoices.id < ${before}::uuid`);
  const where = conditions.length > 0 ? Prisma.sql`WHERE ${Prisma.join(conditions, ' AND ')}` : Prisma.empty;
  const ids = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM invoices ${where} ORDER BY invoices.id DESC LIMIT ${take}`;
  const rows = await db.invoice.findMany({
    where: { id: { in: ids.map(({ id }) => id) } },
    orderBy: { id: 'desc' },
    include: WITH_SELLER,
  });
  return pageOf(rows.map(toInvoice), page);
}

function conditionsOf(filter: InvoiceFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  const add = <T>(value: T | null | undefined, condition: (value: T) => Prisma.Sql) => {
    if (value != null) conditions.push(condition(value));
  };
  add(filter.status, (status) => Prisma.sql`status = ${status}`);
  add(filter.pdfStatus, (status) => Prisma.sql`pdf_status = ${status}`);
  add(filter.customerId, (id) => Prisma.sql`customer_id = ${id}`);
  add(filter.orderId, (id) => Prisma.sql`order_id = ${id}`);
  add(filter.invoiceNumber, (prefix) => Prisma.sql`starts_with(invoice_number, ${prefix})`);
  add(filter.createdFrom, (from) => Prisma.sql`created_at >= ${from}`);
  add(filter.createdTo, (to) => Prisma.sql`created_at < ${to}`);
  // The newest announcement counts, as in what an invoice shows.
  add(
    filter.notificationStatus,
    (status) => Prisma.sql`${status} = (
      SELECT n.status FROM notifications AS n WHERE n.invoice_id = invoices.id
      ORDER BY n.created_at DESC LIMIT 1)`,
  );
  return conditions;
}
