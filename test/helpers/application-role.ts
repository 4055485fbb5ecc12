import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { TestDatabase } from './database.js';

export interface ApplicationRole {
  name: string;
  /** Of the same database, as this role. */
  url: string;
  sql: pg.Pool;
}

/** A role with the rights of prisma/roles/application-role.sql and no others. */
export function useApplicationRole(database: TestDatabase): ApplicationRole {
  const role = { name: `app_${randomBytes(6).toString('hex')}` } as ApplicationRole;

  beforeAll(async () => {
    const password = randomBytes(12).toString('hex');
    await database.sql.query(`CREATE ROLE ${role.name} LOGIN PASSWORD '${password}'`);
    const script = await readFile('prisma/roles/application-role.sql', 'utf8');
    // psql's variable, quoted as psql would.
    await database.sql.query(script.replaceAll(':"role"', `"${role.name}"`));
    const url = new URL(database.url);
    [url.username, url.password] = [role.name, password];
    role.url = url.href;
    role.sql = new pg.Pool({ connectionString: role.url, max: 4 });
  });

  afterAll(async () => {
    await role.sql.end();
    await database.sql.query(`DROP OWNED BY ${role.name}`);
    await database.sql.query(`DROP ROLE ${role.name}`);
  });
  return role;
}
