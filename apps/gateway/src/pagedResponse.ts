import { NEXT_CURSOR, type Route, type RoutePages } from '@gatehouse/contract';
import { accepts } from './accepts.js';
import type { GatewayResponse, StreamedBody } from './respond.js';

const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';

type Page = Record<string, unknown>;
/** Loads the first page, or the page at a cursor. */
type LoadPage = (cursor?: string) => Promise<unknown>;

/** The aggregate of the pages so far: the fields that are equal on every page, and the sums. */
interface Total {
  fields: Page;
  done: number;
}

/** Writes pages in one format, one after the other. */
interface PageWriter {
  begin(first: Page): string;
  write(page: Page, total: Total): string;
  end(total: Total): string;
}

function itemsOf(page: Page, { items }: RoutePages): unknown[] {
  const list = page[items];
  if (!Array.isArray(list)) throw new Error(`page field ${items} must be a list`);
  return list;
}

function addPage(total: Total, page: Page, pages: RoutePages): Total {
  const sums = pages.sums.map((name) => [name, Number(total.fields[name] ?? 0) + Number(page[name])]);
  const { [pages.items]: _items, [NEXT_CURSOR]: _next, ...constant } = page;
  return {
    fields: { ...constant, ...Object.fromEntries(sums) },
    done: total.done + itemsOf(page, pages).length,
  };
}

/** Writes one JSON object. The fields follow the items, because the sums are complete only then. */
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

/** Writes a line for each item, a progress line after each page, and a summary line at the end. */
function lineWriter(pages: RoutePages): PageWriter {
  const { item, total: totalField } = pages;
  return {
    begin: () => '',
    write(page, { done, fields }) {
      const items = itemsOf(page, pages).map((value) => line({ type: item, [item]: value }));
      const total = totalField === undefined ? {} : { total: fields[totalField] };
      return items.join('') + line({ type: 'progress', done, ...total });
    },
    end: ({ fields }) => line({ type: 'summary', ...fields }),
  };
}

async function* writePages(
  first: Page,
  loadPage: LoadPage,
  { pages, writer }: { pages: RoutePages; writer: PageWriter },
): AsyncGenerator<string> {
  let page = first;
  let total = addPage({ fields: {}, done: 0 }, page, pages);
  yield writer.begin(first) + writer.write(page, total);
  while (typeof page[NEXT_CURSOR] === 'string') {
    page = (await loadPage(page[NEXT_CURSOR])) as Page;
    total = addPage(total, page, pages);
    yield writer.write(page, total);
  }
  yield writer.end(total);
}

export interface PagedRequest {
  route: Route & { pages: RoutePages };
  /** The `Accept` header. */
  accept: string | undefined;
  loadPage: LoadPage;
  /** Returns the error body of a failure after the response began. */
  explain(error: unknown): string;
}

/**
 * Responds to a paged route with all of its pages, as one JSON object or line by line. The first page is
 * loaded before the response begins, so its failure has its own status. If a later page fails, lines end
 * with an error line, and a JSON object is cut off.
 */
export async function respondWithPages({
  route,
  accept,
  loadPage,
  explain,
}: PagedRequest): Promise<GatewayResponse> {
  const { pages, success } = route;
  const isLines = accepts(accept, LINES_TYPE);
  const first = (await loadPage()) as Page;
  const writer = isLines ? lineWriter(pages) : objectWriter(pages);
  const body: StreamedBody = {
    chunks: writePages(first, loadPage, { pages, writer }),
    errorTrailer: (error) => (isLines ? `{"type":"error",${explain(error).slice(1)}\n` : null),
  };
  return {
    status: success,
    contentType: isLines ? LINES_TYPE : JSON_TYPE,
    entityTag: null,
    body,
    headers: [],
  };
}
