import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { anOrderOfLines, issueInvoice } from '../helpers/issued-invoice.js';
import { columnsOf, refusalOf, refusalsByColumn, restricted } from './by-hand.js';

const database = useDatabase();
const FROZEN = restricted('invoice_items_frozen');

let id: string;
let other: string;
beforeAll(async () => {
  id = await issueInvoice(database.db, anOrderOfLines(2));
  other = await issueInvoice(database.db);
});

describe.each([
  ['an ordinary session', false],
  ['a session in replica mode', true],
])('invoice_items_frozen, in %s', (_, replica) => {
  const refusal = (statement: string) => refusalOf(database.sql, statement, { replica });

  test('every column is refused', async () => {
    const where = `invoice_id = '${id}' AND line_number = 1`;
    const refusals = await refusalsByColumn(database.sql, 'invoice_items', { where, replica });
    const columns = (await columnsOf(database.sql, 'invoice_items')).map(({ name }) => name);
    expect(Object.keys(refusals)).toEqual(columns);
    expect(refusals).toEqual(Object.fromEntries(columns.map((column) => [column, FROZEN])));
  });

  test('an UPDATE that changes nothing is refused', async () => {
    expect(await refusal('UPDATE invoice_items SET total = total')).toEqual(FROZEN);
  });

  test('one line, and all lines, are not deleted', async () => {
    expect(await refusal(`DELETE FROM invoice_items WHERE invoice_id = '${id}' AND line_number = 2`)).toEqual(
      FROZEN,
    );
    expect(await refusal('DELETE FROM invoice_items')).toEqual(FROZEN);
  });

  test('a line does not move to another invoice', async () => {
    const move = `UPDATE invoice_items SET invoice_id = '${other}' WHERE invoice_id = '${id}' AND line_number = 2`;
    expect(await refusal(move)).toEqual(FROZEN);
  });

  test('a line is not exchanged for another', async () => {
    const exchange = `WITH gone AS (
        DELETE FROM invoice_items WHERE invoice_id = '${id}' AND line_number = 2 RETURNING *
      )
      INSERT INTO invoice_items SELECT * FROM gone`;
    expect(await refusal(exchange)).toEqual(FROZEN);
  });

  test('an upsert is an update too', async () => {
    const upsert = `INSERT INTO invoice_items SELECT * FROM invoice_items
      ON CONFLICT (invoice_id, line_number) DO UPDATE SET description = 'another'`;
    expect(await refusal(upsert)).toEqual(FROZEN);
  });
});
