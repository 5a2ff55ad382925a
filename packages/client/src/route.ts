import { ROUTES, type RouteArea, type RouteLine } from './generated/routes.js';

/** The route of an operation. */
export interface Route {
  operationId: string;
  method: RouteLine['method'];
  /** With parameters in braces, as `/dashboards/{id}`. */
  path: string;
  /** The fields of the input in the query. */
  query: readonly string[];
  area: RouteArea;
  isPublic: boolean;
  isStreamed: boolean;
}

function readLine([operationId, line]: [string, RouteLine]): Route {
  const { query = [], area = 'management', isPublic = false, isStreamed = false } = line;
  return { operationId, method: line.method, path: line.path, query, area, isPublic, isStreamed };
}

export const routes: readonly Route[] = Object.entries(ROUTES).map(readLine);

/** The names of a path's parameters, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}
