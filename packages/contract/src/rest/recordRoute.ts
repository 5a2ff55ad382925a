import { routes } from './index.js';
import { hasEntityTag, pathParameters, readField, type HttpMethod, type Route } from './route.js';

/** The path without its last parameter; null if it does not end with one. */
function collectionOf(path: string): string | null {
  return /^(.*)\/\{\w+\}$/.exec(path)?.[1] ?? null;
}

/**
 * The route at the path of the record in the response of a write: the one that reads it, or the one that
 * changes it where a record cannot be read alone. Null if there is none.
 */
export function findRecordRoute(route: Route, table: readonly Route[] = routes): Route | null {
  if (route.method === 'GET' || !hasEntityTag(route)) return null;
  const ofRecord = table.filter(({ record }) => record === route.record);
  const isAbove = ({ path }: Route) => {
    const collection = collectionOf(path);
    return collection !== null && `${route.path}/`.startsWith(`${collection}/`);
  };
  const find = (method: HttpMethod) => {
    const found = ofRecord.filter((known) => known.method === method);
    const same = found.find(({ path }) => path === route.path);
    return same ?? found.filter(isAbove).toSorted((a, b) => b.path.length - a.path.length)[0];
  };
  return find('GET') ?? find('PATCH') ?? null;
}

/** A write: its route, its input and the output of its procedure. */
export interface Written {
  route: Route;
  input: Record<string, unknown>;
  output: unknown;
}

/** The path of the written record, which `recordRoute` has; null if the output has no id. */
export function recordPathOf(recordRoute: Route, { route, input, output }: Written): string | null {
  const own = recordRoute.path === route.path ? undefined : pathParameters(recordRoute.path).at(-1);
  const id = own === undefined ? '' : readField(output, `${route.record}.id`);
  if (typeof id !== 'string') return null;
  return recordRoute.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(name === own ? id : String(input[name])),
  );
}
