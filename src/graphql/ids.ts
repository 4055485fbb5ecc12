import { invoiceNotFound } from '../invoices/index.js';
import { uuidOf } from '../kernel/ids.js';

/** @throws AppError INVOICE_NOT_FOUND: an id that we cannot have given out names no invoice. */
export function invoiceUuid(id: string): string {
  const uuid = uuidOf('inv', id);
  if (!uuid) throw invoiceNotFound();
  return uuid;
}
