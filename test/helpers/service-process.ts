import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';

export interface ServiceProcess {
  child: ChildProcess;
  /** Where it said that it listens. */
  url: string;
  /** All that it printed so far. */
  output(): string;
  /** @returns the exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals | null>;
}

/** Real processes of the built service; whatever a failed test leaves running ends with its file. */
export function useServiceProcesses(): (environment: Record<string, string>) => Promise<ServiceProcess> {
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  return async (environment) => {
    const child = spawn(process.execPath, ['dist/main.js'], {
      // Not our environment: what npm and the test runner set is none of the service's business.
      env: { PATH: process.env.PATH, TZ: process.env.TZ, LOG_LEVEL: 'warn', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, as a terminal gives one, so that a test can press Ctrl-C.
      detached: true,
    });
    children.push(child);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      output += String(chunk);
    });
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const url = await waitFor(() => {
      if (child.exitCode !== null) throw new Error(`The service ended:\n${output}`);
      return /Folio is ready at (\S+)/.exec(output)?.[1];
    });
    return {
      child,
      url,
      output: () => output,
      ended: async () => {
        const [code, signal] = await exited;
        return code ?? signal;
      },
    };
  };
}

/** Looks again until there is something, for at most a minute. */
export async function waitFor<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error('What was waited for did not come about within a minute');
    await sleep(50);
  }
}
