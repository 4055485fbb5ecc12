import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../src/kernel/free-port.js';
import { sender } from '../helpers/graphql-client.js';
import { useServiceProcesses, waitFor } from '../helpers/service-process.js';

const startService = useServiceProcesses();
let parent: string;
let dataDir: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'folio-start-'));
  // As in a clone that only its owner may enter.
  await chmod(parent, 0o700);
  dataDir = join(parent, 'data');
});
afterEach(async () => {
  const home = await realpath(join(dataDir, 'postgres'));
  await waitFor(async () => !(await postmaster()));
  await rm(home, { recursive: true, force: true });
  await rm(parent, { recursive: true, force: true });
});

/** The process id of this folder's PostgreSQL, if it runs. */
async function postmaster(): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n')[0]);
  try {
    if (pid) process.kill(pid, 0);
    return pid || undefined;
  } catch {
    return undefined;
  }
}

const start = async () => startService({ DATA_DIR: dataDir, PORT: String(await freePort()) });

/** Runs the command that the start printed, as a user would paste it. */
async function issue(url: string, output: string) {
  const token = /customer u_alice +(\S+)/.exec(output)?.[1];
  expect(token).toBeDefined();
  const { data, errors } = await sender(
    url,
    `Bearer ${token}`,
  )(
    `mutation { createInvoice(input: { orderId: "ORD-123", idempotencyKey: "k" }) { replayed invoice { invoiceNumber } } }`,
  );
  expect(errors).toBeUndefined();
  return data?.createInvoice;
}

test('Ctrl-C ends everything, and the next start finds the books as they were', async () => {
  const first = await start();
  const issued = await issue(first.url, first.output());
  expect(issued.replayed).toBe(false);
  const pid = await postmaster();
  expect(pid).toBeDefined();
  // To the whole group, as a terminal does it.
  process.kill(-(first.child.pid ?? 0), 'SIGINT');
  expect(await first.ended()).toBe(0);
  expect(await postmaster()).toBeUndefined();

  const second = await start();
  const again = await issue(second.url, second.output());
  expect(again).toEqual({ ...issued, replayed: true });
  second.child.kill('SIGTERM');
  expect(await second.ended()).toBe(0);
});

test('a client that never finishes its request holds up no stop', async () => {
  const service = await start();
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
  service.child.kill('SIGTERM');
  expect(await service.ended()).toBe(0);
});

test('Ctrl-C while it starts leaves nothing behind', async () => {
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(await freePort()) },
    stdio: 'ignore',
  });
  await waitFor(postmaster);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(await postmaster()).toBeUndefined();
});

test('after kill -9 the next start takes over the database that was left running', async () => {
  const first = await start();
  await issue(first.url, first.output());
  first.child.kill('SIGKILL');
  expect(await first.ended()).toBe('SIGKILL');
  expect(await postmaster()).toBeDefined();

  const second = await start();
  expect((await issue(second.url, second.output())).replayed).toBe(true);
  second.child.kill('SIGTERM');
  expect(await second.ended()).toBe(0);
});

test('two processes side by side share the database, and the last one stops it', async () => {
  const [first, second] = await Promise.all([start(), start()]);
  await issue(first.url, first.output());
  first.child.kill('SIGTERM');
  expect(await first.ended()).toBe(0);
  expect((await issue(second.url, second.output())).replayed).toBe(true);
  second.child.kill('SIGTERM');
  expect(await second.ended()).toBe(0);
});
