import type { Document, IndexDescription } from 'mongodb';
import { foldText, type SeenResource } from './document.js';

/** The sorts of lists: the name in the contract, and the indexed field. */
export const SORT_FIELDS = { updatedAt: 'updatedAt', createdAt: 'createdAt', title: 'titleFolded' } as const;
export type SortName = keyof typeof SORT_FIELDS;
export const SORT_NAMES: readonly SortName[] = ['updatedAt', 'createdAt', 'title'];

/** Returns the sorted index of the resources that readers may reach, or of all resources of a project. */
export function listIndexName(sort: SortName, isForReaders: boolean): string {
  return isForReaders ? `readers_${sort}` : `project_${sort}`;
}

const DIRECTION: Record<SortName, 1 | -1> = { updatedAt: -1, createdAt: -1, title: 1 };

export const LIST_INDEXES = SORT_NAMES.flatMap((sort): IndexDescription[] => {
  const order = { [SORT_FIELDS[sort]]: DIRECTION[sort], _id: DIRECTION[sort] };
  return [
    { key: { projectId: 1, readers: 1, ...order }, name: listIndexName(sort, true) },
    { key: { projectId: 1, ...order }, name: listIndexName(sort, false) },
  ];
});

/** A position in a sorted list: the sorted value, then the id. Each resource has its own. */
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

/** Compares texts by their UTF-8 bytes, as the engine does. JavaScript's own order differs beyond U+FFFF. */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareValues(a: Position['value'], b: Position['value']): number {
  if (a instanceof Date || b instanceof Date) return Number(a) - Number(b);
  return compareTexts(a, b);
}

/** Returns a negative number if `a` comes first in ascending order. Both must have the same sort. */
export function comparePositions(a: Position, b: Position): number {
  return compareValues(a.value, b.value) || compareTexts(a.id, b.id);
}

/** A sort, and its direction. */
export interface Order {
  sort: SortName;
  order: 'asc' | 'desc';
}

/**
 * The condition of the resources after a position, or up to it and with it. The bound on the sorted field
 * limits the part of the index. The `$or` orders resources with equal values.
 */
export function positionCondition(
  { sort, order }: Order,
  side: 'after' | 'upTo',
  { value, id }: Position,
): Document {
  const field = SORT_FIELDS[sort];
  const isAscending = (order === 'asc') === (side === 'after');
  const [beyond, from] = isAscending ? (['$gt', '$gte'] as const) : (['$lt', '$lte'] as const);
  const sameValue = { _id: { [side === 'after' ? beyond : from]: id } };
  return { [field]: { [from]: value }, $or: [{ [field]: { [beyond]: value } }, sameValue] };
}
