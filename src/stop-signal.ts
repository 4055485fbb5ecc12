import { readFileSync } from 'node:fs';

/** How often a process started by npm looks whether npm is still there. */
const NPM_CHECK_MS = 500;

/**
 * Calls `stop` once, at the first SIGINT or SIGTERM. A process that npm started stops too when npm is
 * gone: npm killed with -9 tells nobody, and a server left behind would hold the port.
 */
export function onStopSignal(stop: (reason: string) => Promise<void>, startedByNpm: boolean): void {
  let stopping = false;
  const once = (reason: string) => {
    if (stopping) return;
    stopping = true;
    stop(reason).catch((error: unknown) => {
      console.error('The stop failed:', error);
      process.exit(1);
    });
  };
  // Later signals are taken and ignored: Ctrl-C reaches us from the terminal and again from npm.
  process.on('SIGINT', () => once('SIGINT'));
  process.on('SIGTERM', () => once('SIGTERM'));
  if (!startedByNpm) return;
  const ancestors = parentAndGrandparent();
  setInterval(() => {
    if (parentAndGrandparent() !== ancestors) once('npm is gone');
  }, NPM_CHECK_MS).unref();
}

/** npm runs a shell and the shell runs us; some shells wait for us, others become us. */
function parentAndGrandparent(): string {
  try {
    const status = readFileSync(`/proc/${process.ppid}/status`, 'utf8');
    return `${process.ppid} of ${/^PPid:\s*(\d+)/m.exec(status)?.[1]}`;
  } catch {
    // No /proc here: the parent alone has to do.
    return String(process.ppid);
  }
}
