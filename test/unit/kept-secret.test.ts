import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

const RACES = 50;

/** Asks for one secret after the other as soon as its standard input ends. Node strips the types itself. */
const RACER = `
  import { readFileSync } from 'node:fs';
  const { keptSecret } = await import(process.env.MODULE);
  process.stdout.write('ready\\n');
  readFileSync(0);
  const secrets = [];
  for (let race = 0; race < ${RACES}; race += 1) secrets.push(keptSecret(process.env.DIRECTORY + '/secrets-' + race + '/jwt'));
  process.stdout.write(JSON.stringify(secrets));
`;

async function startRacer(): Promise<{ start: () => void; secrets: Promise<string[]> }> {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', RACER], {
    env: { MODULE: new URL('../../src/kernel/kept-secret.ts', import.meta.url).href, DIRECTORY: directory },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.startsWith('ready\n')) resolve();
    });
    child.once('exit', () => reject(new Error('A process ended before it was ready')));
  });
  const secrets = once(child, 'close').then(([code]) => {
    expect(code).toBe(0);
    return JSON.parse(output.slice('ready\n'.length)) as string[];
  });
  await ready;
  return { start: () => child.stdin.end(), secrets };
}

test('processes that ask at once all read the same one', async () => {
  const racers = await Promise.all([startRacer(), startRacer(), startRacer()]);
  for (const racer of racers) racer.start();
  const [first, ...others] = await Promise.all(racers.map(({ secrets }) => secrets));
  expect(new Set(first).size).toBe(RACES);
  for (const other of others) expect(other).toEqual(first);
  for (let race = 0; race < RACES; race += 1) {
    const folder = join(directory, `secrets-${race}`);
    expect(readdirSync(folder)).toEqual(['jwt']);
    expect(readFileSync(join(folder, 'jwt'), 'utf8')).toBe(first?.[race]);
  }
});
