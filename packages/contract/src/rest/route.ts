import type { ErrorCode } from '../errors.js';
import { CHECKS_MAX } from '../services/access.js';
import { BATCH_MAX } from '../services/batch.js';
import { findProcedure, type ProcedurePath } from '../services/index.js';
import type { RouteArea } from './area.js';
import type { RouteAccess } from './roles.js';

export type { RouteArea } from './area.js';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The tokens that a route accepts: none at all, project tokens, or also the token of the dashboard in the
 * path, or that of a compiler. `any` accepts project and dashboard tokens.
 */
export type RouteTokens = 'none' | 'project' | 'projectOrOwnDashboard' | 'projectOrCompiler' | 'any';

/**
 * The queue of a request. The duration of a `long` one depends on the amount of work, or on an external
 * system: databases that are introspected, git, receivers of webhooks, work on all records of a project. Each
 * lane has its own capacity, so that long requests never delay short ones.
 */
export type RouteLane = 'short' | 'long';

/**
 * A query parameter that belongs to no procedure. `validateOnly` belongs to a change: the call passes every
 * check and changes nothing. `fields` belongs to a read: the response has only these fields of its records.
 */
export type RouteOption = 'validateOnly' | 'fields';

export interface Route<P extends ProcedurePath = ProcedurePath, O extends string = string> {
  method: HttpMethod;
  /** With parameters in braces, as `/dashboards/{id}`. */
  path: string;
  /** Names the operation in the OpenAPI document and in the client. */
  operationId: O;
  summary: string;
  tag: string;
  area: RouteArea;
  tokens: RouteTokens;
  /** The role, and the level on the record in the request, that the caller needs. */
  access: RouteAccess;
  lane: RouteLane;
  /** The procedure of the route. Its input consists of the path parameters, the query and the body. */
  procedure: P;
  success: 200 | 201;
  /** The input's fields in the query. Those that are neither here nor in the path are in the body. */
  query: readonly string[];
  /** The parameters in the query that are not fields of the input. */
  options: readonly RouteOption[];
  /** The errors that this route may return; those of every route are in `COMMON_ERRORS`. */
  errors: readonly ErrorCode[];
  /**
   * The field of the response, as `dashboard` or `data.definition`, whose record has the version for the
   * entity tag.
   */
  record?: string;
  /** Bytes. */
  bodyLimit: number;
  /** The operation may change a principal, so the cached principals are evicted before the response. */
  changesPrincipals: boolean;
  /**
   * The procedure returns a page and a `nextCursor`, and the gateway requests one page after the other. The
   * caller receives them as one response, or line by line as NDJSON if it accepts `application/x-ndjson`.
   * Only for operations that change nothing.
   */
  pages?: RoutePages;
  /** The seconds for which every cache may keep the response: it is the same for every caller. */
  cacheSeconds?: number;
  /** The route still works. The `Deprecation` and `Sunset` headers announce its end. */
  deprecated?: RouteDeprecation;
}

/** A route with pages, with the types of its pages. */
export type PagedRoute<P extends ProcedurePath, O extends string, G extends RoutePages> = Route<P, O> & {
  pages: G;
};

export interface RoutePages {
  /** The array that each page contains a part of. */
  items: string;
  /** The content of one line of the stream, as `result`. */
  item: string;
  /** Counts that are summed over the pages; the other fields are the same on every page. */
  sums: readonly string[];
  /** The field that holds the number of items of all pages, for progress; absent if it is not known. */
  total?: string;
}

export interface RouteDeprecation {
  /** When it became deprecated, and when it ends, as ISO 8601 dates. */
  since: string;
  sunset: string;
}

/** Every route may return these: they come from the gateway itself or from a part that is down. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
];

/** The maximum nesting of arrays and objects in the JSON of a request. */
export const JSON_DEPTH_MAX = 64;
export const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
/** For requests for a token, which have no token: several times the maximum size of a token's claims. */
export const TOKEN_BODY_LIMIT_BYTES = 512 * 1024;
/** For routes that take a template. */
export const TEMPLATE_BODY_LIMIT_BYTES = 4 * 1024 * 1024;

/** The fields that request a page and return the next cursor of a paged procedure; callers never see them. */
export const PAGE_CURSOR = 'cursor';
export const NEXT_CURSOR = 'nextCursor';

/** The names of a path's parameters, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

/** The fields of a route's input by the part of the request that they come in. */
export function inputFieldsOf(route: Route): Record<'path' | 'query' | 'body', readonly string[]> {
  const path = pathParameters(route.path);
  const { query } = route;
  // Only the gateway uses the cursor of each page.
  const given = Object.keys(findProcedure(route.procedure).input.shape).filter(
    (field) => route.pages === undefined || field !== PAGE_CURSOR,
  );
  return { path, query, body: given.filter((field) => !path.includes(field) && !query.includes(field)) };
}

/** Questions about access that cost together as much as one other request. */
const CHECKS_PER_REQUEST = 100;

const lengthOf = (list: unknown, most: number): number =>
  Array.isArray(list) ? Math.min(list.length, most) : 0;

/** How many requests a request counts as: a batch as its operations, questions about access in hundreds. */
export function requestsIn(
  { procedure }: Pick<Route, 'procedure'>,
  body: Readonly<Record<string, unknown>>,
): number {
  const counted = procedure.endsWith('.batch')
    ? lengthOf(body['operations'], BATCH_MAX)
    : procedure === 'access.checks.check'
      ? Math.ceil(lengthOf(body['checks'], CHECKS_MAX) / CHECKS_PER_REQUEST)
      : 1;
  return Math.max(1, counted);
}

/** The value at a path such as `data.definition`; undefined where the path leads nowhere. */
export function readField(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (part, name) => (typeof part === 'object' && part !== null ? Reflect.get(part, name) : undefined),
      value,
    );
}

/** Whether a success response has an entity tag: one with a record, or one that every cache may keep. */
export function hasEntityTag({ record, cacheSeconds }: Route): boolean {
  // A deleted record has none.
  return cacheSeconds !== undefined || (record !== undefined && !record.startsWith('deleted'));
}
