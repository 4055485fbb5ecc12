import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { duplicate, refusalOf, restricted } from './by-hand.js';

const database = useDatabase();
const REFUSED = restricted('invoice_number_counters_moves');

beforeAll(async () => {
  for (let count = 0; count < 3; count += 1) await issueInvoice(database.db);
});

describe.each([
  ['an ordinary session', false],
  ['a session in replica mode', true],
])('invoice_number_counters_moves, in %s', (_, replica) => {
  const refusal = (statement: string) => refusalOf(database.sql, statement, { replica });

  test.each([
    ['by one', 'next_number = next_number - 1'],
    ['to 1', 'next_number = 1'],
    ['below 1', 'next_number = -1'],
    ['beside a later moment', 'next_number = next_number - 1, last_finalized_at = now()'],
    ['beside no moment', 'next_number = next_number - 1, last_finalized_at = NULL'],
  ])('a counter is not lowered %s', async (__, change) => {
    expect(await refusal(`UPDATE invoice_number_counters SET ${change}`)).toEqual(REFUSED);
  });

  test('its last moment does not go back', async () => {
    const back = "UPDATE invoice_number_counters SET last_finalized_at = last_finalized_at - interval '1 ms'";
    expect(await refusal(back)).toEqual(REFUSED);
  });

  test.each(['year + 1', 'year - 1'])('it does not become that of %s', async (year) => {
    expect(await refusal(`UPDATE invoice_number_counters SET year = ${year}`)).toEqual(REFUSED);
  });

  test.each([0, 2, 1000, -1])('it does not begin at %d', async (first) => {
    const insert = `INSERT INTO invoice_number_counters (year, next_number) VALUES (1999, ${first})`;
    expect(await refusal(insert)).toEqual(REFUSED);
  });

  test('an upsert lowers nothing either', async () => {
    const upsert = `INSERT INTO invoice_number_counters (year) SELECT year FROM invoice_number_counters
      ON CONFLICT (year) DO UPDATE SET next_number = 1`;
    expect(await refusal(upsert)).toEqual(REFUSED);
  });
});

test('a counter of another year begins at 1, once', async () => {
  expect(await refusalOf(database.sql, 'INSERT INTO invoice_number_counters (year) VALUES (1998)')).toBe(
    'accepted',
  );
  expect(await refusalOf(database.sql, 'INSERT INTO invoice_number_counters (year) VALUES (1998)')).toEqual(
    duplicate('invoice_number_counters_pkey'),
  );
});
