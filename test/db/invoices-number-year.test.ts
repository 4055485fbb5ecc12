import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { refusalOf, unlawful } from './by-hand.js';
import { insertCopy } from './copied-invoice.js';

const database = useDatabase();

let original: string;
beforeAll(async () => {
  original = await issueInvoice(database.db);
  await database.sql.query('INSERT INTO invoice_number_counters (year) VALUES (2009), (2010), (2011)');
});

/** As the first invoice of its year. */
const insert = (year: number, issue_date: string, finalized_at: string, time_zone: string) =>
  refusalOf(database.sql, async (tx) => {
    await tx.query(
      'UPDATE invoice_number_counters SET next_number = 2, last_finalized_at = $2 WHERE year = $1',
      [year, finalized_at],
    );
    const invoice = { invoice_number: `INV-${year}-00000001`, issue_date, finalized_at, time_zone };
    await insertCopy(tx, original, { invoice });
    await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
    throw new Accepted();
  }).catch((error: unknown) => {
    if (error instanceof Accepted) return 'accepted' as const;
    throw error;
  });

/** Ends the transaction without its rows, so that each case is the first invoice of the year. */
class Accepted extends Error {}

const NEW_YEAR: [zone: string, instant: string, year: number, date: string][] = [
  ['UTC', '2010-12-31T23:59:59.999999Z', 2010, '2010-12-31'],
  ['UTC', '2011-01-01T00:00:00Z', 2011, '2011-01-01'],
  ['America/Bogota', '2011-01-01T04:30:00Z', 2010, '2010-12-31'],
  ['America/Bogota', '2011-01-01T05:00:00Z', 2011, '2011-01-01'],
  ['Pacific/Kiritimati', '2010-12-31T09:59:59Z', 2010, '2010-12-31'],
  ['Pacific/Kiritimati', '2010-12-31T10:00:00Z', 2011, '2011-01-01'],
  ['Pacific/Pago_Pago', '2011-01-01T10:59:59Z', 2010, '2010-12-31'],
  ['Asia/Kathmandu', '2010-12-31T18:15:00Z', 2011, '2011-01-01'],
];

describe.each(NEW_YEAR)('in %s at %s', (zone, instant, year, date) => {
  test(`it is ${date}, of ${year}`, async () => {
    expect(await insert(year, date, instant, zone)).toBe('accepted');
  });

  test.each([year - 1, year + 1])('a number of %d is refused', async (another) => {
    expect(await insert(another, date, instant, zone)).toEqual(unlawful('invoices_number_year'));
  });

  test.each([-1, 1])('an issue date %d day off is refused', async (days) => {
    const another = new Date(Date.parse(date) + days * 24 * 3_600_000).toISOString().slice(0, 10);
    expect(await insert(year, another, instant, zone)).toEqual(unlawful('invoices_issue_date'));
  });
});

test.each([
  'INV-2010-1',
  'INV-2010-000000001',
  'inv-2010-00000001',
  'INV-10-00000001',
  'INV-2010-0000000A',
  'INV-2010-00000001\n',
  ' INV-2010-00000001',
  'INV-2010-٠٠٠٠٠٠٠١',
  'INV-2010_00000001',
  '',
])('%j is no number', async (invoice_number) => {
  const refusal = await refusalOf(database.sql, (tx) =>
    insertCopy(tx, original, { invoice: { invoice_number } }),
  );
  expect(refusal).toEqual(unlawful('invoices_number_form'));
});

test('a zone that there is not is refused', async () => {
  expect(await insert(2010, '2010-06-01', '2010-06-01T12:00:00Z', 'Mars/Olympus')).toMatchObject({
    code: '22023',
  });
});
