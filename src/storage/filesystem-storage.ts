import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../kernel/clock.js';
import { AppError } from '../kernel/errors.js';
import type { DownloadSigner } from './download-signature.js';
import { isPdfObjectKey } from './object-key.js';
import type { ObjectStorage } from './object-storage.js';

export interface FilesystemStorageOptions {
  directory: string;
  /** Where the files route is reached from outside. */
  publicUrl: string;
  ttlSeconds: number;
  signer: DownloadSigner;
  clock: Clock;
}

/** Objects as files under one directory, opened through URLs that `files-route` serves. */
export function makeFilesystemStorage(options: FilesystemStorageOptions): ObjectStorage {
  const { directory, publicUrl, ttlSeconds, signer, clock } = options;

  function pathOf(key: string): string {
    if (!isPdfObjectKey(key)) throw storageError(new Error('not a key of ours'));
    return join(directory, key);
  }

  return {
    async put(key, bytes) {
      const path = pathOf(key);
      try {
        await writeWhole(path, bytes);
      } catch (cause) {
        throw storageError(cause);
      }
    },

    async get(key) {
      try {
        return await readFile(pathOf(key));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw storageError(cause);
      }
    },

    async size(key) {
      try {
        return (await stat(pathOf(key))).size;
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw storageError(cause);
      }
    },

    async signDownload(key, { fileName }) {
      const expires = Math.floor(clock.now().getTime() / 1000) + ttlSeconds;
      const query = new URLSearchParams({
        name: fileName,
        expires: String(expires),
        signature: signer.sign({ key, fileName, expires }),
      });
      return { url: `${publicUrl}/files/${key}?${query}`, expiresAt: new Date(expires * 1000) };
    },
  };
}

/**
 * Under a temporary name first, synced, then renamed: a reader sees all of it or nothing, and a power
 * cut after we said "stored" takes nothing back. The directory is synced too, since the name lives there.
 */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const temporary = `${path}.${randomUUID()}.tmp`;
  await makeFolder(folder);
  try {
    const file = await open(temporary, 'wx', 0o640);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** A new folder's name lives in its parent, so that one is synced too, up to the first that was there. */
async function makeFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true });
  if (firstMade === undefined) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made))
    await syncFolder(dirname(made));
}

async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function storageError(cause: unknown): AppError {
  return new AppError('STORAGE_ERROR', 'The object store did not answer as it should', {}, { cause });
}
