import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.js';

/** A new, empty database in the embedded PostgreSQL of `directory`; `stop` drops it again. */
export async function startTemporaryDatabase(options: {
  directory: string;
  prefix: string;
}): Promise<EmbeddedPostgres> {
  const database = `${options.prefix}_${randomBytes(4).toString('hex')}`;
  const postgres = await startEmbeddedPostgres({
    directory: options.directory,
    database,
    log: () => undefined,
  });
  return {
    url: postgres.url,
    async stop() {
      await drop(postgres.url, database);
      await postgres.stop();
    },
  };
}

async function drop(url: string, database: string): Promise<void> {
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new pg.Client({ connectionString: maintenance.href });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(database)} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}
