import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { InvoiceDocument } from './document/invoice-document.js';
import type { Rendered, RenderTask } from './document/render-worker.js';

/** Turns a frozen invoice into the bytes of its PDF. Fails with RenderFailed or RenderTimeout only. */
export interface Renderer {
  render(document: InvoiceDocument): Promise<Uint8Array>;
}

/** The document could not be rendered; `cause` has the reason where there is one. */
export class RenderFailed extends Error {
  readonly code = 'RENDER_FAILED';
  override readonly name = 'RenderFailed';
  /** The document itself was refused: the same document will be refused again. */
  readonly permanent: boolean;

  constructor(message: string, { permanent = false, cause }: { permanent?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.permanent = permanent;
  }
}

/** The document took longer than its limit; its thread was ended. */
export class RenderTimeout extends Error {
  readonly code = 'RENDER_TIMEOUT';
  override readonly name = 'RenderTimeout';
}

export interface RendererPoolOptions {
  /** Documents rendered at once; each thread holds about 40 MB of fonts besides its heap. */
  threads: number;
  /** Limit for one document, in milliseconds from when a thread begins with it. */
  timeoutMs: number;
  /** Limit of each thread's JavaScript heap, in MiB. */
  memoryMb: number;
  /** Module that exports `render(task: RenderTask)`; by default the one beside this file. */
  workerFile?: string;
}

/**
 * A thread needs about a second to load React-PDF and the fonts, several on a busy machine. One that
 * has not begun by now never will, and the caller's lease should not run out over it.
 */
const START_LIMIT_MS = 60_000;

/**
 * A renderer that works in threads of its own, since React-PDF blocks whatever thread it runs on. A
 * document that hangs, crashes or eats its memory costs its own thread, which is replaced.
 *
 * Threads start here, not with the first document, which then need not wait for them: so call this
 * only in a process that has rendering to do. Idle threads do not keep the process alive.
 */
export function makeRendererPool(options: RendererPoolOptions): Renderer & { close(): Promise<void> } {
  const { threads, timeoutMs, memoryMb } = options;
  const workerFile =
    options.workerFile ?? fileURLToPath(new URL('./document/render-worker.js', import.meta.url));
  const pool = new Piscina<RenderTask, Rendered>({
    filename: workerFile,
    name: 'render',
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    // A thread needs none of the process's secrets; and without this React loads its slow development build.
    env: { NODE_ENV: 'production' },
  });
  const lane = makeLane(threads);
  const unstarted = new Set<AbortController>();

  // A thread that dies before it is ready reports here and nowhere else: Piscina would leave the task
  // it was started for waiting for ever.
  pool.on('error', (cause: unknown) => {
    if (pool.threads.length >= lane.running()) return;
    for (const controller of unstarted)
      controller.abort(new RenderFailed('A rendering thread did not start', { cause }));
  });

  async function renderInThread(document: InvoiceDocument): Promise<Uint8Array> {
    const { port1, port2 } = new MessageChannel();
    const controller = new AbortController();
    unstarted.add(controller);
    const startTimer = setTimeout(() => {
      controller.abort(new RenderFailed(`No rendering thread began within ${START_LIMIT_MS} ms`));
    }, START_LIMIT_MS);
    let timer: NodeJS.Timeout | undefined;
    port1.once('message', () => {
      unstarted.delete(controller);
      clearTimeout(startTimer);
      timer = setTimeout(() => {
        controller.abort(new RenderTimeout(`${document.invoiceNumber} took longer than ${timeoutMs} ms`));
      }, timeoutMs);
    });
    try {
      const { signal } = controller;
      const rendered = await pool.run({ document, started: port2 }, { transferList: [port2], signal });
      if ('bytes' in rendered) return rendered.bytes;
      const cause = rendered.refusal;
      throw new RenderFailed(`${document.invoiceNumber} cannot be rendered`, { permanent: true, cause });
    } catch (cause) {
      if (cause instanceof RenderFailed) throw cause;
      // Aborting ends the thread the task runs on, and no other.
      if (controller.signal.aborted) throw controller.signal.reason;
      throw new RenderFailed(`${document.invoiceNumber} could not be rendered`, { cause });
    } finally {
      unstarted.delete(controller);
      clearTimeout(startTimer);
      clearTimeout(timer);
      port1.close();
    }
  }

  return {
    // Piscina never holds more tasks than threads: the others wait here, where neither a thread's
    // death nor a time limit can touch them.
    render: (document) => lane.run(() => renderInThread(document)),
    /** Ends at once: documents that are still rendered fail, since whoever asked no longer waits. */
    close: async () => {
      lane.close(() => new RenderFailed('The renderer is closed'));
      await pool.destroy();
    },
  };
}

/** Runs up to `width` jobs at a time and the rest in the order in which they came. */
function makeLane(width: number) {
  const waiting: { start: () => void; refuse: (reason: Error) => void }[] = [];
  let running = 0;
  let refusal: (() => Error) | undefined;

  async function run<T>(job: () => Promise<T>): Promise<T> {
    if (refusal) throw refusal();
    if (running < width) running += 1;
    // A place is handed on without being given up, so nobody can slip in between.
    else await new Promise<void>((start, refuse) => waiting.push({ start, refuse }));
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next.start();
      else running -= 1;
    }
  }

  return {
    run,
    running: () => running,
    close: (reason: () => Error): void => {
      refusal = reason;
      for (const { refuse } of waiting.splice(0)) refuse(reason());
    },
  };
}
