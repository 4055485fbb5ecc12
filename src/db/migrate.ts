import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** The number that Prisma's own migrate commands lock, so that the two never run at once. */
const PRISMA_MIGRATE_LOCK = 72707369;

/** Another start may be migrating a large database; a migration itself may take its time too. */
const LOCK_TIMEOUT_MS = 10 * 60_000;

const MIGRATIONS_TABLE = `
  CREATE TABLE _prisma_migrations (
    id varchar(36) PRIMARY KEY,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

/**
 * Applies what is pending of `directory` (Prisma's layout) in order, one transaction each, and records
 * it as `prisma migrate deploy` would. Several processes may call it at once.
 *
 * @returns the names applied by this call.
 * @throws Error where an applied migration was edited afterwards, or one fails: nothing of it stays.
 */
export async function migrate({ url, directory }: { url: string; directory: string }): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query('SELECT pg_advisory_lock($1)', [PRISMA_MIGRATE_LOCK]);
    // CREATE TABLE IF NOT EXISTS would ask for the right to create, also of a role that only serves.
    if (!(await hasTable(client, '_prisma_migrations'))) await createTable(client);
    const checksumOf = await readApplied(client);
    const applied: string[] = [];
    for (const migration of await readMigrations(directory)) {
      const recorded = checksumOf.get(migration.name);
      if (recorded === undefined) {
        await apply(client, migration);
        applied.push(migration.name);
      } else if (recorded !== migration.checksum) {
        throw new Error(`Migration ${migration.name} was changed after it had been applied`);
      }
    }
    return applied;
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** What an operator meets who serves as the role of prisma/roles/ before the owner has migrated. */
const mayNotMigrate = (what: string): Error =>
  new Error(
    `The role of DATABASE_URL may not apply ${what}: start once as the owner of the tables, then run prisma/roles/application-role.sql`,
  );

async function createTable(client: pg.Client): Promise<void> {
  await client.query(MIGRATIONS_TABLE).catch((error: pg.DatabaseError) => {
    throw error.code === '42501' ? mayNotMigrate('the first migration') : error;
  });
}

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    name,
  ]);
  return rows[0]?.found === true;
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => undefined);
    if ((cause as pg.DatabaseError).code === '42501') throw mayNotMigrate(name);
    throw new Error(`Migration ${name} failed and left nothing behind: ${(cause as Error).message}`, {
      cause,
    });
  }
}
