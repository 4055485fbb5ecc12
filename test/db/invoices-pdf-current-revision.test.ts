import { beforeEach, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { duplicate, refusalOf, restricted, unlawful, withoutParent } from './by-hand.js';

const database = useDatabase();
const FINISH = "pdf_status = 'GENERATED', pdf_lease_until = NULL, pdf_revision = 1";

let id: string;
beforeEach(async () => {
  id = await issueInvoice(database.db);
  await database.sql.query(
    "UPDATE invoices SET pdf_status = 'PROCESSING', pdf_attempt = 1, pdf_lease_until = now() WHERE id = $1",
    [id],
  );
});

const set = (changes: string) => refusalOf(database.sql, `UPDATE invoices SET ${changes} WHERE id = '${id}'`);

const addRevision = (changes: Record<string, unknown> = {}) => {
  const row = { invoice_id: id, revision: 1, object_key: `${id}/r1.pdf`, sha256: '0'.repeat(64), bytes: 1 };
  const all = { ...row, template_version: '1', created_at: new Date(), ...changes };
  return refusalOf(database.sql, (tx) =>
    tx.query(
      'INSERT INTO invoice_pdf_revisions SELECT (jsonb_populate_record(NULL::invoice_pdf_revisions, $1)).*',
      [JSON.stringify(all)],
    ),
  );
};

describe('GENERATED is refused', () => {
  test('without a revision row', async () => {
    expect(await set(`${FINISH}, pdf_object_key = '${id}/r1.pdf'`)).toEqual(
      withoutParent('invoices_pdf_current_revision'),
    );
  });

  test('with the key of another object than its revision row has', async () => {
    await addRevision({ object_key: `${id}/another.pdf` });
    expect(await set(`${FINISH}, pdf_object_key = '${id}/r1.pdf'`)).toEqual(
      withoutParent('invoices_pdf_current_revision'),
    );
  });

  test('with the revision row of another invoice', async () => {
    await addRevision();
    const other = await issueInvoice(database.db);
    const claimAndFinish = async (key: string) =>
      refusalOf(database.sql, async (tx) => {
        await tx.query(
          "UPDATE invoices SET pdf_status = 'PROCESSING', pdf_attempt = 1, pdf_lease_until = now() WHERE id = $1",
          [other],
        );
        await tx.query(`UPDATE invoices SET ${FINISH}, pdf_object_key = $2 WHERE id = $1`, [other, key]);
      });
    expect(await claimAndFinish(`${id}/r1.pdf`)).toEqual(withoutParent('invoices_pdf_current_revision'));
  });

  test('without an object key', async () => {
    await addRevision();
    expect(await set(FINISH)).toEqual(unlawful('invoices_pdf_generated_has_object'));
  });

  test('without a revision', async () => {
    await addRevision();
    const finish = FINISH.replace('pdf_revision = 1', `pdf_object_key = '${id}/r1.pdf'`);
    expect(await set(finish)).toEqual(restricted('invoices_pdf_status_moves'));
  });
});

test('GENERATED is accepted with the revision row of its own attempt', async () => {
  expect(await addRevision()).toBe('accepted');
  expect(await set(`${FINISH}, pdf_object_key = '${id}/r1.pdf'`)).toBe('accepted');
});

describe('a revision row', () => {
  test('is the only one of its number', async () => {
    await addRevision();
    expect(await addRevision({ object_key: `${id}/again.pdf` })).toEqual(
      duplicate('invoice_pdf_revisions_pkey'),
    );
  });

  test('is the only one of its object', async () => {
    await addRevision();
    expect(await addRevision({ revision: 2 })).toEqual(duplicate('invoice_pdf_revisions_object_key_key'));
  });

  test.each([
    ['of no bytes', { bytes: 0 }, 'invoice_pdf_revisions_not_empty'],
    ['numbered 0', { revision: 0 }, 'invoice_pdf_revisions_not_empty'],
    ['without a hash', { sha256: '' }, 'invoice_pdf_revisions_sha256'],
    ['with a hash in capitals', { sha256: 'A'.repeat(64) }, 'invoice_pdf_revisions_sha256'],
    ['with a hash of another length', { sha256: 'a'.repeat(63) }, 'invoice_pdf_revisions_sha256'],
  ])('%s is refused', async (_, changes, constraint) => {
    expect(await addRevision(changes)).toEqual(unlawful(constraint));
  });

  test('of no invoice is refused', async () => {
    expect(await addRevision({ invoice_id: '00000000-0000-7000-8000-000000000000' })).toEqual(
      withoutParent('invoice_pdf_revisions_invoice_id_fkey'),
    );
  });
});
