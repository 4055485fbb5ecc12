import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { AppError } from '../../src/kernel/errors.js';
import { pdfObjectKey } from '../../src/storage/object-key.js';
import type { ObjectStorage } from '../../src/storage/object-storage.js';

export interface StorageUnderTest {
  /** Asked for in each test: what it needs may only exist once the tests run. */
  storage(): ObjectStorage;
  /** Opens a signed URL, as whoever has it would. */
  open(url: string): Promise<Response>;
  ttlSeconds: number;
}

export const newKey = (revision = 1) => pdfObjectKey({ id: randomUUID(), issueDate: '2026-03-31' }, revision);

export const STORAGE_ERROR = {
  code: 'STORAGE_ERROR',
  status: 503,
  message: expect.not.stringMatching(/[/\\]|E[A-Z]{4,}|</),
  details: {},
};

/** Such as a mistake or an attack would make: none names an object of ours. */
export const REFUSED_KEYS = [
  '',
  '.',
  '..',
  '/',
  'x',
  '../x',
  '/etc/passwd',
  'invoices',
  'invoices/',
  'invoices/../../etc/passwd',
  'invoices/2026/03/../../../x/r1.pdf',
  'invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/../r1.pdf',
  'invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/r1.pdf/../../x',
  'invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/r1.pdf\0',
  'invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/r1.pdf\n',
  'invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/r1.pdf.tmp',
  'invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/r.pdf',
  'invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/r-1.pdf',
  'invoices\\2026\\03\\inv_01jfhta3rye9xx9w000j6hcy5b\\r1.pdf',
  'invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b',
  'invoices/26/3/inv_01jfhta3rye9xx9w000j6hcy5b/r1.pdf',
  'INVOICES/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/r1.pdf',
  '/invoices/2026/03/inv_01jfhta3rye9xx9w000j6hcy5b/r1.pdf',
  'invoices/2026/03/inv_%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e/r1.pdf',
];

/** What every object store of ours does, whatever it is made of. */
export function describeObjectStorage({ storage, open, ttlSeconds }: StorageUnderTest): void {
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const read = async (key: string) => {
    const bytes = await storage().get(key);
    return bytes && Buffer.from(bytes).toString();
  };

  test('what was put is got, byte by byte', async () => {
    const key = newKey();
    const every = Uint8Array.from({ length: 65_536 }, (_, index) => index % 256);
    await storage().put(key, every);
    const got = await storage().get(key);
    expect(Buffer.compare(Buffer.from(got ?? []), every)).toBe(0);
  });

  test('an object of several megabytes is kept whole', async () => {
    const key = newKey();
    const large = Buffer.alloc(6 * 1024 * 1024, 'folio');
    await storage().put(key, large);
    expect(Buffer.compare(Buffer.from((await storage().get(key)) ?? []), large)).toBe(0);
  });

  test('an object of no bytes is an object', async () => {
    const key = newKey();
    await storage().put(key, new Uint8Array());
    expect((await storage().get(key))?.byteLength).toBe(0);
  });

  test('a slice of a larger buffer is put as the slice that it is', async () => {
    const key = newKey();
    await storage().put(key, bytesOf('0123456789').subarray(2, 5));
    expect(await read(key)).toBe('234');
  });

  test('a key that holds nothing is undefined', async () => {
    expect(await storage().get(newKey())).toBeUndefined();
  });

  test('keys do not touch each other', async () => {
    const [one, two] = [newKey(1), newKey(1)];
    const next = one.replace('/r1.pdf', '/r2.pdf');
    await storage().put(one, bytesOf('one'));
    await storage().put(next, bytesOf('next'));
    expect(await read(one)).toBe('one');
    expect(await read(next)).toBe('next');
    expect(await read(two)).toBeUndefined();
  });

  test('putting again replaces the whole object', async () => {
    const key = newKey();
    await storage().put(key, bytesOf('a long first version'));
    await storage().put(key, bytesOf('short'));
    expect(await read(key)).toBe('short');
  });

  test('puts of one key at once leave one of them whole, and a reader never sees half of one', async () => {
    const key = newKey();
    const versions = Array.from({ length: 8 }, (_, index) => Buffer.alloc(300_000, String(index)));
    await storage().put(key, versions[0] ?? Buffer.alloc(0));
    const wholes = new Set(versions.map(String));
    const puts = Promise.all(versions.map((bytes) => storage().put(key, bytes)));
    for (let look = 0; look < 30; look += 1) expect(wholes.has((await read(key)) ?? '')).toBe(true);
    await puts;
    expect(wholes.has((await read(key)) ?? '')).toBe(true);
  });

  test.each(REFUSED_KEYS)('the key %j is refused', async (key) => {
    await expect(storage().put(key, bytesOf('x'))).rejects.toMatchObject(STORAGE_ERROR);
    await expect(storage().put(key, bytesOf('x'))).rejects.toBeInstanceOf(AppError);
    await expect(storage().get(key)).rejects.toMatchObject(STORAGE_ERROR);
  });

  test('a signed URL opens the object as a download, and says when it ends', async () => {
    const key = newKey();
    await storage().put(key, bytesOf('%PDF-'));
    const earliest = Math.floor(Date.now() / 1000) + ttlSeconds;
    const { url, expiresAt } = await storage().signDownload(key, { fileName: 'INV-2026-00000001.pdf' });
    const latest = Math.ceil(Date.now() / 1000) + ttlSeconds;
    expect(expiresAt.getTime() / 1000).toBeGreaterThanOrEqual(earliest);
    expect(expiresAt.getTime() / 1000).toBeLessThanOrEqual(latest);
    const response = await open(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="?INV-2026-00000001\.pdf"?$/,
    );
    expect(await response.text()).toBe('%PDF-');
  });

  test('a signed URL with another key, or without its signature, opens nothing', async () => {
    const [key, other] = [newKey(), newKey()];
    await storage().put(key, bytesOf('mine'));
    await storage().put(other, bytesOf('theirs'));
    const { url } = await storage().signDownload(key, { fileName: 'INV-2026-00000001.pdf' });
    const id = (from: string) => from.split('/')[3] ?? '';
    for (const changed of [url.replace(id(key), id(other)), url.slice(0, url.indexOf('?'))]) {
      const response = await open(changed);
      expect(response.status).toBe(403);
      expect(await response.text()).not.toMatch(/mine|theirs/);
    }
  });
}
