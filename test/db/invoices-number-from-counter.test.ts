import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { duplicate, refusalOf, unlawful } from './by-hand.js';
import { insertCopy, takeNumber } from './copied-invoice.js';

const database = useDatabase();
const AT_COMMIT = unlawful('invoices_number_from_counter', 'COMMIT');

let original: string;
let year: string;
beforeAll(async () => {
  original = await issueInvoice(database.db);
  const { rows } = await database.sql.query('SELECT extract(year FROM finalized_at) AS year FROM invoices');
  year = rows[0].year;
});

const insert = (invoice: Record<string, unknown>, replica = false) =>
  refusalOf(database.sql, (tx) => insertCopy(tx, original, { invoice }), { replica });

describe.each([
  ['an ordinary session', false],
  ['a session in replica mode', true],
])('invoices_number_from_counter, in %s', (_, replica) => {
  test.each(['00000002', '00000003', '99999999'])(
    'number %s, beyond the counter, is refused',
    async (number) => {
      expect(await insert({ invoice_number: `INV-${year}-${number}` }, replica)).toEqual(AT_COMMIT);
    },
  );

  test('a number of a year that has no counter is refused', async () => {
    const past = { invoice_number: 'INV-1999-00000001', finalized_at: '1999-06-01T00:00:00Z' };
    expect(await insert({ ...past, issue_date: '1999-06-01' }, replica)).toEqual(AT_COMMIT);
  });

  test('a number that was given before is refused', async () => {
    expect(await insert({ invoice_number: `INV-${year}-00000001` }, replica)).toEqual(
      duplicate('invoices_invoice_number_key'),
    );
  });
});

test('a number that was taken and given back by a savepoint is refused', async () => {
  const refusal = await refusalOf(database.sql, async (tx) => {
    await tx.query('SAVEPOINT number');
    const invoice = { ...(await takeNumber(tx, original)) };
    await tx.query('ROLLBACK TO SAVEPOINT number');
    await insertCopy(tx, original, { invoice });
  });
  expect(refusal).toEqual(AT_COMMIT);
});

test('the counter may be raised after the invoice, in the same transaction', async () => {
  const refusal = await refusalOf(database.sql, async (tx) => {
    await insertCopy(tx, original, { invoice: { invoice_number: `INV-${year}-00000002` } });
    await takeNumber(tx, original);
  });
  expect(refusal).toBe('accepted');
});
