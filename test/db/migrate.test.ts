import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { migrate } from '../../src/db/migrate.js';
import { waitFor } from '../helpers/service-process.js';

const OURS = 'prisma/migrations';

let url: string;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'folio-migrations-'));
  const name = `test_${randomBytes(6).toString('hex')}`;
  await ask(databaseUrl('postgres'), `CREATE DATABASE ${name}`);
  url = databaseUrl(name);
});

afterEach(async () => {
  await ask(databaseUrl('postgres'), `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  await rm(directory, { recursive: true, force: true });
});

function databaseUrl(name: string): string {
  const other = new URL(inject('templateUrl'));
  other.pathname = `/${name}`;
  return other.href;
}

async function ask(where: string, query: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: where });
  await client.connect();
  try {
    return (await client.query(query)).rows;
  } finally {
    await client.end();
  }
}

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, name, 'migration.sql'), sql);
}

const tables = async () =>
  (await ask(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")).map(
    ({ name }) => name,
  );
const recorded = async () =>
  (await ask(url, 'SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1')).map(
    ({ name }) => name,
  );
const run = () => migrate({ url, directory });

test('four starts at once on an empty database apply each migration once', async () => {
  const names = (await readdir(OURS, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate({ url, directory: OURS })));
  // One of them did it all, and the others found it done.
  expect(applied.filter((list) => list.length > 0)).toEqual([names]);
  expect(await recorded()).toEqual(names);
});

test('a start waits for another that holds Prisma’s own lock', async () => {
  await write('1_first', 'CREATE TABLE first ()');
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(72707369)');
  const waiting = run();
  await waitFor(async () => {
    const waiters = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    return (await holder.query(waiters)).rowCount === 1;
  });
  expect(await tables()).toEqual([]);
  await holder.end();
  expect(await waiting).toEqual(['1_first']);
});

test('a second run applies nothing, and a later one what is new, in order', async () => {
  await write('2_second', 'ALTER TABLE first ADD COLUMN name text');
  await write('1_first', 'CREATE TABLE first ()');
  expect(await run()).toEqual(['1_first', '2_second']);
  expect(await run()).toEqual([]);
  await write('3_third', 'CREATE TABLE third ()');
  await write('4_fourth', 'ALTER TABLE third ADD COLUMN name text');
  expect(await run()).toEqual(['3_third', '4_fourth']);
});

test('rows carry what Prisma’s own command would have recorded', async () => {
  await migrate({ url, directory: OURS });
  const rows = await ask(
    url,
    `SELECT migration_name AS name, checksum, finished_at >= started_at AS finished, rolled_back_at, logs,
       applied_steps_count AS steps, id ~ '^[0-9a-f-]{36}$' AS has_id FROM _prisma_migrations ORDER BY 1`,
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const { name, checksum, ...rest } of rows) {
    const bytes = await readFile(join(OURS, String(name), 'migration.sql'));
    expect(checksum).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(rest).toEqual({ finished: true, rolled_back_at: null, logs: null, steps: 1, has_id: true });
  }
});

describe('an applied migration that was edited', () => {
  beforeEach(async () => {
    await write('1_first', 'CREATE TABLE first ()');
    await run();
  });

  test.each([
    ['in its SQL', 'CREATE TABLE first (name text)'],
    ['in a comment', '-- why\nCREATE TABLE first ()'],
    ['in a space', 'CREATE TABLE first () '],
  ])('%s is refused with its name, and nothing after it is applied', async (_, sql) => {
    await write('1_first', sql);
    await write('2_second', 'CREATE TABLE second ()');
    await expect(run()).rejects.toThrow('Migration 1_first was changed after it had been applied');
    expect(await tables()).toEqual(['_prisma_migrations', 'first']);
    expect(await recorded()).toEqual(['1_first']);
  });
});

describe('a migration that fails', () => {
  test.each([
    ['at its last statement', 'CREATE TABLE second (); INSERT INTO second SELECT 1 / 0;'],
    ['in its syntax', 'CREATE TABLE second (); CREATE TALBE third ();'],
    [
      'at its commit',
      `CREATE TABLE second (id integer PRIMARY KEY,
         other integer REFERENCES second (id) DEFERRABLE INITIALLY DEFERRED);
       INSERT INTO second VALUES (1, 2);`,
    ],
    [
      'at being recorded',
      `CREATE TABLE second ();
       ALTER TABLE _prisma_migrations ADD CONSTRAINT not_this CHECK (migration_name <> '2_second');`,
    ],
  ])('%s is named and leaves nothing behind', async (_, sql) => {
    await write('1_first', 'CREATE TABLE first ()');
    await write('2_second', sql);
    await write('3_third', 'CREATE TABLE third ()');
    await expect(run()).rejects.toThrow('Migration 2_second failed and left nothing behind');
    expect(await tables()).toEqual(['_prisma_migrations', 'first']);
    expect(await recorded()).toEqual(['1_first']);
  });

  test('is applied once it is right, and the rest after it', async () => {
    await write('1_first', 'CREATE TALBE first ()');
    await write('2_second', 'CREATE TABLE second ()');
    await expect(run()).rejects.toThrow('1_first');
    await write('1_first', 'CREATE TABLE first ()');
    expect(await run()).toEqual(['1_first', '2_second']);
    expect(await tables()).toEqual(['_prisma_migrations', 'first', 'second']);
  });

  test('holds no lock afterwards', async () => {
    await write('1_first', 'SELECT 1 / 0');
    const outcomes = await Promise.allSettled([run(), run()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

test('a folder without its file is named', async () => {
  await mkdir(join(directory, '1_first'));
  await expect(run()).rejects.toThrow(/1_first/);
});
