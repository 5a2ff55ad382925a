import type { ErrorCode } from '../errors.js';
import { findProcedure, type ProcedurePath } from '../services/index.js';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The areas of the API, which differ in the form of their error bodies. */
export type RouteArea =
  | 'management'
  | 'tenantUsers'
  | 'token'
  | 'service'
  | 'domains'
  | 'security'
  | 'validation'
  | 'migration';

/** Which tokens a route takes: none at all, project tokens, or also the token of the dashboard that the path names. */
export type RouteTokens = 'none' | 'project' | 'projectOrOwnDashboard' | 'any';

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
  /** The procedure that answers. Its input is made of the path parameters, the query and the body. */
  procedure: P;
  success: 200 | 201;
  /** The input's fields that come in the query. Those that are neither here nor in the path come in the body. */
  query: readonly string[];
  /** What this route may answer beside success; what any route may answer is in `COMMON_ERRORS`. */
  errors: readonly ErrorCode[];
  /** The field of the answer, as `dashboard` or `data.definition`, that holds the one record whose version makes the entity tag. */
  record?: string;
  /** Bytes. */
  bodyLimit: number;
  /** The operation may change who a principal is, so what is remembered of principals is forgotten before the answer. */
  changesPrincipals: boolean;
  /**
   * The procedure answers a page and a `nextCursor`, and the gateway asks for one page after the other: the caller gets them
   * as one answer, or line by line as NDJSON when it accepts `application/x-ndjson`. For reads: an answer that is too large to
   * be kept for its idempotency key is made anew.
   */
  pages?: RoutePages;
  /** The route still works, and says by the `Deprecation` and `Sunset` headers that it will not for ever. */
  deprecated?: RouteDeprecation;
}

/** A route whose answer comes in pages, with the types of its pages. */
export type PagedRoute<P extends ProcedurePath, O extends string, G extends RoutePages> = Route<P, O> & {
  pages: G;
};

export interface RoutePages {
  /** The array that each page brings a part of. */
  items: string;
  /** What one line of the stream holds, as `result`. */
  item: string;
  /** Counts that each page brings a part of; the other fields are the same on every page. */
  sums: readonly string[];
  /** The field that holds the number of items of all pages, for progress. */
  total: string;
}

export interface RouteDeprecation {
  /** When it became deprecated, and when it ends, as ISO 8601 dates. */
  since: string;
  sunset: string;
}

/** Any route may answer these: they come from the gateway itself or from a part that is down. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
];

export const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
/** For routes that take a template. */
export const TEMPLATE_BODY_LIMIT_BYTES = 4 * 1024 * 1024;

/** The fields by which a paged procedure is asked for a page, and says which is the next; callers never see them. */
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
  // Each page's cursor is the gateway's business alone.
  const given = Object.keys(findProcedure(route.procedure).input.shape).filter(
    (field) => route.pages === undefined || field !== PAGE_CURSOR,
  );
  return { path, query, body: given.filter((field) => !path.includes(field) && !query.includes(field)) };
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

/** Whether success is answered with an entity tag: what is deleted has none any more. */
export function hasEntityTag({ record }: Route): boolean {
  return record !== undefined && !record.startsWith('deleted');
}
