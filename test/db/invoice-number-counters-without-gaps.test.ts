import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { refusalOf, unlawful } from './by-hand.js';
import { insertCopy, takeNumber } from './copied-invoice.js';

const database = useDatabase();
const AT_COMMIT = unlawful('invoice_number_counters_without_gaps', 'COMMIT');

let original: string;
beforeAll(async () => {
  original = await issueInvoice(database.db);
});

describe.each([
  ['an ordinary session', false],
  ['a session in replica mode', true],
])('invoice_number_counters_without_gaps, in %s', (_, replica) => {
  test.each([1, 2, 1000])('passing over %d numbers is refused', async (count) => {
    const pass = `UPDATE invoice_number_counters SET next_number = next_number + ${count}`;
    expect(await refusalOf(database.sql, pass, { replica })).toEqual(AT_COMMIT);
  });

  test('so it is beside an invoice that takes the next number', async () => {
    const refusal = await refusalOf(
      database.sql,
      async (tx) => {
        await insertCopy(tx, original);
        await takeNumber(tx, original);
      },
      { replica },
    );
    expect(refusal).toEqual(AT_COMMIT);
  });

  test('and beside one that takes the number after the next', async () => {
    const refusal = await refusalOf(
      database.sql,
      async (tx) => {
        await takeNumber(tx, original);
        await insertCopy(tx, original);
      },
      { replica },
    );
    expect(refusal).toEqual(AT_COMMIT);
  });
});

test('a number whose invoice was rolled back alone is passed over', async () => {
  const refusal = await refusalOf(database.sql, async (tx) => {
    const invoice = { ...(await takeNumber(tx, original)) };
    await tx.query('SAVEPOINT invoice');
    await insertCopy(tx, original, { invoice });
    await tx.query('ROLLBACK TO SAVEPOINT invoice');
  });
  expect(refusal).toEqual(AT_COMMIT);
});

test('a number comes back where it was rolled back with its invoice', async () => {
  const numbers: unknown[] = [];
  const refusal = await refusalOf(database.sql, async (tx) => {
    await tx.query('SAVEPOINT invoice');
    numbers.push((await takeNumber(tx, original)).invoice_number);
    await tx.query('ROLLBACK TO SAVEPOINT invoice');
    const id = await insertCopy(tx, original);
    const { rows } = await tx.query('SELECT invoice_number FROM invoices WHERE id = $1', [id]);
    numbers.push(rows[0].invoice_number);
  });
  expect(refusal).toBe('accepted');
  expect(numbers[0]).toBe(numbers[1]);
});

test('the first number of a new counter is not passed over', async () => {
  const refusal = await refusalOf(database.sql, async (tx) => {
    await tx.query('INSERT INTO invoice_number_counters (year) VALUES (1999)');
    await tx.query('UPDATE invoice_number_counters SET next_number = 2 WHERE year = 1999');
  });
  expect(refusal).toEqual(AT_COMMIT);
});

test('asking for the look at once does not evade it', async () => {
  const refusal = await refusalOf(database.sql, async (tx) => {
    await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
    await takeNumber(tx, original);
  });
  expect(refusal).toEqual({ ...AT_COMMIT, at: 'statement' });
});

test('touching a counter without taking a number is no gap', async () => {
  const touch = 'UPDATE invoice_number_counters SET next_number = next_number';
  expect(await refusalOf(database.sql, touch)).toBe('accepted');
});
