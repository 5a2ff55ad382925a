import { AuditHead, invalidField } from '@gatehouse/contract';
import type { TimePosition } from '../store/entries.js';

/** Writes where a page ended. Callers hand it back as it is. */
export function encodeCursor(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The parts of a cursor; none for any text that `encodeCursor` did not write. */
function decode(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parts) && encodeCursor(parts) === cursor ? parts : [];
  } catch {
    return [];
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function invalidCursor(): Error {
  return invalidField('cursor', 'is not a cursor of this list');
}

/** The last entry that a list has shown. Throws INVALID_REQUEST for what is no cursor. */
export function decodeListCursor(cursor: string): TimePosition {
  const [timeMs, sequence] = decode(cursor);
  const time = new Date(Number.isSafeInteger(timeMs) ? Number(timeMs) : Number.NaN);
  if (Number.isNaN(time.getTime()) || !isCount(sequence)) throw invalidCursor();
  return { time, sequence };
}

/** How far an export has come, and what its first page said. Throws INVALID_REQUEST for what is no cursor. */
export function decodeExportCursor(cursor: string) {
  const [after, upTo, total, givenHead] = decode(cursor);
  const head = AuditHead.nullable().safeParse(givenHead);
  if (!isCount(after) || !isCount(upTo) || !isCount(total) || !head.success) throw invalidCursor();
  return { after, upTo, total, head: head.data };
}
