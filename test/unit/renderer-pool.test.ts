import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { InvoiceDocument } from '../../src/pdf/document/invoice-document.js';
import {
  makeRendererPool,
  type RendererPoolOptions,
  RenderFailed,
  RenderTimeout,
} from '../../src/pdf/renderer.js';

/** Does what the invoice's number says, in place of the document. */
const ODD_RENDERER = `
export async function render({ document, started }) {
  started.postMessage(null);
  switch (document.invoiceNumber) {
    case 'hang': for (;;);
    case 'wait': await new Promise(() => setInterval(() => {}, 1000));
    case 'throw': throw new Error('no memory');
    case 'refuse': return { refusal: new Error('no such font') };
    case 'exit': process.exit(3);
    case 'late': setTimeout(() => { throw new Error('out of the blue'); }); await new Promise(() => {});
    case 'memory': { const kept = []; for (;;) kept.push(new Array(100_000).fill(kept.length)); }
    case 'pause': Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  }
  return { bytes: new TextEncoder().encode(document.invoiceNumber) };
}`;

let folder: string;
let pool: ReturnType<typeof makeRendererPool> | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderer-pool-'));
  await writeFile(join(folder, 'odd.mjs'), ODD_RENDERER);
  await writeFile(join(folder, 'broken.mjs'), "throw new Error('does not load');");
});
afterEach(async () => {
  await pool?.close();
  pool = undefined;
});
afterAll(() => rm(folder, { recursive: true }));

function open(options: Partial<RendererPoolOptions> = {}): (invoiceNumber: string) => Promise<string> {
  pool = makeRendererPool({
    threads: 1,
    timeoutMs: 20_000,
    memoryMb: 64,
    workerFile: join(folder, 'odd.mjs'),
    ...options,
  });
  const { render } = pool;
  return async (invoiceNumber) =>
    new TextDecoder().decode(await render({ invoiceNumber } as InvoiceDocument));
}

test('documents come back to their own callers, more of them than threads', async () => {
  const render = open({ threads: 2 });
  const numbers = Array.from({ length: 20 }, (_, index) => `INV-${index}`);
  expect(await Promise.all(numbers.map(render))).toEqual(numbers);
});

test.each(['hang', 'wait'])('%s: RenderTimeout, and the next document renders', async (kind) => {
  const render = open({ timeoutMs: 200 });
  const hung = render(kind);
  const next = render('INV-2');
  await expect(hung).rejects.toBeInstanceOf(RenderTimeout);
  await expect(hung).rejects.toMatchObject({ code: 'RENDER_TIMEOUT' });
  expect(await next).toBe('INV-2');
});

test.each(['throw', 'exit', 'late', 'memory'])(
  '%s: RenderFailed, and the next document renders',
  async (kind) => {
    const render = open();
    const failed = render(kind);
    const next = render('INV-2');
    await expect(failed).rejects.toBeInstanceOf(RenderFailed);
    await expect(failed).rejects.toMatchObject({ code: 'RENDER_FAILED', cause: expect.any(Error) });
    expect(await next).toBe('INV-2');
  },
);

test.each([
  ['refuse', true],
  ['throw', false],
  ['exit', false],
  ['memory', false],
])('%s: whether the same document will fail again is said: %s', async (kind, permanent) => {
  await expect(open()(kind)).rejects.toMatchObject({ code: 'RENDER_FAILED', permanent });
});

test('one that hangs does not touch the document in the other thread', async () => {
  const render = open({ threads: 2, timeoutMs: 1_500 });
  const hung = render('hang');
  const others = ['INV-1', 'pause', 'INV-3', 'pause', 'INV-5'];
  expect(await Promise.all(others.map(render))).toEqual(others);
  await expect(hung).rejects.toBeInstanceOf(RenderTimeout);
});

test('the limit does not count the wait for a thread', async () => {
  const render = open({ timeoutMs: 1_200 });
  // Six times 300 ms in one thread: the last waits longer than the limit before its turn comes.
  const numbers = Array.from({ length: 6 }, () => 'pause');
  expect(await Promise.all(numbers.map(render))).toEqual(numbers);
});

test('threads that cannot even load fail each document instead of leaving it waiting', async () => {
  const render = open({ workerFile: join(folder, 'broken.mjs') });
  for (const number of ['INV-1', 'INV-2', 'INV-3'])
    await expect(render(number)).rejects.toBeInstanceOf(RenderFailed);
});

test('close ends at once: what runs, what waits and what comes later fails', async () => {
  const render = open();
  await render('INV-1');
  const [running, waiting] = [render('hang'), render('INV-2')].map((rendering) =>
    rendering.catch((error) => error),
  );
  await pool?.close();
  expect(await running).toBeInstanceOf(RenderFailed);
  expect(await waiting).toBeInstanceOf(RenderFailed);
  await expect(render('INV-3')).rejects.toBeInstanceOf(RenderFailed);
});
