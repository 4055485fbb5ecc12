import { createPublicKey } from 'node:crypto';
import { algorithmsOf } from './auth/token.js';

/** The environment's variables that are set to something. */
type Given = Readonly<Record<string, string | undefined>>;

const TOKEN_KEYS = ['JWT_SECRET', 'JWT_PUBLIC_KEY', 'JWT_JWKS_URL'] as const;
const SECRETS = ['JWT_SECRET', 'DOWNLOAD_URL_SECRET', 'DOWNLOAD_URL_SECRET_PREVIOUS'] as const;
const SHORTEST_SECRET_BYTES = 32;

/** What is wrong between settings that may each be right, by name and without a value. */
export function faultsBetween(given: Given): string[] {
  return [
    ...tokenKeyFaults(given),
    ...(given['NODE_ENV'] === 'production' ? productionFaults(given) : []),
    // A mail that is kept as a file must not be taken for one that was sent.
    ...(given['SMTP_URL']
      ? ['SMTP_URL: mails cannot be sent by SMTP yet; leave it out to keep them as files']
      : []),
    ...(given['PORT'] === '0' && servesApi(given) && !given['PUBLIC_URL']
      ? ['PUBLIC_URL: is required with PORT=0, since links to this service carry it']
      : []),
  ];
}

function tokenKeyFaults(given: Given): string[] {
  if (tokenKeysIn(given).length > 1) return [`${TOKEN_KEYS.join(', ')}: only one of them can verify tokens`];
  const pem = given['JWT_PUBLIC_KEY']?.replaceAll('\\n', '\n');
  if (!pem) return [];
  try {
    algorithmsOf(createPublicKey(pem));
    // A public key can be derived from it, but it has no business here.
    return pem.includes('PRIVATE KEY') ? ['JWT_PUBLIC_KEY: must not be a private key'] : [];
  } catch {
    return [
      'JWT_PUBLIC_KEY: must be a public key in PEM: RSA of 2048 bits or more, EC (P-256, P-384, P-521) or Ed25519',
    ];
  }
}

function productionFaults(given: Given): string[] {
  const missing = ['DATABASE_URL', 'DOWNLOAD_URL_SECRET'].filter((name) => !given[name]);
  if (tokenKeysIn(given).length === 0) missing.push(TOKEN_KEYS.join(' or '));
  const short = SECRETS.filter((name) => {
    const secret = given[name];
    return secret !== undefined && Buffer.byteLength(secret) < SHORTEST_SECRET_BYTES;
  });
  const secrets = SECRETS.map((name) => given[name]).filter((secret) => secret !== undefined);
  return [
    ...missing.map((name) => `${name}: is required in production`),
    ...short.map((name) => `${name}: must have at least ${SHORTEST_SECRET_BYTES} bytes in production`),
    ...(new Set(secrets).size < secrets.length ? [`${SECRETS.join(', ')}: must differ from each other`] : []),
  ];
}

const tokenKeysIn = (given: Given) => TOKEN_KEYS.filter((name) => given[name]);

const servesApi = ({ ROLES }: Given) =>
  ROLES === undefined || ROLES.split(',').some((role) => role.trim() === 'api');
