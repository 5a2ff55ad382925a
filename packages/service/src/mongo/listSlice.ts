import type { Document } from 'mongodb';
import { z } from 'zod';
import { CursorTime, decodeCursor, sliceOf, type Slice } from '../cursor.js';
import type { Sized } from '../quotas/storedUsage.js';
import { positionCondition, type Position } from '../search/position.js';

/** Which part of a list is read. */
export interface ListSlice {
  limit: number;
  cursor?: string | undefined;
}

/** The order of a list: that of a field, and then of `_id`. */
export interface ListOrder {
  /** The name of the list. A cursor of another list is rejected. */
  list: string;
  by: 'nameFolded' | 'createdAt' | 'memberCount';
  /** By default ascending. */
  direction?: 1 | -1;
}

/** A part of a list of a store, whose name is that of its collection. */
export interface SliceOptions extends ListSlice, Omit<ListOrder, 'list'> {
  projection?: Document;
}

const VALUES = { nameFolded: z.string(), createdAt: CursorTime, memberCount: z.number().int() };

/** The stages of a sort in this order. */
export function sortOf({ by, direction = 1 }: Omit<ListOrder, 'list'>): Record<string, 1 | -1> {
  return { [by]: direction, _id: direction };
}

/**
 * The position of a cursor in its list; null without a cursor.
 * @throws INVALID_REQUEST, naming `cursor`, for a cursor of another list or order
 */
export function positionAt(
  { list, by, direction = 1 }: ListOrder,
  cursor: string | undefined,
): Position | null {
  if (cursor === undefined) return null;
  const order = [z.literal(list), z.literal(by), z.literal(direction)] as const;
  const [, , , value, id] = decodeCursor(cursor, z.tuple([...order, VALUES[by], z.string()]));
  return { value, id };
}

/** The condition of the records after a cursor. Throws as `positionAt` does. */
export function afterCursor(order: ListOrder, cursor: string | undefined): Document {
  const position = positionAt(order, cursor);
  const { by, direction = 1 } = order;
  return position === null ? {} : positionCondition({ by, direction }, 'after', position);
}

/** The parts of the cursor after a record. */
function endOf({ list, by, direction = 1 }: ListOrder, last: { _id: string }): unknown[] {
  const value: unknown = Reflect.get(last, by);
  return [list, by, direction, value instanceof Date ? value.getTime() : value, last._id];
}

/** Cuts records that were read with one more than the limit. */
export function cutSlice<T extends { _id: string }>(
  order: ListOrder,
  limit: number,
  found: readonly T[],
): Slice<T> {
  return sliceOf(found, limit, (last) => endOf(order, last));
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
  order: ListOrder,
  limit: number,
  records: AsyncIterable<T>,
): Promise<Slice<T>> {
  const found: T[] = [];
  let bytes = 0;
  for await (const record of records) {
    found.push(record);
    bytes += record.quotaBytes ?? 0;
    if (found.length > limit) return cutSlice(order, limit, found);
    if (bytes > SLICE_BYTES_MAX && found.length > 1) return cutSlice(order, found.length - 1, found);
  }
  return { records: found, nextCursor: null };
}
