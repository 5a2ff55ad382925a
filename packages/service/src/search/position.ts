import type { Document } from 'mongodb';

/** The order of a list: that of a field, and then of `_id`. */
export interface FieldOrder {
  by: string;
  direction: 1 | -1;
}

/** A position in a list: the value of the field that orders it, then the id. Each record has its own. */
export interface Position {
  value: Date | string | number;
  id: string;
}

/** Compares texts by their UTF-8 bytes, as the engine does. JavaScript's own order differs beyond U+FFFF. */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareValues(a: Position['value'], b: Position['value']): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return Number(a) - Number(b);
}

/** Returns a negative number if `a` comes first in ascending order. Both must be of the same list. */
export function comparePositions(a: Position, b: Position): number {
  return compareValues(a.value, b.value) || compareTexts(a.id, b.id);
}

/**
 * The condition of the records after a position, or up to it and with it. The bound on the sorted field
 * limits the part of the index. The `$or` orders records with equal values.
 */
export function positionCondition(
  { by, direction }: FieldOrder,
  side: 'after' | 'upTo',
  { value, id }: Position,
): Document {
  const isAscending = (direction === 1) === (side === 'after');
  const [beyond, from] = isAscending ? (['$gt', '$gte'] as const) : (['$lt', '$lte'] as const);
  const sameValue = { _id: { [side === 'after' ? beyond : from]: id } };
  return { [by]: { [from]: value }, $or: [{ [by]: { [beyond]: value } }, sameValue] };
}
