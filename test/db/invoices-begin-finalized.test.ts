import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { refusalOf, restricted, unlawful } from './by-hand.js';
import { insertCopy } from './copied-invoice.js';

const database = useDatabase();
let original: string;
beforeAll(async () => {
  original = await issueInvoice(database.db);
});

const begin = (invoice: Record<string, unknown>, replica = false) =>
  refusalOf(database.sql, (tx) => insertCopy(tx, original, { invoice }), { replica });

test('an invoice that begins FINALIZED with its PDF PENDING is accepted', async () => {
  expect(await begin({})).toBe('accepted');
});

test.each([
  ['PENDING', { status: 'PENDING' }],
  ['CANCELLED', { status: 'CANCELLED', cancelled_at: new Date(), cancel_reason: 'why' }],
  ['without a status', { status: null }],
  ['at version 0', { version: 0 }],
  ['at version 2', { version: 2 }],
  ['without a version', { version: null }],
  ['with its PDF PROCESSING', { pdf_status: 'PROCESSING', pdf_lease_until: new Date() }],
  ['with its PDF FAILED', { pdf_status: 'FAILED', pdf_error_code: 'RENDER_FAILED' }],
  ['with its PDF GENERATED', { pdf_status: 'GENERATED', pdf_revision: 1, pdf_object_key: 'r1.pdf' }],
  ['with a revision', { pdf_revision: 1, pdf_object_key: 'r1.pdf' }],
  ['at attempt 1', { pdf_attempt: 1 }],
  ['at attempt -1', { pdf_attempt: -1 }],
  ['with a failure', { pdf_failures: 1 }],
  ['with a take-over', { pdf_takeovers: 1 }],
])('one that begins %s is refused', async (_, invoice) => {
  expect(await begin(invoice)).toEqual(restricted('invoices_begin_finalized'));
  expect(await begin(invoice, true)).toEqual(restricted('invoices_begin_finalized'));
});

test.each([
  ['a lease', { pdf_lease_until: new Date() }, 'invoices_pdf_processing_has_lease'],
  ['a retry due', { pdf_retry_at: new Date() }, 'invoices_pdf_retry_is_of_failed'],
  ['an error code', { pdf_error_code: 'RENDER_FAILED' }, 'invoices_pdf_failed_has_code'],
  ['an object key', { pdf_object_key: 'r1.pdf' }, 'invoices_pdf_revision_has_object'],
  ['a reason to cancel', { cancel_reason: 'why' }, 'invoices_cancelled_has_reason'],
])('one that begins with %s is refused', async (_, invoice, constraint) => {
  expect(await begin(invoice)).toEqual(unlawful(constraint));
});
