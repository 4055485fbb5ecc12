import { Prisma, type Tx } from '../db/client.js';

/**
 * SQL of the two that everything else of an issue rests on: "counter", the locked row of the year that it is
 * now in `timeZone` by the database's clock, and "moment", when the set is issued and in which year.
 *
 * The lock lasts to the end of the transaction and makes all issuing one queue: the numbers that its holder
 * takes come back if it fails. But a statement sees what was committed before it began, and it may have
 * waited here. So "moment" is empty where the counter has moved since: the next statement of the transaction
 * then begins under the lock, and sees every invoice and key there is.
 */
export const momentOfIssue = (timeZone: string): Prisma.Sql => Prisma.sql`
  counter AS MATERIALIZED (
    SELECT year, next_number, last_finalized_at FROM invoice_number_counters
    WHERE year = (SELECT extract(year FROM clock_timestamp() AT TIME ZONE ${timeZone})::smallint)
    FOR UPDATE
  ),
  moment AS MATERIALIZED (
    -- Never before the number below it, even if the server's clock was set back. To the millisecond,
    -- which is what the API tells: a time that was told finds its invoice again.
    SELECT counter.year, greatest(date_trunc('milliseconds', clock_timestamp()), last_finalized_at) AS at
    FROM counter
    WHERE next_number = (
      SELECT as_seen.next_number FROM invoice_number_counters AS as_seen WHERE as_seen.year = counter.year
    )
  )`;

/** For the first invoice of a year. */
export async function openYear(tx: Tx, timeZone: string): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO invoice_number_counters (year)
    VALUES (extract(year FROM clock_timestamp() AT TIME ZONE ${timeZone}))
    ON CONFLICT (year) DO NOTHING`;
}
