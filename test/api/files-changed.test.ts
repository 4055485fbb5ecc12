import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeDownloadSigner } from '../../src/storage/download-signature.js';
import { CURRENT, expectNothingTold, FILE, FILE_NAME, useSignedFiles } from './signed-files.js';

const files = useSignedFiles();
// What a wrong check of a path would find.
beforeAll(() => writeFile(join(files.api.dataDir, 'secret.pdf'), FILE));

describe('nothing is opened by', () => {
  test('a URL with one character of it changed, wherever', async () => {
    const from = '/files/'.length;
    const opened: string[] = [];
    for (let at = from; at < files.path.length; at += 1) {
      for (const other of ['0', '9', 'a', 'Z', '_']
        .filter((character) => character !== files.path[at])
        .slice(0, 2)) {
        const changed = `${files.path.slice(0, at)}${other}${files.path.slice(at + 1)}`;
        const answer = await files.get(changed);
        if (![403, 404].includes(answer.status)) opened.push(`${answer.status} ${changed}`);
        expectNothingTold(answer);
      }
    }
    expect(opened).toEqual([]);
  });

  test('a URL with one character more or less, wherever', async () => {
    const opened: string[] = [];
    for (let at = '/files/'.length; at < files.path.length; at += 1) {
      for (const changed of [
        `${files.path.slice(0, at)}0${files.path.slice(at)}`,
        `${files.path.slice(0, at)}${files.path.slice(at + 1)}`,
      ]) {
        if (changed === files.path) continue;
        const answer = await files.get(changed);
        if (![403, 404].includes(answer.status)) opened.push(`${answer.status} ${changed}`);
      }
    }
    expect(opened).toEqual([]);
  });

  test.each([
    ['another length', (all: URLSearchParams) => all.set('signature', 'AAAA')],
    ['no length', (all: URLSearchParams) => all.set('signature', '')],
    ['a length of many', (all: URLSearchParams) => all.set('signature', 'A'.repeat(10_000))],
    ['characters of two bytes', (all: URLSearchParams) => all.set('signature', 'ż'.repeat(43))],
    ['padding', (all: URLSearchParams) => all.set('signature', `${all.get('signature')}=`)],
    ['another alphabet', (all: URLSearchParams) => all.set('signature', hex(all.get('signature')))],
    ['none', (all: URLSearchParams) => all.delete('signature')],
  ])('a signature of %s', async (_, change) => {
    const [file = '', query = ''] = files.path.split('?');
    const parameters = new URLSearchParams(query);
    change(parameters);
    const answer = await files.get(`${file}?${parameters}`);
    expect(answer.status).toBe(403);
    expectNothingTold(answer);
  });

  test.each([
    ['a parameter more', (file: string, query: string) => `${file}?${query}&x=1`],
    ['no parameters', (file: string) => file],
    ['two signatures', (file: string, query: string) => `${file}?${query}&signature=AAAA`],
    ['two times', (file: string, query: string) => `${file}?${query}&expires=99999999999`],
    ['two names', (file: string, query: string) => `${file}?${query}&name=x.pdf`],
    ['an empty second name', (file: string, query: string) => `${file}?${query}&name`],
    ['lists', (file: string, query: string) => `${file}?${query.replaceAll('=', '[]=')}`],
    ['no time', (file: string, query: string) => `${file}?${query.replace(/expires=\d+/, '')}`],
    [
      'a time in scientific notation',
      (file: string, query: string) => `${file}?${query.replace(/expires=\d+/, 'expires=2e9')}`,
    ],
    ['a negative time', (file: string, query: string) => `${file}?${query.replace('expires=', 'expires=-')}`],
    [
      'names of an object',
      (file: string, query: string) => `${file}?__proto__[signature]=x&${query.slice(5)}`,
    ],
    ['broken escapes', (file: string, query: string) => `${file}?${query}&name=%zz`],
    ['semicolons', (file: string, query: string) => `${file}?${query.replaceAll('&', ';')}`],
  ])('a query with %s', async (_, change) => {
    const [file = '', query = ''] = files.path.split('?');
    const answer = await files.get(change(file, query));
    expect(answer.status).toBe(403);
    expectNothingTold(answer);
  });
});

const hex = (signature: string | null) => Buffer.from(signature ?? '', 'base64url').toString('hex');

describe('no path leads out of the store', () => {
  const query = () => files.path.slice(files.path.indexOf('?'));

  test.each([
    '/files/',
    '/files',
    '/files/../secret.pdf',
    '/files/%2e%2e/secret.pdf',
    '/files/..%2fsecret.pdf',
    '/files/%2e%2e%2fsecret.pdf',
    '/files/..%5csecret.pdf',
    '/files/%252e%252e%252fsecret.pdf',
    '/files/....//secret.pdf',
    '/files/..;/secret.pdf',
    '/files/invoices/../../secret.pdf',
    '/files/invoices/2026/03/%2e%2e/%2e%2e/%2e%2e/secret.pdf',
    '/files//etc/passwd',
    '/files/%2fetc%2fpasswd',
    '/files/secret.pdf%00',
    '/files/%00',
    '/files/%c0%ae%c0%ae/secret.pdf',
    '/files/%u002e%u002e/secret.pdf',
    '/files/%',
    '/files/%zz',
    `/files/${'a'.repeat(5_000)}`,
  ])('%s', async (target) => {
    for (const all of [target, `${target}${query()}`]) {
      const answer = await files.get(all);
      expect([400, 403, 404, 414]).toContain(answer.status);
      expectNothingTold(answer);
    }
  });

  test('nor does the right key with dots, NUL or a suffix', async () => {
    const file = `/files/${files.key}`;
    const folder = file.slice(0, file.lastIndexOf('/'));
    const paths = [`${folder}/../${folder.slice(folder.lastIndexOf('/') + 1)}/r1.pdf`, `${folder}/./r1.pdf`];
    for (const changed of [
      ...paths,
      `${file}%00`,
      `${file}%0a`,
      `${file}/`,
      `${file}/x`,
      `/files//${files.key}`,
    ]) {
      const answer = await files.get(`${changed}${query()}`);
      expect([403, 404], changed).toContain(answer.status);
      expectNothingTold(answer);
    }
  });

  test('nor does a signature that we would have to have given for it', async () => {
    const signer = makeDownloadSigner({ current: CURRENT });
    const expires = Math.floor(Date.now() / 1000) + 60;
    for (const outside of ['../secret.pdf', 'secret.pdf', 'invoices/../../secret.pdf', '..%2fsecret.pdf']) {
      const signature = signer.sign({ key: outside, fileName: FILE_NAME, expires });
      const parameters = new URLSearchParams({ name: FILE_NAME, expires: String(expires), signature });
      const answer = await files.get(`/files/${outside}?${parameters}`);
      expect([403, 404], outside).toContain(answer.status);
      expectNothingTold(answer);
    }
  });
});
