import type { Tx } from '../db/client.js';

/**
 * Locks the counter of the year that it is now in `timeZone`, by the database's clock. The lock lasts to
 * the end of the transaction and makes all issuing one queue: whoever holds it sees every invoice and
 * key committed before, and the numbers that it takes come back if it fails.
 *
 * @returns the year. It may have turned while the lock was waited for: numbers are to be taken only if
 * the moment of issue, read afterwards, still falls into it.
 */
export async function lockYearCounter(tx: Tx, timeZone: string): Promise<number> {
  const locked = await selectForUpdate(tx, timeZone);
  if (locked !== undefined) return locked;
  // The first invoice of a year. Not on the common path: an upsert would write the row each time.
  await tx.$executeRaw`
    INSERT INTO invoice_number_counters (year)
    VALUES (extract(year FROM clock_timestamp() AT TIME ZONE ${timeZone}))
    ON CONFLICT (year) DO NOTHING`;
  return lockYearCounter(tx, timeZone);
}

async function selectForUpdate(tx: Tx, timeZone: string): Promise<number | undefined> {
  const [row] = await tx.$queryRaw<{ year: number }[]>`
    -- prepared: lock_year_counter
    SELECT year FROM invoice_number_counters
    WHERE year = (SELECT extract(year FROM clock_timestamp() AT TIME ZONE ${timeZone})::smallint)
    FOR UPDATE`;
  return row?.year;
}
