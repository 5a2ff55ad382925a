import type { Input } from './requests.js';
import type { Route } from './route.js';

/** The fields that select a page of a list; a caller that reads all items sets none of them. */
export type PlaceField = 'cursor' | 'page' | 'pageSize' | 'offset';

type Page = Record<string, unknown>;

/** Whether an operation returns a list part by part. Reports have parts too, but are no lists of records. */
export function isPaged({ operationId, query, isStreamed }: Route): boolean {
  return !isStreamed && operationId.startsWith('list') && query.includes('cursor');
}

/** The items of a page: those of its array, or of its arrays, as shares have one for each scope. */
function itemsOf(page: Page): unknown[] {
  return Object.values(page).flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
}

/**
 * All items of a list, page by page. The next page is requested when the items before it have been consumed.
 */
export async function* readItems(readPage: (input: Input) => Promise<Page>, input: Input): AsyncGenerator {
  for (let cursor: unknown; cursor !== null;) {
    const page = await readPage(cursor === undefined ? input : { ...input, cursor });
    yield* itemsOf(page);
    cursor = page['nextCursor'] ?? null;
  }
}
