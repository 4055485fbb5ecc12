import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * One holder at a time, and a holder killed by kill -9 blocks nobody. Locks are numbered files: the
 * highest number counts, and it is held while a process named in it lives. Taking over means creating
 * the next number, which only one can do; deleting a dead lock instead could delete the next holder's.
 */
export async function takeLock(folder, onWait) {
  mkdirSync(folder, { recursive: true });
  for (let told = false; ; ) {
    const last = highest(folder);
    if (processesIn(join(folder, String(last))).some(isAlive)) {
      if (!told) onWait();
      told = true;
      await sleep(200);
      continue;
    }
    const file = join(folder, String(last + 1));
    if (!createWithContent(file, `${identity(process.pid)}\n`)) continue;
    if (highest(folder) !== last + 1) {
      // We slept between looking and creating, others came and went, and the number was free again.
      rmSync(file, { force: true });
      continue;
    }
    for (const older of numbers(folder))
      if (older <= last) rmSync(join(folder, String(older)), { force: true });
    return {
      // A child outlives a parent killed by kill -9, and an `npm ci` that goes on must still be waited for.
      share: (pid) => appendFileSync(file, `${identity(pid)}\n`),
      release: () => truncateSync(file),
    };
  }
}

function numbers(folder) {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function highest(folder) {
  return Math.max(0, ...numbers(folder));
}

function processesIn(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

// A link appears with its content in one step; a file created and then written is seen empty in between.
function createWithContent(file, content) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isAlive(line) {
  return identity(Number(line.split(' ')[0])) === line;
}

// Process ids are used again; with its start time an id names one process. A zombie holds nothing.
function identity(pid) {
  if (existsSync('/proc/self/stat')) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? '' : `${pid} ${fields[19]}`;
    } catch {
      return '';
    }
  }
  try {
    process.kill(pid, 0);
    return String(pid);
  } catch (error) {
    return error.code === 'EPERM' ? String(pid) : '';
  }
}
