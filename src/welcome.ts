import type { Config } from './config.js';
import { developmentToken } from './development-tokens.js';

/** What a developer needs next: where everything is, two tokens, and one command that does something. */
export async function printWelcome(config: Config, url: string): Promise<void> {
  const lines = [`Folio is ready at ${url} (${[...config.roles].join(', ')})`];
  if (config.roles.has('api')) {
    lines.push(
      `  GraphQL     ${url}/graphql${config.playground ? '   (open it in a browser for the playground)' : ''}`,
    );
  }
  lines.push(`  Health      ${url}/healthz   ${url}/readyz`);
  if (mayPrintTokens(config)) lines.push('', ...(await developmentHints(config, url)));
  console.log(`\n${lines.join('\n')}\n`);
}

/** Only where the secret is our own random one and nobody outside this machine can use a token. */
function mayPrintTokens({ token, host, roles }: Config): boolean {
  return token.ownSecret && ['127.0.0.1', '::1', 'localhost'].includes(host) && roles.has('api');
}

async function developmentHints(config: Config, url: string): Promise<string[]> {
  const customer = await developmentToken(config, { id: 'u_alice', role: 'customer' });
  const admin = await developmentToken(config, { id: 'u_admin', role: 'admin' });
  const operation =
    'mutation { createInvoice(input: { orderId: \\"ORD-123\\", idempotencyKey: \\"first-try\\" }) ' +
    '{ replayed invoice { id invoiceNumber total pdfStatus } } }';
  return [
    `  Mail        kept as files in ${config.mail.directory}`,
    `  Documents   ${config.storageDir}`,
    '',
    'Tokens for development (valid for a day; `npm run token -- --help` prints others):',
    `  customer u_alice   ${customer}`,
    `  admin u_admin      ${admin}`,
    '',
    'Issue the invoice of sample order ORD-123:',
    '',
    `curl -s ${url}/graphql -H 'content-type: application/json' \\`,
    `  -H 'authorization: Bearer ${customer}' \\`,
    `  -d '{"query":"${operation}"}'`,
  ];
}
