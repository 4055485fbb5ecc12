import { registerEnumType } from 'type-graphql';
import { INVOICE_STATUSES, NOTIFICATION_STATUSES, PDF_ERROR_CODES, PDF_STATUSES } from '../invoices/index.js';

// type-graphql registers objects, not lists; each value stands for itself.
const enumOf = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value, value])) as { [Value in T]: Value };

export const InvoiceStatusEnum = enumOf(INVOICE_STATUSES);
export const PdfStatusEnum = enumOf(PDF_STATUSES);
export const PdfErrorCodeEnum = enumOf(PDF_ERROR_CODES);
export const NotificationStatusEnum = enumOf(NOTIFICATION_STATUSES);

registerEnumType(InvoiceStatusEnum, {
  name: 'InvoiceStatus',
  description: 'PENDING is reserved for drafts; nothing makes it yet.',
});
registerEnumType(PdfStatusEnum, { name: 'PdfStatus' });
registerEnumType(PdfErrorCodeEnum, {
  name: 'PdfErrorCode',
  description: 'Why the last rendering failed, for an operator.',
});
registerEnumType(NotificationStatusEnum, { name: 'NotificationStatus' });
