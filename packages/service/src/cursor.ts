import { invalidField } from '@gatehouse/contract';
import { z } from 'zod';

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

/** The last moment that a `Date` can represent: ECMA-262, section 21.4.1.1. */
const TIME_MAX = 8.64e15;
/** A moment in a cursor, in milliseconds since the epoch. */
export const CursorTime = z
  .number()
  .int()
  .min(-TIME_MAX)
  .max(TIME_MAX)
  .transform((ms) => new Date(ms));

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

/**
 * Reads part after part of a list until more than `limit` entries pass, or the list ends. A cursor that comes
 * from the result names no record that the caller may not see.
 *
 * @param read the part that follows a cursor; without one, the first
 * @param keep the entries of the records that the caller may see, in order
 */
export async function readVisible<T, V>(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  read: (cursor: string | undefined) => Promise<Slice<T>>,
  keep: (records: readonly T[]) => V[] | Promise<V[]>,
): Promise<V[]> {
  const visible: V[] = [];
  let next: string | null | undefined = cursor;
  do {
    const part: Slice<T> = await read(next);
    visible.push(...(await keep(part.records)));
    next = part.nextCursor;
  } while (next !== null && visible.length <= limit);
  return visible;
}
