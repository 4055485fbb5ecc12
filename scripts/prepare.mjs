// Makes a checkout ready to run: packages, Prisma client, build. What is current is left alone.
// Plain JavaScript on Node's own modules, since on a fresh clone it runs before anything is installed
// and on whatever Node the machine has. It speaks on stderr: stdout belongs to the command that follows.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeLock } from './checkout-lock.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);
const generated = join('src', 'db', 'generated');
const installedNode = at('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

const steps = [
  { what: 'Installing packages (about a minute)', isCurrent: isInstalled, make: install },
  { what: 'Generating the Prisma client', isCurrent: isGenerated, make: generate },
  { what: 'Building', isCurrent: isBuilt, make: build },
];

let lock;
let child;

async function prepare() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Error(`Node 20 or later is needed; this is ${process.version}.`);
  }
  if (steps.every((step) => step.isCurrent())) return;
  lock = await takeLock(at('dist.lock'), () =>
    say('Another process is preparing this checkout; waiting for it.'),
  );
  for (const { what, isCurrent, make } of steps) {
    if (isCurrent()) continue;
    say(`${what} …`);
    const began = Date.now();
    await make();
    say(`${what}: done in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  }
}

/** npm's own record in node_modules against the lock file; thus a plain `npm install` counts as well. */
function isInstalled() {
  if (!existsSync(installedNode)) return false;
  const wanted = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages;
  const record = at('node_modules', '.package-lock.json');
  const present = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')).packages : {};
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  );
}

async function install() {
  // --include=dev: NODE_ENV=production would leave out the compiler. npm runs on the Node that started
  // it: the one in node_modules goes away under its feet.
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.env.npm_node_execpath ?? process.execPath, [npm]] : ['npm', []];
  const PATH = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(at('node_modules') + sep))
    .join(delimiter);
  // A named engine keeps Prisma's install script from fetching one from outside the registry.
  const env = {
    PATH,
    PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
  };
  await run(command, [...args, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], env);
  if (!isInstalled())
    throw new Error('npm ci ended well, yet packages of package-lock.json are missing in node_modules.');
}

function isGenerated() {
  return stampOf(generated) === clientInputs();
}

async function generate() {
  const inputs = clientInputs();
  await run(installedNode, [at('node_modules', 'prisma', 'build', 'index.js'), 'generate']);
  writeFileSync(at(generated, '.stamp'), inputs);
}

function isBuilt() {
  return stampOf('dist') === buildInputs();
}

async function build() {
  const inputs = buildInputs();
  rmSync(at('dist.new'), { recursive: true, force: true });
  await run(installedNode, [
    at('node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    'tsconfig.build.json',
    '--outDir',
    'dist.new',
  ]);
  for (const file of filesIn('src'))
    if (!/\.tsx?$/.test(file)) cpSync(at(file), at(file.replace('src', 'dist.new')));
  writeFileSync(at('dist.new', '.stamp'), inputs);
  // Swapped whole, so that a start beside this one never meets half a build.
  rmSync(at('dist.old'), { recursive: true, force: true });
  if (existsSync(at('dist'))) renameSync(at('dist'), at('dist.old'));
  renameSync(at('dist.new'), at('dist'));
  rmSync(at('dist.old'), { recursive: true, force: true });
}

function clientInputs() {
  return hashOf(['package-lock.json', 'prisma.config.ts', join('prisma', 'schema.prisma')]);
}

function buildInputs() {
  const settings = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name));
  return `${clientInputs()} ${hashOf([...settings, ...filesIn('src'), ...filesIn('scripts')])}`;
}

function filesIn(folder) {
  return readdirSync(at(folder), { withFileTypes: true })
    .map((entry) => [join(folder, entry.name), entry.isDirectory()])
    .filter(([path]) => path !== generated)
    .flatMap(([path, isFolder]) => (isFolder ? filesIn(path) : [path]))
    .sort();
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = existsSync(at(file)) ? readFileSync(at(file)) : '';
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function stampOf(folder) {
  return existsSync(at(folder, '.stamp')) ? readFileSync(at(folder, '.stamp'), 'utf8') : '';
}

/** Keeps the command's output to itself unless the command fails. */
function run(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid) lock.share(child.pid);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => reject(new Error(`could not run ${command}: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${output.trim()}\n(${signal ?? `exit code ${code}`})`));
    });
  });
}

function say(message) {
  process.stderr.write(`folio: ${message}\n`);
}

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
  process.on(signal, () => {
    // The lock stays until the child is gone too.
    child?.kill(signal);
    process.exit(code);
  });
}

try {
  await prepare();
} catch (error) {
  say(`this checkout could not be prepared: ${error.message}`);
  process.exitCode = 1;
}
lock?.release();
