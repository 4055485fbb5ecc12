import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';

/** How the database refused: SQLSTATE, the name of the invariant, and when it said so. */
export interface Refusal {
  code: string | undefined;
  constraint: string | undefined;
  at: 'statement' | 'COMMIT';
}

/** Refused by a trigger that keeps evidence: restrict_violation. */
export const restricted = (constraint: string): Refusal => ({ code: '23001', constraint, at: 'statement' });
/** Refused by a CHECK, or by a trigger that checks at COMMIT: check_violation. */
export const unlawful = (constraint: string, at: Refusal['at'] = 'statement'): Refusal => ({
  code: '23514',
  constraint,
  at,
});
export const duplicate = (constraint: string): Refusal => ({ code: '23505', constraint, at: 'statement' });
export const withoutParent = (constraint: string): Refusal => ({
  code: '23503',
  constraint,
  at: 'statement',
});

export type Work = string | ((tx: pg.PoolClient) => Promise<unknown>);

/**
 * Does in one transaction what an operator at psql might do, and tells how it was refused.
 *
 * @throws Error where a refused transaction changed any row of any table.
 */
export async function refusalOf(
  sql: pg.Pool,
  work: Work,
  { replica = false }: { replica?: boolean } = {},
): Promise<Refusal | 'accepted'> {
  const before = await fingerprints(sql);
  const refusal = await inTransaction(sql, work, replica);
  if (refusal !== 'accepted' && !isDeepStrictEqual(await fingerprints(sql), before)) {
    throw new Error(`Refused by ${refusal.constraint}, and yet it changed a row`);
  }
  return refusal;
}

async function inTransaction(sql: pg.Pool, work: Work, replica: boolean): Promise<Refusal | 'accepted'> {
  const client = await sql.connect();
  let at: Refusal['at'] = 'statement';
  try {
    await client.query('BEGIN');
    // As a superuser may, to silence triggers: foreign keys are silent then, the law is not.
    if (replica) await client.query('SET LOCAL session_replication_role = replica');
    await (typeof work === 'string' ? client.query(work) : work(client));
    at = 'COMMIT';
    await client.query('COMMIT');
    return 'accepted';
  } catch (error) {
    await client.query('ROLLBACK');
    if (!(error instanceof pg.DatabaseError)) throw error;
    return { code: error.code, constraint: error.constraint, at };
  } finally {
    client.release();
  }
}

async function fingerprints(sql: pg.Pool): Promise<unknown> {
  const { rows: tables } = await sql.query<{ name: string }>(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  );
  const each = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, md5(string_agg(t::text, ',' ORDER BY t::text)) FROM ${name} AS t`,
  );
  return (await sql.query(each.join(' UNION ALL '))).rows;
}

/** Columns of a table as the catalogue has them today, so that a new one is covered from its first day. */
export async function columnsOf(sql: pg.Pool, table: string): Promise<Column[]> {
  const { rows } = await sql.query<Column>(
    `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable
     FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
    [table],
  );
  return rows;
}

interface Column {
  name: string;
  type: string;
  nullable: boolean;
}

const ANOTHER_VALUE: Record<string, (column: string) => string> = {
  text: (column) => `coalesce(${column}, '') || 'x'`,
  uuid: () => 'gen_random_uuid()',
  smallint: (column) => `coalesce(${column}, 0) + 1`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  numeric: (column) => `coalesce(${column}, 0) + 1`,
  boolean: (column) => `NOT coalesce(${column}, false)`,
  bytea: (column) => `coalesce(${column}, '') || '\\x00'::bytea`,
  jsonb: (column) => `coalesce(${column}, '{}') || '{"added": 1}'`,
  date: (column) => `coalesce(${column}, current_date) + 1`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 microsecond'`,
};

/** How the change of each single column, to another value and to none, is refused, by `column` or `column → NULL`. */
export async function refusalsByColumn(
  sql: pg.Pool,
  table: string,
  { where, living = [], replica = false }: { where: string; living?: readonly string[]; replica?: boolean },
): Promise<Record<string, Refusal | 'accepted'>> {
  const refusals: Record<string, Refusal | 'accepted'> = {};
  for (const { name, type, nullable } of await columnsOf(sql, table)) {
    if (living.includes(name)) continue;
    const another = ANOTHER_VALUE[type]?.(name);
    if (!another) throw new Error(`No other value is known for ${table}.${name}, ${type}`);
    const update = (value: string) => `UPDATE ${table} SET ${name} = ${value} WHERE ${where}`;
    refusals[name] = await refusalOf(sql, update(another), { replica });
    if (nullable && (await hasValue(sql, `SELECT FROM ${table} WHERE ${where} AND ${name} IS NOT NULL`))) {
      refusals[`${name} → NULL`] = await refusalOf(sql, update('NULL'), { replica });
    }
  }
  return refusals;
}

async function hasValue(sql: pg.Pool, query: string): Promise<boolean> {
  return (await sql.query(query)).rowCount !== 0;
}
