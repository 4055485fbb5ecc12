import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { anOrderOfLines, issueInvoice } from '../helpers/issued-invoice.js';
import { duplicate, refusalOf, restricted, unlawful, withoutParent } from './by-hand.js';
import { insertCopy, insertInvoiceAlone, insertLine, takeNumber } from './copied-invoice.js';

const database = useDatabase();
const TOO_MANY = restricted('invoice_items_within_line_count');

let id: string;
beforeAll(async () => {
  id = await issueInvoice(database.db, anOrderOfLines(3));
});

const addLine = (changes: Record<string, unknown>, replica = false) =>
  refusalOf(database.sql, (tx) => insertLine(tx, id, changes), { replica });

describe('an issued invoice of three lines', () => {
  test.each([4, 5, 5_000])('takes no line %d', async (line_number) => {
    expect(await addLine({ line_number })).toEqual(TOO_MANY);
    expect(await addLine({ line_number }, true)).toEqual(TOO_MANY);
  });

  test('takes no line that would change no sum', async () => {
    const free = { quantity: 1, unit_price: 0, discount: 0, tax: 0, total: 0 };
    expect(await addLine({ line_number: 4, ...free })).toEqual(TOO_MANY);
  });

  test.each([1, 2, 3])('has line %d already', async (line_number) => {
    expect(await addLine({ line_number })).toEqual(duplicate('invoice_items_invoice_id_line_number_key'));
    expect(await addLine({ line_number }, true)).toEqual(
      duplicate('invoice_items_invoice_id_line_number_key'),
    );
  });

  test.each([0, -1, 5_001])('takes no line %d, which is out of range', async (line_number) => {
    expect(await addLine({ line_number })).toEqual(unlawful('invoice_items_line_number_range'));
  });

  test('takes none of many lines of one statement', async () => {
    const many = `INSERT INTO invoice_items
      SELECT copy.* FROM invoice_items AS line, LATERAL jsonb_populate_record(
        line, jsonb_build_object('id', line.id + 1000, 'line_number', line.line_number + 3)
      ) AS copy WHERE line.invoice_id = '${id}'`;
    expect(await refusalOf(database.sql, many)).toEqual(TOO_MANY);
  });
});

describe('in the transaction that issues', () => {
  test('a line beyond the count is refused', async () => {
    const refusal = await refusalOf(database.sql, (tx) =>
      insertCopy(tx, id, { invoice: { line_count: 2 }, lines: [{}, {}, {}] }),
    );
    expect(refusal).toEqual(TOO_MANY);
  });

  test('lines before their invoice are refused', async () => {
    const refusal = await refusalOf(database.sql, (tx) =>
      insertLine(tx, id, { invoice_id: '00000000-0000-7000-8000-000000000000' }),
    );
    expect(refusal).toEqual(withoutParent('invoice_items_invoice_id_fkey'));
  });

  test('lines in any order are accepted', async () => {
    const refusal = await refusalOf(database.sql, async (tx) => {
      const copy = await insertInvoiceAlone(tx, id, { ...(await takeNumber(tx, id)) });
      for (const line_number of [3, 1, 2]) await insertLine(tx, id, { invoice_id: copy, line_number });
    });
    expect(refusal).toBe('accepted');
  });
});
