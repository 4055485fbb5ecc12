import type { SellerLogo } from './invoice.js';

/** A logo is kept with the books and in each document: this is plenty for print. */
const LARGEST_LOGO_BYTES = 1024 * 1024;

/** @throws Error for anything but a PNG or JPEG of a sane size, so that a wrong setting stops the start. */
export function readSellerLogo(bytes: Uint8Array): SellerLogo {
  if (bytes.byteLength > LARGEST_LOGO_BYTES) {
    throw new Error(`SELLER_LOGO: must be at most ${LARGEST_LOGO_BYTES} bytes`);
  }
  const begins = (...signature: number[]) => signature.every((byte, index) => bytes[index] === byte);
  if (begins(0x89, 0x50, 0x4e, 0x47)) return { mediaType: 'image/png', bytes };
  if (begins(0xff, 0xd8, 0xff)) return { mediaType: 'image/jpeg', bytes };
  throw new Error('SELLER_LOGO: must be a PNG or JPEG file');
}
