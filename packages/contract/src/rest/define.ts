import type { ErrorCode } from '../errors.js';
import { findProcedure, type ProcedurePath } from '../services/index.js';
import { optionsOf } from './options.js';
import { quotasOf } from './quotas.js';
import { accessOf } from './roles.js';
import {
  BODY_LIMIT_BYTES,
  PAGE_CURSOR,
  pathParameters,
  type HttpMethod,
  type PagedRoute,
  type Route,
  type RouteArea,
  type RouteDeprecation,
  type RouteLane,
  type RoutePages,
  type RouteTokens,
} from './route.js';

export interface RouteSettings {
  area?: RouteArea;
  tokens?: RouteTokens;
  /** `short` by default; a test holds the decision for each procedure. */
  lane?: RouteLane;
  success?: 200 | 201;
  errors?: readonly ErrorCode[];
  record?: string;
  bodyLimit?: number;
  changesPrincipals?: boolean;
  pages?: RoutePages;
  deprecated?: RouteDeprecation;
  cacheSeconds?: number;
  /** The fields in the body of a DELETE; for other methods the method decides. */
  body?: readonly string[];
}

/** The errors of a batch besides those of every route: those of its operations. */
export const BATCH_ERRORS = ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND'] as const;

export interface RouteHead<P extends ProcedurePath, O extends string> {
  operationId: O;
  summary: string;
  tag: string;
  procedure: P;
}

/**
 * The codes that follow from the shape of a route: a token can be missing, an input invalid, a record
 * changed, an idempotency key used before, or in use by a request that still runs, which is the conflict.
 */
function impliedErrors(method: HttpMethod, route: { path: string; tokens: RouteTokens }): ErrorCode[] {
  const codes: ErrorCode[] = ['INVALID_REQUEST'];
  if (route.tokens !== 'none') codes.push('UNAUTHENTICATED');
  if (route.tokens !== 'none' && route.tokens !== 'any') codes.push('FORBIDDEN');
  if (pathParameters(route.path).length > 0) codes.push('NOT_FOUND');
  if (method === 'POST') codes.push('IDEMPOTENCY_KEY_REUSED', 'CONFLICT');
  if (method !== 'GET' && method !== 'POST') codes.push('PRECONDITION_FAILED');
  return codes;
}

/** Creates a route from its line in the table, with common defaults. */
export function defineRoute<P extends ProcedurePath, const O extends string>(
  [method, path]: readonly [HttpMethod, string],
  head: RouteHead<P, O>,
  settings: RouteSettings = {},
): Route<P, O> {
  const tokens = settings.tokens ?? 'project';
  const inPath = pathParameters(path);
  const fields = Object.keys(findProcedure(head.procedure).input.shape).filter(
    (field) => !inPath.includes(field),
  );
  // Only the gateway uses the cursor of each page.
  const given = settings.pages === undefined ? fields : fields.filter((field) => field !== PAGE_CURSOR);
  const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const inBody = takesBody ? given : (settings.body ?? []);
  const implied = impliedErrors(method, { path, tokens });
  if (quotasOf(head.procedure).length > 0) implied.push('QUOTA_EXCEEDED');
  const selectable = {
    method,
    procedure: head.procedure,
    ...(settings.record === undefined ? {} : { record: settings.record }),
    ...(settings.pages === undefined ? {} : { pages: settings.pages }),
    ...(settings.cacheSeconds === undefined ? {} : { cacheSeconds: settings.cacheSeconds }),
  };
  return {
    ...head,
    ...selectable,
    path,
    options: optionsOf(selectable),
    tokens,
    access: accessOf(head.procedure),
    lane: settings.lane ?? 'short',
    area: settings.area ?? 'management',
    success: settings.success ?? 200,
    query: given.filter((field) => !inBody.includes(field)),
    errors: [...new Set([...implied, ...(settings.errors ?? [])])],
    ...(settings.deprecated === undefined ? {} : { deprecated: settings.deprecated }),
    bodyLimit: settings.bodyLimit ?? BODY_LIMIT_BYTES,
    changesPrincipals: settings.changesPrincipals ?? false,
  };
}

/** The same for a route with pages; its type includes the type of the pages. */
export function definePagedRoute<P extends ProcedurePath, const O extends string, const G extends RoutePages>(
  line: readonly [HttpMethod, string],
  head: RouteHead<P, O>,
  settings: RouteSettings & { pages: G },
): PagedRoute<P, O, G> {
  return { ...defineRoute(line, head, settings), pages: settings.pages };
}

/** A partial update under PATCH and PUT alike. */
export function defineUpdates<P extends ProcedurePath, const O extends string>(
  path: string,
  head: RouteHead<P, O>,
  settings: RouteSettings,
): [Route<P, O>, Route<P, `${O}ByPut`>] {
  return [
    defineRoute(['PATCH', path], head, settings),
    defineRoute(['PUT', path], { ...head, operationId: `${head.operationId}ByPut` as const }, settings),
  ];
}
