import type { Tx } from '../db/client.js';
import { AppError } from '../kernel/errors.js';
import type { Invoice } from './invoice.js';
import { toInvoice, WITH_SELLER } from './invoice-row.js';

/** One invoice as its row stands, for use cases that apply a policy of their own. */
export async function findInvoice(
  tx: Tx,
  where: { id: string } | { orderId: string },
): Promise<Invoice | undefined> {
  const row = await tx.invoice.findUnique({ where, include: WITH_SELLER });
  return row ? toInvoice(row) : undefined;
}

/** @throws AppError INVOICE_NOT_FOUND */
export async function getInvoice(tx: Tx, id: string): Promise<Invoice> {
  const invoice = await findInvoice(tx, { id });
  if (!invoice) throw invoiceNotFound();
  return invoice;
}

export function invoiceNotFound(): AppError {
  return new AppError('INVOICE_NOT_FOUND', 'There is no such invoice');
}
