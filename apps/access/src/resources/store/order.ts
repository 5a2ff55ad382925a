import type { FieldOrder, ListPart, Position } from '@gatehouse/service';
import type { IndexDescription } from 'mongodb';
import { foldText, type SeenResource } from './document.js';

/** The sorts of lists: the name in the contract, and the indexed field. */
const SORT_FIELDS = { updatedAt: 'updatedAt', createdAt: 'createdAt', title: 'titleFolded' } as const;
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

/** The smallest values of the sorted fields. Tombstones and marks of undone copies have none. */
const SMALLEST: Record<SortName, Date | string> = {
  updatedAt: new Date(-8.64e15),
  createdAt: new Date(-8.64e15),
  title: '',
};

/** The resources of a project in an order, of which the sorted index contains all that is needed. */
export function sortedPart(sort: SortName): ListPart {
  return { condition: { [SORT_FIELDS[sort]]: { $gte: SMALLEST[sort] } }, hint: listIndexName(sort, false) };
}

/** The position of a resource in a sorted list. */
export function positionOf(
  resource: Pick<SeenResource, '_id' | 'title' | 'createdAt' | 'updatedAt'>,
  sort: SortName,
): Position {
  return { value: sort === 'title' ? foldText(resource.title) : resource[sort], id: resource._id };
}

/** A sort, and its direction. */
export interface Order {
  sort: SortName;
  order: 'asc' | 'desc';
}

/** The order as the engine sorts by it. */
export function fieldOrderOf({ sort, order }: Order): FieldOrder {
  return { by: SORT_FIELDS[sort], direction: order === 'asc' ? 1 : -1 };
}
