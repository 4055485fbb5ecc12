import type { Log } from './log.js';

export interface Loop {
  /** Resolves when the pass under way, if any, is over. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  name: string;
  everyMs: number;
  /** One pass. True means that more is waiting: the next pass follows at once. */
  runOnce: () => Promise<boolean>;
  log: Log;
}

/** A timer around a pass. A pass that throws is logged, and the next comes at its usual time. */
export function startLoop({ name, everyMs, runOnce, log }: LoopOptions): Loop {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    let more = false;
    try {
      more = await runOnce();
    } catch (error) {
      log.error({ err: error, loop: name }, 'a pass failed');
    }
    if (!stopped) schedule(more ? 0 : everyMs);
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      pass = run();
    }, delayMs);
  }

  schedule(0);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await pass;
    },
  };
}
