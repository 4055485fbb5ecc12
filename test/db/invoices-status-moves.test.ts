import { beforeEach, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { refusalOf, restricted, unlawful } from './by-hand.js';

const database = useDatabase();
const CANCEL = "status = 'CANCELLED', cancelled_at = now(), cancel_reason = 'wrong address'";

let id: string;
beforeEach(async () => {
  id = await issueInvoice(database.db);
});

const set = (changes: string, replica = false) =>
  refusalOf(database.sql, `UPDATE invoices SET ${changes} WHERE id = '${id}'`, { replica });

test('FINALIZED → CANCELLED, once', async () => {
  expect(await set(CANCEL)).toBe('accepted');
  expect(await set("cancel_reason = 'another reason'")).toEqual(restricted('invoices_status_moves'));
});

test.each([
  ['back to FINALIZED', "status = 'FINALIZED', cancelled_at = NULL, cancel_reason = NULL"],
  ['to PENDING', "status = 'PENDING', cancelled_at = NULL, cancel_reason = NULL"],
  ['to another reason', "cancel_reason = 'another reason'"],
  ['to no reason', 'cancel_reason = NULL'],
  ['to another moment', "cancelled_at = cancelled_at + interval '1 microsecond'"],
  ['to no moment', 'cancelled_at = NULL'],
])('a cancelled invoice does not go %s', async (_, changes) => {
  expect(await set(CANCEL)).toBe('accepted');
  expect(await set(changes)).toEqual(restricted('invoices_status_moves'));
  expect(await set(changes, true)).toEqual(restricted('invoices_status_moves'));
});

test.each([
  ['PENDING, which is reserved', "status = 'PENDING'", 'invoices_status_pending_reserved'],
  ['a status that there is not', "status = 'DRAFT'", 'invoices_status'],
  ['a status in another case', "status = 'finalized'", 'invoices_status'],
  ['CANCELLED without anything', "status = 'CANCELLED'", 'invoices_cancelled_has_reason'],
  [
    'CANCELLED without a moment',
    "status = 'CANCELLED', cancel_reason = 'why'",
    'invoices_cancelled_has_reason',
  ],
  [
    'CANCELLED without a reason',
    "status = 'CANCELLED', cancelled_at = now()",
    'invoices_cancelled_has_reason',
  ],
  ['FINALIZED with a moment', 'cancelled_at = now()', 'invoices_cancelled_has_reason'],
  ['FINALIZED with a reason', "cancel_reason = 'why'", 'invoices_cancelled_has_reason'],
])('a FINALIZED invoice does not become %s', async (_, changes, constraint) => {
  expect(await set(changes)).toEqual(unlawful(constraint));
});

test('a PDF under way lives on beside the cancelled invoice', async () => {
  await set("pdf_status = 'PROCESSING', pdf_attempt = 1, pdf_lease_until = now()");
  expect(await set(CANCEL)).toBe('accepted');
  expect(await set("pdf_lease_until = now() + interval '1 minute'")).toBe('accepted');
});
