import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../kernel/free-port.js';
import { type Cluster, openCluster, superuser } from './embedded-cluster.js';

export interface EmbeddedPostgresOptions {
  /** Where the cluster is kept; made on the first start. */
  directory: string;
  /** Created when missing. */
  database: string;
  log: (message: string) => void;
  /** Server settings, used when this call is the one that starts the server. */
  settings?: Record<string, string | number>;
}

export interface EmbeddedPostgres {
  url: string;
  stop(): Promise<void>;
}

interface Presence {
  client: Client;
  port: number;
}

// Held shared by every process that uses the server; whoever gets it alone is the last one.
const presenceLock = 1;
const createDatabaseLock = 2;
const startSeconds = 60;

/**
 * PostgreSQL from npm, for machines without one. The server outlives the process that started it: the
 * next one adopts it, and the last one to stop stops it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { directory, database, log, settings = {} } = options;
  const cluster = await openCluster(directory);
  let stopped: Promise<void> | undefined;
  let rejoined: Promise<void> = Promise.resolve();
  let presence: Presence | undefined = await join(cluster, settings, log);
  const { port } = presence;
  await createDatabase(presence.client, database);
  watch(presence);

  function watch({ client }: Presence): void {
    client.once('end', () => {
      presence = undefined;
      if (!stopped) rejoined = rejoin();
    });
  }

  // The server crashed or was killed: up again on the same port, which our URL names.
  async function rejoin(): Promise<void> {
    log('the connection to the embedded PostgreSQL was lost');
    try {
      presence = await join(cluster, settings, log, port, () => stopped !== undefined);
      watch(presence);
    } catch (error) {
      log(`the embedded PostgreSQL is gone: ${String(error)}`);
    }
  }

  async function leave(): Promise<void> {
    await rejoined;
    if (!presence) return;
    const { client } = presence;
    if (await isLast(client).catch(() => false)) {
      // Well below the 10 s that a whole stop may take; what "immediate" leaves is recovered at next start.
      await cluster
        .pgCtl(['stop', '-m', 'fast', '-t', '5'], 7)
        .catch(() => cluster.pgCtl(['stop', '-m', 'immediate', '-t', '5'], 7));
    }
    await client.end().catch(() => {});
  }

  return {
    url: `postgresql://${superuser}:${cluster.password}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
    stop: () => (stopped ??= leave()),
  };
}

/** Adopts the running server, or starts one; PostgreSQL's own lock file decides between two starters. */
async function join(
  cluster: Cluster,
  settings: Record<string, string | number>,
  log: (message: string) => void,
  fixedPort?: number,
  isCancelled = () => false,
): Promise<Presence> {
  const deadline = Date.now() + startSeconds * 1000;
  for (let failures = 0; ; ) {
    const running = await postmasterPort(cluster);
    if (running) {
      const client = await enter(cluster, running).catch(() => undefined);
      if (client) return { client, port: running };
    }
    // Not sooner: a server that this very loop has started must be entered, or nobody would stop it.
    if (isCancelled()) throw new Error('stopping');
    try {
      const port = fixedPort ?? (await freePort());
      await cluster.pgCtl(startArguments(cluster, port, settings), startSeconds + 2);
      log(`the embedded PostgreSQL listens on port ${port}`);
    } catch (cause) {
      // Without a lock file nobody else is at it; a port taken meanwhile deserves another try.
      if (!(await postmasterPort(cluster))) failures += 1;
      if (failures === 3 || Date.now() > deadline) {
        const lines = await readFile(cluster.logFile, 'utf8').catch(() => '');
        throw new Error(`The embedded PostgreSQL does not start:\n${lines.slice(-2000)}`, { cause });
      }
      await dropLockOfZombie(cluster);
      await sleep(250);
    }
  }
}

function startArguments(cluster: Cluster, port: number, settings: Record<string, string | number>): string[] {
  const all = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '', // a socket's path may be too long, and root's server could not write it
    max_connections: 200, // several processes side by side, each with pools of its own
    timezone: 'UTC',
    ...settings,
  };
  const options = Object.entries(all).map(
    ([name, value]) => `-c ${name}='${String(value).replaceAll("'", `'\\''`)}'`,
  );
  return ['start', '-w', '-t', String(startSeconds), '-l', cluster.logFile, '-o', options.join(' ')];
}

async function postmasterPort(cluster: Cluster): Promise<number | undefined> {
  const lines = await readFile(`${cluster.data}/postmaster.pid`, 'utf8').catch(() => '');
  return Number(lines.split('\n')[3]) || undefined;
}

// A container's first process may never reap a killed postmaster, and to PostgreSQL it then seems alive.
// Sessions that outlive it are still guarded against: the next one finds their shared memory in use.
async function dropLockOfZombie({ data }: Cluster): Promise<void> {
  const lock = `${data}/postmaster.pid`;
  const pid = Number.parseInt(await readFile(lock, 'utf8').catch(() => ''), 10);
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  if (status.slice(status.lastIndexOf(')')).startsWith(') Z')) await rm(lock, { force: true });
}

/** Fails if the port is by now another server's, or if the server goes away while we wait for the lock. */
async function enter(cluster: Cluster, port: number): Promise<Client> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: superuser,
    password: cluster.password,
    database: 'postgres',
    application_name: 'folio presence',
    connectionTimeoutMillis: 5_000, // a stale file's port may belong to a program that never answers
    query_timeout: 20_000, // longer than a stop that is under way can take
  });
  client.on('error', () => {}); // 'end' follows, and is what counts
  try {
    await client.connect();
    const { rows } = await client.query("select current_setting('data_directory') as data");
    if (rows[0]?.data !== cluster.data) throw new Error('the server is of a copy of this cluster');
    await client.query('select pg_advisory_lock_shared($1)', [presenceLock]);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

async function isLast(client: Client): Promise<boolean> {
  await client.query('select pg_advisory_unlock_shared($1)', [presenceLock]);
  const { rows } = await client.query('select pg_try_advisory_lock($1) as last', [presenceLock]);
  return rows[0]?.last === true;
}

async function createDatabase(client: Client, database: string): Promise<void> {
  // One at a time: two concurrent CREATE DATABASE disturb each other on their common template.
  await client.query('select pg_advisory_lock($1)', [createDatabaseLock]);
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
  if (!rowCount) await client.query(`create database ${client.escapeIdentifier(database)}`);
  await client.query('select pg_advisory_unlock($1)', [createDatabaseLock]);
}
