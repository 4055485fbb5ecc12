import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { makeDownloadSigner } from '../../src/storage/download-signature.js';
import { makeFilesystemStorage } from '../../src/storage/filesystem-storage.js';
import { pdfObjectKey } from '../../src/storage/object-key.js';
import type { ObjectStorage } from '../../src/storage/object-storage.js';
import { type TestApi, useApi } from '../helpers/api.js';
import { useDatabase } from '../helpers/database.js';
import { type RawAnswer, rawRequest } from './raw-request.js';

export const CURRENT = 'a-download-secret-for-tests-now';
export const RETIRED = 'a-download-secret-for-tests-before';
export const TTL_SECONDS = 900;
export const FILE = '%PDF-1.7 what the customer was charged';
export const FILE_NAME = 'INV-2026-00000001.pdf';

interface Signing {
  secret?: string;
  /** When it is signed. */
  at?: Date;
}

export interface SignedFiles {
  api: TestApi;
  /** Of a file that is there. */
  key: string;
  /** Path and query of a URL that opens it. */
  path: string;
  get(path: string, method?: string): Promise<RawAnswer>;
  /** The store of the running API, with a clock or a secret of the test's own. */
  storageWith(signing?: Signing): ObjectStorage;
  signedPath(key: string, signing?: Signing): Promise<string>;
}

export const newKey = () => pdfObjectKey({ id: randomUUID(), issueDate: '2026-03-31' }, 1);

/** A running API that holds one file. */
export function useSignedFiles(): SignedFiles {
  const database = useDatabase();
  const api = useApi(() => ({
    DATABASE_URL: database.url,
    DOWNLOAD_URL_SECRET: CURRENT,
    DOWNLOAD_URL_SECRET_PREVIOUS: RETIRED,
  }));
  const files: SignedFiles = {
    api,
    key: '',
    path: '',
    get: (path, method = 'GET') => rawRequest(api.url, path, { method }),
    storageWith: ({ secret = CURRENT, at = new Date() } = {}) =>
      makeFilesystemStorage({
        directory: join(api.dataDir, 'invoices'),
        publicUrl: api.url,
        ttlSeconds: TTL_SECONDS,
        signer: makeDownloadSigner({ current: secret }),
        clock: { now: () => at },
      }),
    async signedPath(key, signing) {
      const { url } = await files.storageWith(signing).signDownload(key, { fileName: FILE_NAME });
      return url.slice(api.url.length);
    },
  };
  beforeAll(async () => {
    files.key = newKey();
    await files.storageWith().put(files.key, Buffer.from(FILE));
    files.path = await files.signedPath(files.key);
  });
  return files;
}

/** Neither bytes of a file nor a word on what went wrong inside. */
export function expectNothingTold({ headers, body }: RawAnswer): void {
  expect(body).not.toContain(FILE.slice(0, 8));
  expect(body).not.toMatch(/ENOENT|EISDIR|node_modules|\.ts|\/tmp|at \w+/);
  expect(headers['content-disposition']).toBeUndefined();
}
