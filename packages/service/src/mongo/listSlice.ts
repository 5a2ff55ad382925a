import type { Document } from 'mongodb';
import { z } from 'zod';
import { decodeCursor, invalidCursor, sliceOf, type Slice } from '../cursor.js';

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

const Position = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]);

/** The condition of the records after a cursor of `findSlice`. */
export function afterCursor(by: SliceOptions['by'], cursor: string | undefined): Document {
  if (cursor === undefined) return {};
  const [field, value, _id] = decodeCursor(cursor, Position);
  const last = by === 'createdAt' ? new Date(typeof value === 'number' ? value : Number.NaN) : value;
  const isOfList = last instanceof Date ? !Number.isNaN(last.getTime()) : typeof last === 'string';
  if (field !== by || !isOfList) throw invalidCursor();
  return { $or: [{ [by]: { $gt: last } }, { [by]: last, _id: { $gt: _id } }] };
}

/** Cuts records that were read with one more than the limit. */
export function cutSlice<T extends { _id: string }>(
  by: SliceOptions['by'],
  limit: number,
  found: readonly T[],
): Slice<T> {
  return sliceOf(found, limit, (last) => {
    const value: unknown = last[by as keyof T];
    return [by, value instanceof Date ? value.getTime() : value, last._id];
  });
}
