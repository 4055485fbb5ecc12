// Everything that CI runs: each check:* of package.json in its order, then the tests, up to the first
// failure. Arguments go to the test command.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'));

for (const name of [...checks, 'test']) {
  process.stderr.write(`\n── ${name}\n`);
  const args = ['--silent', 'run', name, ...(name === 'test' ? ['--', ...process.argv.slice(2)] : [])];
  const { status } = spawnSync('npm', args, { stdio: 'inherit' });
  if (status === 0) continue;
  const fix = name.replace('check:', 'fix:');
  const hint = fix in scripts && fix !== name ? `; \`npm run ${fix}\` may put it right` : '';
  process.stderr.write(`\n${name} failed${hint}.\n`);
  process.exit(1);
}
process.stderr.write('\nAll checks and tests passed.\n');
