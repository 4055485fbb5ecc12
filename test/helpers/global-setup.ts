import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/db/embedded.js';
import { migrate } from '../../src/db/migrate.js';
import { makeQueue } from '../../src/queue/boss.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the migrated template; a file's own database stands beside it. */
    templateUrl: string;
  }
}

/** One PostgreSQL for all test files, and in it one migrated database that each file clones. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parent = await mkdtemp(join(tmpdir(), 'folio-test-'));
  const directory = join(parent, 'postgres');
  const postgres = await startEmbeddedPostgres({
    directory,
    database: 'template_folio',
    log: () => undefined,
    // Nothing here has to outlive a power cut.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  await migrate({ url: postgres.url, directory: 'prisma/migrations' });
  const queue = makeQueue({ url: postgres.url, log: pino({ level: 'silent' }), maintain: false });
  await queue.start();
  await queue.stop(1_000);
  project.provide('templateUrl', postgres.url);
  return async () => {
    await postgres.stop();
    await rm(await realpath(directory), { recursive: true, force: true });
    await rm(parent, { recursive: true, force: true });
  };
}
