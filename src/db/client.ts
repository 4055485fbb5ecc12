import type { Socket } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from './generated/client.js';

export { Prisma } from './generated/client.js';

/** The database, outside any transaction. */
export type Db = PrismaClient;

/** A transaction of the caller's. Functions that join one take it first. */
export type Tx = Prisma.TransactionClient;

export interface DbOptions {
  url: string;
  /** Connections of this process. */
  poolSize: number;
  /** Shown in pg_stat_activity, so that an operator sees whose session holds a lock. */
  applicationName: string;
}

/** Longer than any statement of ours takes when healthy, shorter than a request may take. */
const STATEMENT_TIMEOUT_MS = 4_000;

/** pg waits for ever for a free connection unless told otherwise. */
const CONNECTION_TIMEOUT_MS = 2_000;

/**
 * A process that was stopped (SIGSTOP, a frozen VM) keeps its session and row locks. The server ends
 * such a session sooner than the statements of others give up: they wait for the counter, and get it.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 2_500;

/** Waiting for a connection, and holding one, in one interactive transaction. */
const TRANSACTION_WAIT_MS = 2_000;
const TRANSACTION_TIMEOUT_MS = 4_500;

/** Whatever the database or the role has for a default. */
const SESSION_SETTINGS = [
  // Prisma's adapter takes the digits of a timestamptz for UTC whatever the session's zone is.
  'timezone=UTC',
  // Other limits end a wait, and each knows why.
  'lock_timeout=0',
  // Issuing rests on it: a statement that waited for the counter is followed by one that sees more.
  'default_transaction_isolation=read\\ committed',
  // A plan that is kept, here or in a trigger, was made while the tables were small. Reading a whole table was
  // right then; nothing would tell that it no longer is.
  'enable_seqscan=off',
  // Short statements all: to compile one takes longer than to run it.
  'jit=off',
];

/**
 * A statement that begins with such a comment is parsed once per connection, and after five executions
 * PostgreSQL may keep its plan.
 */
const PREPARED = /^\s*-- prepared: (\w+)\n/;

const preparedName = ({ sql }: { sql: string }): string => PREPARED.exec(sql)?.[1] ?? '';

/** An operator's own options in the URL come first, and ours hold: pg would take the URL's alone. */
function withSessionSettings(url: string): { connectionString: string; options: string } {
  const target = new URL(url);
  const own = SESSION_SETTINGS.map((setting) => `-c ${setting}`);
  const options = [...target.searchParams.getAll('options'), ...own].join(' ');
  target.searchParams.delete('options');
  return { connectionString: target.href, options };
}

/**
 * Ends a connection whose server did not answer in time. pg leaves it open, and to roll back on it would wait
 * for as long again, with every create of this process behind it.
 */
function dropWhenSilent(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const watched = (...args: unknown[]): unknown => {
    const result = query(...args);
    if (result instanceof Promise) {
      result.catch((error: Error) => {
        if (error.message === 'Query read timeout') stream.destroy();
      });
    }
    return result;
  };
  client.query = watched as typeof client.query;
}

export function makeDb({ url, poolSize, applicationName }: DbOptions): Db {
  const { connectionString, options } = withSessionSettings(url);
  const pool = new pg.Pool({
    connectionString,
    max: poolSize,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // The client's own clock beside the server's: it also ends when the server does not answer at all.
    query_timeout: STATEMENT_TIMEOUT_MS + 500,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    application_name: applicationName,
    options,
  });
  pool.on('connect', dropWhenSilent);
  const adapter = new PrismaPg(pool, {
    statementNameGenerator: preparedName,
    disposeExternalPool: true,
  });
  return new PrismaClient({
    adapter,
    transactionOptions: { maxWait: TRANSACTION_WAIT_MS, timeout: TRANSACTION_TIMEOUT_MS },
    // Errors are logged once, where they are answered.
    log: [],
    errorFormat: 'minimal',
  });
}
