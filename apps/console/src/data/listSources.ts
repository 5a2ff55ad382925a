import type { ListPart } from './useList.js';

/** A part of a list, from the fields of its response. */
export function byCursor<T>(items: T[], nextCursor: string | null | undefined, total?: number): ListPart<T> {
  return { items, next: nextCursor ?? null, total };
}
