/** How often a process started by npm looks whether npm is still there. */
const PARENT_CHECK_MS = 500;

/**
 * Calls `stop` once, at the first SIGINT or SIGTERM. A process that npm started stops too when its
 * parent is gone: npm killed with -9 tells nobody, and a server left behind would hold the port.
 */
export function onStopSignal(stop: (reason: string) => Promise<void>, startedByNpm: boolean): void {
  let stopping = false;
  const once = (reason: string) => {
    if (stopping) return;
    stopping = true;
    void stop(reason);
  };
  // Later signals are taken and ignored: Ctrl-C reaches us from the terminal and again from npm.
  process.on('SIGINT', () => once('SIGINT'));
  process.on('SIGTERM', () => once('SIGTERM'));
  if (!startedByNpm) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) once('npm is gone');
  }, PARENT_CHECK_MS).unref();
}
