import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { type Db, makeDb } from '../../src/db/client.js';
import { waitFor } from './service-process.js';

export interface TestDatabase {
  url: string;
  db: Db;
  /** A plain SQL client of the tables' owner, as an operator at psql would be. */
  sql: pg.Pool;
}

/** A database of the calling file's own: a clone of the migrated template, dropped after its tests. */
export function useDatabase(): TestDatabase {
  const database = {} as TestDatabase;
  const name = `test_${randomBytes(6).toString('hex')}`;

  beforeAll(async () => {
    await asAdministrator((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE template_folio`));
    const url = new URL(inject('templateUrl'));
    url.pathname = `/${name}`;
    database.url = url.href;
    database.db = makeDb({ url: url.href, poolSize: 10, applicationName: 'folio test' });
    database.sql = new pg.Pool({ connectionString: url.href, max: 10 });
    // A dropped or restarted database ends idle sessions; the pool makes new ones.
    database.sql.on('error', () => undefined);
  });

  afterAll(async () => {
    await database.db.$disconnect();
    await database.sql.end();
    await asAdministrator((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
  });

  return database;
}

/** Waits until so many sessions of the database wait for a lock. */
export function lockWaits(sql: pg.Pool, sessions = 1): Promise<unknown> {
  return waitFor(async () => {
    const { rowCount } = await sql.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rowCount === sessions;
  });
}

async function asAdministrator(run: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const url = new URL(inject('templateUrl'));
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}
