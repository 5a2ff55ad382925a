import { invalidField } from '@gatehouse/contract';
import type { z } from 'zod';

/** Encodes the end of a page. Callers return the cursor unchanged, and must not depend on its content. */
export function encodeCursor(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * Decodes a cursor.
 * @throws INVALID_REQUEST that names `cursor`, for any text that `encodeCursor` did not write with such parts
 */
export function decodeCursor<T>(cursor: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(parse(cursor));
  if (!parsed.success) throw invalidCursor();
  return parsed.data;
}

function parse(cursor: string): unknown {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parts) && encodeCursor(parts) === cursor ? parts : undefined;
  } catch {
    return undefined;
  }
}

/** The error for a cursor that this list did not return. */
export function invalidCursor(): Error {
  return invalidField('cursor', 'is not a cursor of this list', 'format');
}

/** A part of a list, and where the next one begins: null at the end. */
export interface Slice<T> {
  records: T[];
  nextCursor: string | null;
}

/**
 * Cuts a list that was read with one record more than the limit.
 * @param partsOf the parts of the cursor that ends with this record
 */
export function sliceOf<T>(
  found: readonly T[],
  limit: number,
  partsOf: (last: T) => readonly unknown[],
): Slice<T> {
  const records = found.slice(0, limit);
  const last = found.length > limit ? records.at(-1) : undefined;
  return { records, nextCursor: last === undefined ? null : encodeCursor(partsOf(last)) };
}
