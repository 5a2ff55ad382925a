import type { SortName } from './indexes.js';
import type { SeenResource } from './resourceDocument.js';
import { foldText } from './searchText.js';

/** A place in a sorted list: the value sorted by, then the id. No two resources have the same. */
export interface Position {
  value: Date | string;
  id: string;
}

export function positionOf(
  resource: Pick<SeenResource, '_id' | 'title' | 'createdAt' | 'updatedAt'>,
  sort: SortName,
): Position {
  return { value: sort === 'title' ? foldText(resource.title) : resource[sort], id: resource._id };
}

/** Texts in the order of their UTF-8 bytes, as the engine sorts them: JavaScript's own differs beyond U+FFFF. */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareValues(a: Position['value'], b: Position['value']): number {
  if (a instanceof Date || b instanceof Date) return Number(a) - Number(b);
  return compareTexts(a, b);
}

/** Negative when `a` comes first in ascending order. Both must be sorted by the same field. */
export function comparePositions(a: Position, b: Position): number {
  return compareValues(a.value, b.value) || compareTexts(a.id, b.id);
}
