import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import { useDatabase } from '../helpers/database.js';
import { HEADER, type PlainOrder, rightOrder, toJson } from '../helpers/generated-orders.js';
import { aDraft, keepTestSeller } from '../helpers/issued-invoice.js';

const database = useDatabase();

/** What a set of orders became, as whole minor units and millionths again: read by SQL, not by our own code. */
async function inTheBooks(invoiceIds: string[]): Promise<PlainOrder[]> {
  const minor = (column: string) => `(${column} * power(10::numeric, invoices.minor_unit))::text`;
  const { rows } = await database.sql.query(
    `SELECT currency, minor_unit AS decimals, ${HEADER.map((name) => `${minor(name)} AS ${name}`).join(', ')},
       (SELECT json_agg(json_build_object(
          'quantity', (quantity * 1000000)::text, 'unitPrice', (unit_price * 1000000)::text,
          'discount', ${minor('item.discount')}, 'tax', ${minor('item.tax')}, 'total', ${minor('item.total')}
        ) ORDER BY line_number) FROM invoice_items AS item WHERE invoice_id = invoices.id) AS lines
     FROM invoices WHERE id = ANY ($1) ORDER BY invoice_number`,
    [invoiceIds],
  );
  return rows.map((row) => ({ ...wholes(row), lines: row.lines.map(wholes) }));
}

/** "8100.000000" is 8100n; a fraction that is not zero has no such number, and fails. */
function wholes(row: Record<string, unknown>): PlainOrder {
  const entries = Object.entries(row).map(([name, value]) => {
    if (typeof value !== 'string' || name === 'currency') return [name, value];
    return [name, BigInt(value.replace(/\.0*$/, ''))];
  });
  return Object.fromEntries(entries);
}

test('3,000 orders that add up stand in the books to the last digit, in sets of 100', async () => {
  const issue = makeIssueInvoices(database);
  const seller = await keepTestSeller(database.db);
  await fc.assert(
    fc.asyncProperty(fc.array(rightOrder, { minLength: 100, maxLength: 100 }), async (orders) => {
      const outcomes = await issue(orders.map((order) => aDraft(seller, toJson(order, 0))));
      const ids = outcomes.map((outcome) => (outcome.kind === 'issued' ? outcome.invoiceId : outcome.kind));
      expect(await inTheBooks(ids)).toEqual(orders);
    }),
    // A failing set is told as it is: to shrink it would issue thousands more.
    { numRuns: 30, endOnFailure: true },
  );
});
