import { parseArgs } from 'node:util';
import { isRole, ROLES } from './auth/actor.js';
import { readConfig } from './config.js';
import { developmentToken } from './development-tokens.js';

const USAGE = `Prints a token signed with the current settings.

  npm run token -- --sub u_alice --role customer

  --sub    whom the token names: a customer's id, a service, an admin
  --role   ${ROLES.join(' | ')}
`;

try {
  const { values } = parseArgs({
    options: { sub: { type: 'string' }, role: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(USAGE);
  } else if (!values.sub || !isRole(values.role)) {
    console.error(values.sub ? `--role must be one of ${ROLES.join(', ')}\n` : '--sub is required\n');
    console.error(USAGE);
    process.exitCode = 2;
  } else {
    console.log(await developmentToken(readConfig(), { id: values.sub, role: values.role }));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
