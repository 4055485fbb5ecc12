import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  expectNothingTold,
  FILE,
  FILE_NAME,
  newKey,
  RETIRED,
  TTL_SECONDS,
  useSignedFiles,
} from './signed-files.js';

const files = useSignedFiles();

describe('a signed URL', () => {
  test('opens the file as a download of the invoice’s number', async () => {
    const { status, headers, body } = await files.get(files.path);
    expect(status).toBe(200);
    expect(body).toBe(FILE);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename=${FILE_NAME}`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-length': String(FILE.length),
    });
  });

  test('answers HEAD with the same headers and nothing else', async () => {
    const [full, head] = await Promise.all([files.get(files.path), files.get(files.path, 'HEAD')]);
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    const names = ['content-type', 'content-disposition', 'content-length', 'cache-control'] as const;
    for (const name of [...names, 'x-content-type-options'] as const) {
      expect(head.headers[name]).toBe(full.headers[name]);
    }
  });

  test('opens it as often as one likes', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => files.get(files.path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  test('of a secret that was rotated lives out its time', async () => {
    expect((await files.get(await files.signedPath(files.key, { secret: RETIRED }))).status).toBe(200);
    expect(
      (await files.get(await files.signedPath(files.key, { secret: 'a-secret-that-never-was-one-of-ours' })))
        .status,
    ).toBe(403);
  });

  test('may name the file in any script, with an ASCII name beside it', async () => {
    const { url } = await files
      .storageWith()
      .signDownload(files.key, { fileName: 'Rechnung „Żółw“ 東京\r\nX: y.pdf' });
    const { status, headers } = await files.get(url.slice(files.api.url.length));
    expect(status).toBe(200);
    expect(headers.x).toBeUndefined();
    expect(headers['content-disposition']).toMatch(
      /^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''/,
    );
  });

  test('of a file that is not there is 404', async () => {
    const answer = await files.get(await files.signedPath(newKey()));
    expect(answer.status).toBe(404);
    expectNothingTold(answer);
  });

  test('of a file that cannot be read is STORAGE_ERROR, and tells no path', async () => {
    const broken = newKey();
    await mkdir(join(files.api.dataDir, 'invoices', broken), { recursive: true });
    const answer = await files.get(await files.signedPath(broken));
    expect(answer.status).toBe(503);
    expectNothingTold(answer);
  });
});

test('nothing is read for a URL that is refused', async () => {
  // A directory stands where the file would: whoever reads there fails with 503, as above.
  const unreadable = newKey();
  await mkdir(join(files.api.dataDir, 'invoices', unreadable), { recursive: true });
  const right = await files.signedPath(unreadable);
  expect((await files.get(right)).status).toBe(503);
  const expired = await files.signedPath(unreadable, { at: new Date(0) });
  for (const refused of [
    expired,
    right.slice(0, -1),
    right.replace('name=INV', 'name=inv'),
    right.split('?')[0],
  ]) {
    expect((await files.get(refused ?? '')).status).toBe(403);
  }
});

describe('nothing is opened by', () => {
  test('a URL that has expired, to the second', async () => {
    const now = Date.now();
    const ago = (seconds: number) => ({ at: new Date(now - seconds * 1000) });
    for (const seconds of [TTL_SECONDS, TTL_SECONDS + 1, 10 * 365 * 86_400]) {
      const answer = await files.get(await files.signedPath(files.key, ago(seconds)));
      expect(answer.status).toBe(403);
      expectNothingTold(answer);
    }
    expect((await files.get(await files.signedPath(files.key, ago(TTL_SECONDS - 60)))).status).toBe(200);
  });

  test('an expired URL whose time was moved', async () => {
    const old = await files.signedPath(files.key, { at: new Date(0) });
    const later = old.replace(/expires=\d+/, `expires=${Math.floor(Date.now() / 1000) + 60}`);
    expect((await files.get(later)).status).toBe(403);
  });

  test('another method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'COPY']) {
      const answer = await files.get(files.path, method);
      expect([404, 405], method).toContain(answer.status);
      expectNothingTold(answer);
    }
    const { status, headers } = await files.get(files.path, 'DELETE');
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
    expect((await files.get(files.path)).status).toBe(200);
  });
});
