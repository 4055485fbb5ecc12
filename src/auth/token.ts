import { createPublicKey, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, errors, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import { unavailable } from '../kernel/errors.js';
import { type Actor, isRole } from './actor.js';

/** What tokens are verified with. Each kind admits its own family of algorithms and no other. */
export type TokenKey =
  | { kind: 'secret'; secret: string }
  | { kind: 'public key'; pem: string }
  | { kind: 'jwks'; url: string };

export interface TokenOptions {
  key: TokenKey;
  issuer: string;
  audience: string;
  /** Longest life of a token, from `iat` to `exp`. */
  maxAgeSeconds: number;
}

/**
 * The actor of an Authorization header, or undefined for every kind of bad token alike.
 *
 * @throws AppError DEPENDENCY_UNAVAILABLE where the key server does not answer.
 */
export type VerifyToken = (authorization: string | undefined) => Promise<Actor | undefined>;

export function makeTokenVerifier(options: TokenOptions): VerifyToken {
  const verify = verifierOf(options.key, {
    issuer: options.issuer,
    audience: options.audience,
    requiredClaims: ['exp', 'iat', 'sub'],
    maxTokenAge: options.maxAgeSeconds,
    clockTolerance: 5,
  });
  return async (authorization) => {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (!token) return undefined;
    try {
      const { payload } = await verify(token);
      const { sub, role, exp = 0, iat = 0 } = payload;
      // maxTokenAge bounds how old a token is; this bounds how old it could become.
      if (exp - iat > options.maxAgeSeconds) return undefined;
      return isSubject(sub) && isRole(role) ? { id: sub, role } : undefined;
    } catch (error) {
      if (isKeyServerFault(error)) throw unavailable('The token key server', error);
      return undefined;
    }
  };
}

export interface SignTokenOptions {
  secret: string;
  issuer: string;
  audience: string;
  ttlSeconds: number;
}

/** A token for development, signed with the shared secret. */
export function signToken(actor: Actor, options: SignTokenOptions): Promise<string> {
  return new SignJWT({ role: actor.role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(actor.id)
    .setIssuer(options.issuer)
    .setAudience(options.audience)
    .setIssuedAt()
    .setExpirationTime(`${options.ttlSeconds}s`)
    .sign(new TextEncoder().encode(options.secret));
}

function verifierOf(key: TokenKey, options: JWTVerifyOptions) {
  switch (key.kind) {
    case 'secret': {
      const secret = new TextEncoder().encode(key.secret);
      return (token: string) => jwtVerify(token, secret, { ...options, algorithms: ['HS256'] });
    }
    case 'public key': {
      const publicKey = createPublicKey(key.pem);
      const algorithms = algorithmsOf(publicKey);
      return (token: string) => jwtVerify(token, publicKey, { ...options, algorithms });
    }
    case 'jwks': {
      const keys = createRemoteJWKSet(new URL(key.url), { timeoutDuration: 2_000 });
      return (token: string) =>
        jwtVerify(token, keys, { ...options, algorithms: ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] });
    }
  }
}

const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** @throws Error for a key that no signature is checked with, or only one that is too weak. */
export function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string[] {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'rsa' && modulusLength >= 2_048) return ['RS256', 'RS384', 'RS512'];
  const curve = asymmetricKeyType === 'ec' ? CURVES[namedCurve] : undefined;
  if (curve) return [curve];
  if (asymmetricKeyType === 'ed25519') return ['EdDSA'];
  throw new Error(
    'must be a public key in PEM: RSA of 2048 bits or more, EC (P-256, P-384, P-521) or Ed25519',
  );
}

/** A subject becomes part of keys and log lines: printable, and of a sane length. */
const isSubject = (sub: unknown): sub is string =>
  typeof sub === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(sub);

function isKeyServerFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return true;
  // fetch reports an unreachable host as TypeError; jose reports a wrong answer in its base class.
  return error instanceof TypeError || (error instanceof Error && error.constructor === errors.JOSEError);
}
