import type { Document } from 'mongodb';
import { z } from 'zod';
import { CursorTime, decodeCursor, sliceOf, type Slice } from '../cursor.js';
import type { Sized } from '../quotas/storedUsage.js';

/** Which part of a list is read. */
export interface ListSlice {
  limit: number;
  cursor?: string | undefined;
}

/** A part of a list, in the order of a field and of `_id`. */
export interface SliceOptions extends ListSlice {
  by: 'nameFolded' | 'createdAt';
  projection?: Document;
}

const ByName = z.tuple([z.literal('nameFolded'), z.string(), z.string()]);
const ByTime = z.tuple([z.literal('createdAt'), CursorTime, z.string()]);

/** The condition of the records after a cursor of `findSlice`. */
export function afterCursor(by: SliceOptions['by'], cursor: string | undefined): Document {
  if (cursor === undefined) return {};
  const [, last, _id] = by === 'createdAt' ? decodeCursor(cursor, ByTime) : decodeCursor(cursor, ByName);
  return { $or: [{ [by]: { $gt: last } }, { [by]: last, _id: { $gt: _id } }] };
}

/** The parts of the cursor after a record. */
function endOf(by: SliceOptions['by'], last: { _id: string }): unknown[] {
  const value: unknown = Reflect.get(last, by);
  return [by, value instanceof Date ? value.getTime() : value, last._id];
}

/** Cuts records that were read with one more than the limit. */
export function cutSlice<T extends { _id: string }>(
  by: SliceOptions['by'],
  limit: number,
  found: readonly T[],
): Slice<T> {
  return sliceOf(found, limit, (last) => endOf(by, last));
}

/** The size of the records in one part of a list, in bytes. */
const SLICE_BYTES_MAX = 8 * 1024 * 1024;

/** The number of records whose sizes together are within the limit; at least one. */
export function countWithin(sizes: readonly number[]): number {
  let bytes = 0;
  const end = sizes.findIndex((size) => (bytes += size) > SLICE_BYTES_MAX);
  return end < 0 ? sizes.length : Math.max(1, end);
}

/** Reads records up to one more than the limit, or until they are too large together; then cuts them. */
export async function takeSlice<T extends Sized & { _id: string }>(
  by: SliceOptions['by'],
  limit: number,
  records: AsyncIterable<T>,
): Promise<Slice<T>> {
  const found: T[] = [];
  let bytes = 0;
  for await (const record of records) {
    found.push(record);
    bytes += record.quotaBytes ?? 0;
    if (found.length > limit) return cutSlice(by, limit, found);
    if (bytes > SLICE_BYTES_MAX && found.length > 1) return cutSlice(by, found.length - 1, found);
  }
  return { records: found, nextCursor: null };
}
