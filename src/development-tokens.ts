import type { Actor } from './auth/actor.js';
import { signToken } from './auth/token.js';
import type { Config } from './config.js';

/** @throws Error where tokens are verified with a key that we cannot sign with. */
export function developmentToken(config: Config, actor: Actor): Promise<string> {
  const { key, issuer, audience, maxAgeSeconds } = config.token;
  if (key.kind !== 'secret') {
    throw new Error(
      'Tokens are verified with a public key here: only the owner of its private key signs them',
    );
  }
  return signToken(actor, { secret: key.secret, issuer, audience, ttlSeconds: maxAgeSeconds });
}
