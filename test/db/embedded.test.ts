import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/db/embedded.js';

let parent: string;
let directory: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'folio-embedded-'));
  await chmod(parent, 0o700);
  directory = join(parent, 'data', 'postgres');
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  // Root's cluster is behind a link; whatever a failed test left running ends with its folder.
  const home = await realpath(directory).catch(() => undefined);
  const pid = await postmaster().catch(() => undefined);
  if (pid && isAlive(pid)) process.kill(pid, 'SIGQUIT');
  if (home) await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  await rm(parent, { recursive: true, force: true });
});

test('a restart keeps the data', async () => {
  const first = await start();
  await ask(first.url, 'create table kept as select 42 as answer');
  await first.stop();

  const second = await start();
  expect(await ask(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await second.stop();
});

test('a stop leaves no process, and a second stop does nothing', async () => {
  const server = await start();
  const pid = await postmaster();
  expect(isAlive(pid)).toBe(true);
  await server.stop();
  await server.stop();
  await until(() => !isAlive(pid));
});

test('the database is UTF-8, in UTC, and takes the settings given', async () => {
  const server = await start();
  const shown = await ask(
    server.url,
    `select current_database() as database, current_setting('server_encoding') as encoding, current_setting('timezone') as zone,
            current_setting('fsync') as fsync, current_setting('listen_addresses') as host`,
  );
  expect(shown).toEqual([
    { database: 'folio', encoding: 'UTF8', zone: 'UTC', fsync: 'off', host: '127.0.0.1' },
  ]);
  await server.stop();
});

test('two first starts at once share one cluster', async () => {
  const [one, two] = await Promise.all([start(), start()]);
  expect(one.url).toBe(two.url);
  const pid = await postmaster();
  await Promise.all([one.stop(), two.stop()]);
  await until(() => !isAlive(pid));
});

test('a second process adopts the server, which outlives the first stop', async () => {
  const server = await start();
  const pid = await postmaster();
  const other = await startElsewhere();
  expect(other.url).toBe(server.url);

  await server.stop();
  expect(await ask(other.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  other.child.stdin?.end();
  await once(other.child, 'exit');
  await until(() => !isAlive(pid));
});

test('after kill -9 of its owner the server is adopted, and then stopped', async () => {
  const owner = await startElsewhere();
  const pid = await postmaster();
  owner.child.kill('SIGKILL');
  await once(owner.child, 'exit');
  expect(isAlive(pid)).toBe(true);

  const server = await start();
  expect(server.url).toBe(owner.url);
  await server.stop();
  await until(() => !isAlive(pid));
});

test('a killed server comes back on the same port', async () => {
  const server = await start();
  await ask(server.url, 'create table kept as select 42 as answer');
  const pid = await postmaster();
  process.kill(pid, 'SIGKILL');
  await until(async () => (await postmaster()) !== pid && (await ask(server.url, 'select 1')).length === 1);
  expect(await ask(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  const revived = await postmaster();
  await server.stop();
  await until(() => !isAlive(revived));
});

test('a stop while a killed server comes back leaves no process', async () => {
  const server = await start();
  const pid = await postmaster();
  process.kill(pid, 'SIGKILL');
  await until(async () => (await postmaster()) !== pid);
  const revived = await postmaster();
  await server.stop();
  await until(() => !isAlive(revived));
});

test('the password is readable by its owner alone', async () => {
  const server = await start();
  const { mode, uid } = await stat(join(directory, 'password'));
  expect(mode & 0o777).toBe(0o600);
  expect(uid).toBe((await stat(join(directory, 'data'))).uid);
  await server.stop();
});

function start() {
  return startEmbeddedPostgres({ directory, database: 'folio', log: () => {}, settings: { fsync: 'off' } });
}

// The build, since it is another Node process; it stops when its standard input ends.
async function startElsewhere(): Promise<{ child: ChildProcess; url: string }> {
  const script = `
    const { startEmbeddedPostgres } = await import(process.argv[1]);
    const server = await startEmbeddedPostgres({ directory: process.argv[2], database: 'folio', log: () => {} });
    console.log(server.url);
    process.stdin.resume().on('end', () => server.stop());`;
  const built = new URL('../../dist/db/embedded.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, built, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const [url] = await once(child.stdout, 'data');
  return { child, url: String(url).trim() };
}

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function postmaster(): Promise<number> {
  return Number((await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

// A zombie is not alive: some first processes reap late.
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z/.test(process.platform === 'linux' ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '');
  } catch {
    return false;
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await Promise.resolve(condition()).catch(() => false))) {
    if (Date.now() > deadline) throw new Error('the awaited state did not come');
    await sleep(50);
  }
}
