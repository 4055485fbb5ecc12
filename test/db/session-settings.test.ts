import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db, makeDb } from '../../src/db/client.js';
import { useDatabase } from '../helpers/database.js';

const database = useDatabase();
let db: Db;

// An operator's defaults for the database, and options of their own in the URL.
beforeAll(async () => {
  const name = new URL(database.url).pathname.slice(1);
  await database.sql.query(`
    ALTER DATABASE ${name} SET timezone = 'Asia/Tokyo';
    ALTER DATABASE ${name} SET lock_timeout = '3ms';
    ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
  const url = new URL(database.url);
  url.searchParams.set('options', '-c work_mem=5MB -c timezone=Europe/Paris');
  db = makeDb({ url: url.href, poolSize: 1, applicationName: 'folio test' });
});
afterAll(() => db.$disconnect());

test('what our statements rest on holds in our sessions, whatever the database and the URL say', async () => {
  const settings = await db.$queryRaw`
    SELECT current_setting('timezone') AS timezone, current_setting('lock_timeout') AS lock_timeout,
      current_setting('transaction_isolation') AS isolation, current_setting('enable_seqscan') AS seqscan,
      current_setting('jit') AS jit, current_setting('work_mem') AS work_mem`;
  expect(settings).toEqual([
    {
      timezone: 'UTC',
      lock_timeout: '0',
      isolation: 'read committed',
      seqscan: 'off',
      jit: 'off',
      work_mem: '5MB',
    },
  ]);
});
