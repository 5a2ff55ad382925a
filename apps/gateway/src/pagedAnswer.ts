import { NEXT_CURSOR, type Route, type RoutePages } from '@gatehouse/contract';
import { accepts } from './accepts.js';
import type { Answer, StreamedBody } from './respond.js';

const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';

type Page = Record<string, unknown>;
/** Asks for the first page, or for the one that a cursor names. */
type AskPage = (cursor?: string) => Promise<unknown>;

/** What the pages so far come to: the fields that are the same on every page, and the sums. */
interface Total {
  fields: Page;
  done: number;
}

/** A form that pages are written in, one after the other. */
interface PageWriter {
  begin(first: Page): string;
  write(page: Page, total: Total): string;
  end(total: Total): string;
}

function itemsOf(page: Page, { items }: RoutePages): unknown[] {
  const found = page[items];
  if (!Array.isArray(found)) throw new Error(`A page has no list of ${items}`);
  return found;
}

function addPage(total: Total, page: Page, pages: RoutePages): Total {
  const sums = pages.sums.map((name) => [name, Number(total.fields[name] ?? 0) + Number(page[name])]);
  const { [pages.items]: _items, [NEXT_CURSOR]: _next, ...constant } = page;
  return {
    fields: { ...constant, ...Object.fromEntries(sums) },
    done: total.done + itemsOf(page, pages).length,
  };
}

/** One JSON object: the items as they come, and then the fields, whose sums are known by then. */
function objectWriter(pages: RoutePages): PageWriter {
  let separator = '';
  return {
    begin: () => `{${JSON.stringify(pages.items)}:[`,
    write(page) {
      const items = itemsOf(page, pages).map((item) => JSON.stringify(item));
      if (items.length === 0) return '';
      const text = separator + items.join(',');
      separator = ',';
      return text;
    },
    end: ({ fields }) => `],${JSON.stringify(fields).slice(1)}`,
  };
}

const line = (value: Page) => `${JSON.stringify(value)}\n`;

/** A line for each item, one for the progress after each page, and the summary as the last. */
function lineWriter(pages: RoutePages): PageWriter {
  const { item, total: totalField } = pages;
  return {
    begin: () => '',
    write(page, { done, fields }) {
      const items = itemsOf(page, pages).map((value) => line({ type: item, [item]: value }));
      return items.join('') + line({ type: 'progress', done, total: fields[totalField] });
    },
    end: ({ fields }) => line({ type: 'summary', ...fields }),
  };
}

async function* writePages(
  first: Page,
  ask: AskPage,
  { pages, writer }: { pages: RoutePages; writer: PageWriter },
): AsyncGenerator<string> {
  let page = first;
  let total = addPage({ fields: {}, done: 0 }, page, pages);
  yield writer.begin(first) + writer.write(page, total);
  while (typeof page[NEXT_CURSOR] === 'string') {
    page = (await ask(page[NEXT_CURSOR])) as Page;
    total = addPage(total, page, pages);
    yield writer.write(page, total);
  }
  yield writer.end(total);
}

export interface PagedRequest {
  route: Route & { pages: RoutePages };
  /** The `Accept` header. */
  accept: string | undefined;
  ask: AskPage;
  /** The error body for what has failed after the answer began. */
  explain(error: unknown): string;
}

/**
 * Answers a route that comes in pages with all of them: as one JSON object, or line by line. The first page is there
 * before the answer begins, so that what fails with it has a status of its own. When a later one fails, lines end with
 * an error, and an object is cut.
 */
export async function answerPages({ route, accept, ask, explain }: PagedRequest): Promise<Answer> {
  const { pages, success } = route;
  const isLines = accepts(accept, LINES_TYPE);
  const first = (await ask()) as Page;
  const writer = isLines ? lineWriter(pages) : objectWriter(pages);
  const body: StreamedBody = {
    chunks: writePages(first, ask, { pages, writer }),
    lastWords: (error) => (isLines ? `{"type":"error",${explain(error).slice(1)}\n` : null),
  };
  return {
    status: success,
    contentType: isLines ? LINES_TYPE : JSON_TYPE,
    entityTag: null,
    body,
    headers: [],
  };
}
