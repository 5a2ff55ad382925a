import { invalidField } from '@gatehouse/contract';

/** Writes where a page ended. Callers hand it back as it is. */
export function encodeCursor(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Reads a cursor's parts. Throws INVALID_REQUEST, naming `cursor`, for any text that `encodeCursor` did not write. */
export function decodeCursor(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parts) && encodeCursor(parts) === cursor) return parts;
  } catch {
    // Told below, like any other text that is no cursor.
  }
  throw invalidCursor();
}

/** The INVALID_REQUEST for a cursor that this list did not give. */
export function invalidCursor(): Error {
  return invalidField('cursor', 'is not a cursor of this list');
}
