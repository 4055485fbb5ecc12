import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerFilesRoute } from '../../src/http/files-route.js';
import { systemClock } from '../../src/kernel/clock.js';
import { makeDownloadSigner } from '../../src/storage/download-signature.js';
import { makeFilesystemStorage } from '../../src/storage/filesystem-storage.js';
import type { ObjectStorage } from '../../src/storage/object-storage.js';
import { describeObjectStorage, newKey, REFUSED_KEYS, STORAGE_ERROR } from './object-storage-suite.js';

const TTL_SECONDS = 60;
const signer = makeDownloadSigner({ current: 'a-download-secret-for-tests' });
const server = fastify();
let parent: string;
let directory: string;
let storage: ObjectStorage;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'folio-storage-'));
  directory = join(parent, 'invoices');
  storage = storageAt(directory);
  registerFilesRoute(server, { storage, signer, clock: systemClock });
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  await rm(parent, { recursive: true, force: true });
});

function storageAt(path: string): ObjectStorage {
  const publicUrl = 'https://folio.example';
  return makeFilesystemStorage({
    directory: path,
    publicUrl,
    ttlSeconds: TTL_SECONDS,
    signer,
    clock: systemClock,
  });
}

/** Names of all files below a directory. */
async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name));
}

describe('files under a directory', () => {
  describeObjectStorage({
    storage: () => storage,
    ttlSeconds: TTL_SECONDS,
    open: (url) => fetch(url.replace('https://folio.example', server.listeningOrigin)),
  });

  test('stand there under their keys, with nothing else beside them', async () => {
    const own = storageAt(join(parent, 'own'));
    const keys = [newKey(1), newKey(2)];
    for (const key of keys) await own.put(key, Buffer.from(key));
    await Promise.all(keys.map((key) => own.put(key, Buffer.from(`${key} again`))));
    expect((await filesBelow(join(parent, 'own'))).sort()).toEqual(
      keys.map((key) => join(parent, 'own', key)).sort(),
    );
  });

  test('are none of everybody’s business', async () => {
    const key = newKey();
    await storage.put(key, Buffer.from('x'));
    expect((await stat(join(directory, key))).mode & 0o007).toBe(0);
  });

  test('are made nowhere for a refused key', async () => {
    const before = await filesBelow(parent);
    for (const key of REFUSED_KEYS) {
      await expect(storage.put(key, Buffer.from('x'))).rejects.toMatchObject(STORAGE_ERROR);
    }
    expect(await filesBelow(parent)).toEqual(before);
  });

  test('are named in URLs of our own, with nothing secret in them', async () => {
    const key = newKey();
    const { url, expiresAt } = await storage.signDownload(key, { fileName: 'INV-2026-00000001.pdf' });
    const { origin, pathname, searchParams } = new URL(url);
    expect(`${origin}${pathname}`).toBe(`https://folio.example/files/${key}`);
    expect(Object.fromEntries(searchParams)).toEqual({
      name: 'INV-2026-00000001.pdf',
      expires: String(expiresAt.getTime() / 1000),
      signature: expect.stringMatching(/^[\w-]{43}$/),
    });
  });
});

// As root no file is read-only: these stand for a full, broken or wrongly mounted disk.
describe('a directory in which nothing can be kept', () => {
  test('because a file stands in its place: STORAGE_ERROR', async () => {
    const path = join(parent, 'a-file');
    await writeFile(path, 'in the way');
    const broken = storageAt(path);
    await expect(broken.put(newKey(), Buffer.from('x'))).rejects.toMatchObject(STORAGE_ERROR);
    await expect(broken.get(newKey())).rejects.toMatchObject(STORAGE_ERROR);
    expect(await filesBelow(parent)).toContain(path);
  });

  test('because a file stands where the invoice’s directory belongs: STORAGE_ERROR', async () => {
    const key = newKey();
    const folder = dirname(join(directory, key));
    await mkdir(dirname(folder), { recursive: true });
    await writeFile(folder, 'in the way');
    await expect(storage.put(key, Buffer.from('x'))).rejects.toMatchObject(STORAGE_ERROR);
    await expect(storage.get(key)).rejects.toMatchObject(STORAGE_ERROR);
  });

  test('because a directory stands in the file’s place: STORAGE_ERROR, and no temporary file is left', async () => {
    const key = newKey();
    const path = join(directory, key);
    await mkdir(join(path, 'in-the-way'), { recursive: true });
    await expect(storage.put(key, Buffer.from('x'))).rejects.toMatchObject(STORAGE_ERROR);
    await expect(storage.get(key)).rejects.toMatchObject(STORAGE_ERROR);
    expect(await readdir(dirname(path))).toEqual(['r1.pdf']);
  });
});

test('a put that breaks off leaves the object before it, and nothing half', async () => {
  const key = newKey();
  await storage.put(key, Buffer.from('the object before'));
  const noBytes = { byteLength: 3 } as unknown as Uint8Array;
  await expect(storage.put(key, noBytes)).rejects.toMatchObject(STORAGE_ERROR);
  expect(String(await storage.get(key))).toBe('the object before');
  expect(await readdir(dirname(join(directory, key)))).toEqual(['r1.pdf']);
});
