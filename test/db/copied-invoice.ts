import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';

type Changes = Record<string, unknown>;

export interface Copy {
  /** Columns of the invoice that are to differ from the original. */
  invoice?: Changes;
  /** For each line to write, the columns that are to differ; all lines as they are, if absent. */
  lines?: Changes[];
}

/**
 * Writes a second invoice like `originalId` by plain SQL, with an id, an order and the next number of its
 * own: a lawful one, but for the changes.
 *
 * @returns its id.
 */
export async function insertCopy(tx: PoolClient, originalId: string, copy: Copy = {}): Promise<string> {
  const numbered = copy.invoice?.invoice_number ? {} : await takeNumber(tx, originalId);
  const id = await insertInvoiceAlone(tx, originalId, { ...numbered, ...copy.invoice });
  const lines = copy.lines ?? (await linesOf(tx, originalId));
  for (const [index, line] of lines.entries()) {
    await insertLine(tx, originalId, { line_number: index + 1, ...line, invoice_id: id });
  }
  return id;
}

export async function insertInvoiceAlone(
  tx: PoolClient,
  originalId: string,
  changes: Changes,
): Promise<string> {
  const id = randomUUID();
  await tx.query(
    `INSERT INTO invoices
     SELECT copy.* FROM invoices AS original, LATERAL jsonb_populate_record(original, $2) AS copy
     WHERE original.id = $1`,
    [originalId, JSON.stringify({ id, order_id: `BY-HAND-${id}`, ...changes })],
  );
  return id;
}

/** A line like the first of `originalId`. */
export async function insertLine(tx: PoolClient, originalId: string, changes: Changes): Promise<void> {
  await tx.query(
    `INSERT INTO invoice_items
     SELECT copy.* FROM invoice_items AS original, LATERAL jsonb_populate_record(
       original, jsonb_build_object('id', nextval('invoice_items_id_seq')) || $2
     ) AS copy
     WHERE original.invoice_id = $1 AND original.line_number = 1`,
    [originalId, JSON.stringify(changes)],
  );
}

/** The next number of the counter that numbered `originalId`, and the moment of the number before it. */
export async function takeNumber(tx: PoolClient, originalId: string): Promise<Numbered> {
  const { rows } = await tx.query<Numbered>(
    `UPDATE invoice_number_counters SET next_number = next_number + 1
     FROM invoices WHERE id = $1 AND year = substr(invoice_number, 5, 4)::integer
     RETURNING invoice_number(year, next_number - 1), to_jsonb(last_finalized_at) AS finalized_at,
       (last_finalized_at AT TIME ZONE time_zone)::date::text AS issue_date`,
    [originalId],
  );
  const [row] = rows;
  if (!row) throw new Error('There is no counter of that year');
  return row;
}

interface Numbered {
  invoice_number: string;
  finalized_at: string;
  issue_date: string;
}

async function linesOf(tx: PoolClient, originalId: string): Promise<Changes[]> {
  const { rows } = await tx.query<{ line: Changes }>(
    `SELECT to_jsonb(item) - 'id' AS line FROM invoice_items AS item WHERE invoice_id = $1 ORDER BY line_number`,
    [originalId],
  );
  return rows.map(({ line }) => line);
}
