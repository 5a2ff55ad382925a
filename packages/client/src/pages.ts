import type { Input } from './requests.js';
import type { Route } from './route.js';

/** The fields that select a page of a list; a caller that reads all items sets none of them. */
export type PlaceField = 'cursor' | 'page' | 'pageSize' | 'offset';

type Page = Record<string, unknown>;
/** The parameters of the next page; null after the last. */
type NextPage = (page: Page, itemCount: number, offset: number) => Input | null;

const nextByCursor: NextPage = ({ nextCursor }) =>
  typeof nextCursor === 'string' ? { cursor: nextCursor } : null;
const nextByPage: NextPage = ({ hasMore, page }) => (hasMore === true ? { page: Number(page) + 1 } : null);
const nextByOffset: NextPage = ({ total }, itemCount, offset) =>
  itemCount > 0 && offset + itemCount < Number(total) ? { offset: offset + itemCount } : null;

/** How a list continues after a page; null for an operation without pages. */
export function findNextPage({ query, isStreamed }: Route): NextPage | null {
  if (isStreamed) return null;
  if (query.includes('cursor')) return nextByCursor;
  if (query.includes('offset')) return nextByOffset;
  return query.includes('page') ? nextByPage : null;
}

/** The items of a page: those of its array, or of its arrays, as shares have one for each scope. */
function itemsOf(page: Page): unknown[] {
  return Object.values(page).flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
}

/**
 * All items of a list, page by page. The next page is requested when the items before it have been consumed.
 */
export async function* readItems(
  readPage: (input: Input) => Promise<Page>,
  nextPage: NextPage,
  input: Input,
): AsyncGenerator {
  let offset = 0;
  for (let place: Input | null = {}; place !== null;) {
    const page = await readPage({ ...input, ...place });
    const items = itemsOf(page);
    yield* items;
    place = nextPage(page, items.length, offset);
    offset += items.length;
  }
}
