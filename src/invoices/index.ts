/** The face of the books: what other folders may import. */
export type { CancelInvoice } from './cancel-invoice.js';
export type { CreatedInvoice, CreateInvoice } from './create-invoice.js';
export { subjectOf } from './event-subject.js';
export { findInvoice, getInvoice, invoiceNotFound } from './find-invoice.js';
export * from './invoice.js';
export { toLine } from './invoice-row.js';
export type { InvoiceFilter, ListCustomerInvoices, SearchInvoices } from './list-invoices.js';
export type { ReadInvoice, ReadInvoiceParts } from './read-invoices.js';
export { type ReadTimeline, recordOnTimeline, type TimelineEntry } from './timeline.js';
