import { TypeID } from 'typeid-js';

/**
 * Ids outside are TypeIDs: a prefix that says what the id names, and a time-ordered UUID in base 32.
 * Inside, and in the database, they are that UUID.
 */
export type IdPrefix = 'inv' | 'dl';

export function publicId(prefix: IdPrefix, uuid: string): string {
  return TypeID.fromUUID(prefix, uuid).toString();
}

/** The UUID behind a public id, or undefined for anything that we cannot have given out. */
export function uuidOf(prefix: IdPrefix, id: string): string | undefined {
  try {
    return TypeID.fromString(id, prefix).toUUID();
  } catch {
    return undefined;
  }
}
