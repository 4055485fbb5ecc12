import { expect, test } from 'vitest';
import { inTime } from '../../src/storage/in-time.js';
import type { ObjectStorage } from '../../src/storage/object-storage.js';

const KEY = 'invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/r1.pdf';

const never = () => new Promise<never>(() => undefined);
const silent: ObjectStorage = { put: never, get: never, size: never, signDownload: never };

const ways: [string, (storage: ObjectStorage) => Promise<unknown>][] = [
  ['put', (storage) => storage.put(KEY, new Uint8Array(1))],
  ['get', (storage) => storage.get(KEY)],
  ['size', (storage) => storage.size(KEY)],
  ['signDownload', (storage) => storage.signDownload(KEY, { fileName: 'x.pdf' })],
];

test.each(ways)('%s of a store that never answers is a STORAGE_ERROR', async (_, ask) => {
  await expect(ask(inTime(silent, 20))).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
});

test.each(ways)('%s answers as the store does', async (_, ask) => {
  const refusal = new Error('the store’s own');
  const refuse = () => Promise.reject(refusal);
  await expect(ask(inTime({ put: refuse, get: refuse, size: refuse, signDownload: refuse }))).rejects.toBe(
    refusal,
  );
});
