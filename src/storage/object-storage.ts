/**
 * Where the bytes live. Keys are made by `pdfObjectKey` alone, never from what an order says.
 *
 * Every method throws AppError STORAGE_ERROR where the store does not do what was asked, in time.
 */
export interface ObjectStorage {
  /** Whole or not at all: after it returned, `get` finds these bytes, whatever crashes next. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined for a key that holds nothing. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** How many bytes a key holds; undefined where it holds nothing. */
  size(key: string): Promise<number | undefined>;
  /** A URL that opens the object for whoever has it, until it expires. */
  signDownload(key: string, options: { fileName: string }): Promise<SignedDownload>;
}

export interface SignedDownload {
  url: string;
  expiresAt: Date;
}

/** All objects are rendered invoices. */
export const OBJECT_CONTENT_TYPE = 'application/pdf';
