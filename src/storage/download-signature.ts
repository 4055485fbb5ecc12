import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signed URL allows: reading one object, under one file name, until a moment. */
export interface DownloadGrant {
  key: string;
  fileName: string;
  /** Unix time in seconds. */
  expires: number;
}

export interface DownloadSigner {
  sign(grant: DownloadGrant): string;
  verify(grant: DownloadGrant, signature: string): boolean;
}

/**
 * HMAC-SHA-256 over everything that a URL says. A retired secret still verifies, so that URLs given out
 * before a rotation live out their time.
 */
export function makeDownloadSigner(secrets: {
  current: string;
  previous?: string | undefined;
}): DownloadSigner {
  const signWith = (secret: string, { key, fileName, expires }: DownloadGrant) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([key, fileName, expires]))
      .digest('base64url');
  return {
    sign: (grant) => signWith(secrets.current, grant),
    verify: (grant, signature) =>
      [secrets.current, secrets.previous]
        .filter((secret) => secret !== undefined)
        .some((secret) => equal(signature, signWith(secret, grant))),
  };
}

function equal(given: string, right: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}
