import type { ListPart } from './useList.js';

/** A part of a list by cursor. */
export function byCursor<T>(items: T[], nextCursor: string | null | undefined, total?: number): ListPart<T> {
  return { items, next: nextCursor ?? null, total };
}

/** A part of a list by offset. */
export function byOffset<T>(items: T[], offset: number, total: number): ListPart<T> {
  const end = offset + items.length;
  return { items, next: items.length > 0 && end < total ? end : null, total };
}

/** A part of a list by page. */
export function byPage<T>(
  items: T[],
  { page, hasMore, total }: { page: number; hasMore: boolean; total: number },
): ListPart<T> {
  return { items, next: hasMore ? page + 1 : null, total };
}
