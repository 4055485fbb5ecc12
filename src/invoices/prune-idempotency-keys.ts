import type { Db } from '../db/client.js';

/** A short transaction each: it shares its rows and its disk with creates. */
const AT_ONCE = 1_000;

export interface Pruned {
  pruned: number;
  /** Whether as many went as may go at once; more may be due. */
  more: boolean;
}

export type PruneIdempotencyKeys = () => Promise<Pruned>;

/**
 * Forgets keys that are older than the retention, by the database's clock. Whoever repeats such a key is told
 * that the order has its invoice: the books themselves keep that for ever. Several processes may prune at once.
 */
export function makePruneIdempotencyKeys(deps: { db: Db; retentionDays: number }): PruneIdempotencyKeys {
  const { db, retentionDays } = deps;
  return async () => {
    const pruned = await db.$executeRaw`
      WITH due AS MATERIALIZED (
        SELECT actor_role, actor_id, key FROM idempotency_records
        -- The subquery makes one moment of it, which an index can be asked for.
        WHERE created_at < (SELECT clock_timestamp() - make_interval(days => ${retentionDays}::integer))
        ORDER BY created_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED
      )
      DELETE FROM idempotency_records AS record USING due
      WHERE (record.actor_role, record.actor_id, record.key) = (due.actor_role, due.actor_id, due.key)`;
    return { pruned, more: pruned === AT_ONCE };
  };
}
