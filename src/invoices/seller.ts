import { createHash } from 'node:crypto';
import type { Db } from '../db/client.js';
import type { Seller, SellerLogo } from './invoice.js';

export interface SellerWithLogo extends Seller {
  logo: SellerLogo | null;
}

/**
 * Keeps the seller of the settings as one row per content, so that thousands of invoices share one logo
 * and a change of settings touches none of them.
 *
 * @returns the id to freeze in an invoice: the SHA-256 of the content.
 */
export async function keepSeller(db: Db, seller: SellerWithLogo): Promise<string> {
  const id = contentHash(seller);
  await db.$executeRaw`
    INSERT INTO sellers (id, name, address, tax_id, email, logo, logo_media_type)
    VALUES (${id}, ${seller.name}, ${seller.address}, ${seller.taxId}, ${seller.email},
            ${seller.logo?.bytes ?? null}, ${seller.logo?.mediaType ?? null})
    ON CONFLICT (id) DO NOTHING`;
  return id;
}

function contentHash({ name, address, taxId, email, logo }: SellerWithLogo): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([name, address, taxId, email, logo?.mediaType ?? null]));
  if (logo) hash.update(logo.bytes);
  return hash.digest('hex');
}
