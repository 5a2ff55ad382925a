import type { ErrorCode, Route } from '@gatehouse/contract';
import { pathParameters } from '@gatehouse/contract';
import type { Databases } from '@gatehouse/service';
import { succeeded, unique, type Answer } from '../api.js';
import type { AnswerLog } from './answerLog.js';
import type { Prepare, RouteRequest, World } from './statusCase.js';

/** A case that is ready: sending it must be refused. */
export interface ReadyCase {
  code: ErrorCode;
  because: string;
  /** A field that the answer names. */
  field?: string | undefined;
  send(): Promise<Answer>;
}

/** What the common cases are made of. */
export interface CaseParts {
  world: World;
  log: AnswerLog;
  route: Route;
  /** A request that would succeed. Since none of the cases changes anything, one serves them all. */
  request: RouteRequest;
}

const STALE_TAGS = ['"0-00000000"', '"999999-00000000", "0-00000000"', 'W/"1-00000000"', 'nonsense'];

function refusedRequests({
  route,
  request,
  world,
}: CaseParts): Partial<Record<ErrorCode, [string, RouteRequest, string?][]>> {
  const { session: _, ...withoutToken } = request;
  const withHeaders = (headers: Record<string, string>) => ({ ...request, headers });
  const inPath = pathParameters(route.path);
  const isProject = (name: string) => name === 'projectId' && route.errors.includes('PROJECT_NOT_FOUND');
  const unknownParameter = (name: string): [string, RouteRequest] => [
    `an unknown ${name}`,
    { ...request, path: { ...request.path, [name]: 'none' } },
  ];
  const unknownField = { ...request, body: { ...request.body, unknown: 1 } };
  return {
    INVALID_REQUEST: [
      ['an unknown query parameter', { ...request, query: { ...request.query, unknown: '1' } }, 'unknown'],
      ...(route.method === 'GET'
        ? []
        : [['an unknown field', unknownField, 'unknown'] satisfies [string, RouteRequest, string]]),
    ],
    UNAUTHENTICATED: [
      ['no token', withoutToken],
      ['no such token', { ...withoutToken, headers: { authorization: 'Bearer nonsense' } }],
      ['another scheme', { ...withoutToken, headers: { authorization: 'Basic bm9ib2R5Og==' } }],
    ],
    FORBIDDEN: [['the token of another dashboard', { ...request, session: world.anonymous }]],
    NOT_FOUND: inPath.filter((name) => !isProject(name)).map(unknownParameter),
    PROJECT_NOT_FOUND: inPath.filter(isProject).map(unknownParameter),
    PRECONDITION_FAILED: STALE_TAGS.map((tag) => [`If-Match: ${tag}`, withHeaders({ 'if-match': tag })]),
  };
}

/** The cases that follow from the shape of a route, for those codes that it declares. */
export function makeCommonCases(parts: CaseParts): ReadyCase[] {
  const { route, log, request } = parts;
  // Requests that need no token are rejected for their content, which each route has its own cases for.
  const needsToken = route.tokens !== 'none';
  const refused = Object.entries(refusedRequests(parts)) as [ErrorCode, [string, RouteRequest, string?][]][];
  const declared = refused.filter(
    ([code]) => route.errors.includes(code) && (needsToken || code !== 'UNAUTHENTICATED'),
  );
  const cases = declared.flatMap(([code, requests]) =>
    requests.map(([because, altered, field]) => ({
      code,
      because,
      field,
      send: () => log.send(route, altered),
    })),
  );
  return [
    ...cases,
    {
      code: 'PAYLOAD_TOO_LARGE',
      because: 'too large a body',
      send: () => log.announceBody(route, request, route.bodyLimit + 1),
    },
    { code: 'UNSUPPORTED_MEDIA_TYPE', because: 'a body of text', send: () => log.sendText(route, request) },
  ];
}

/** A request with an idempotency key that was answered. */
export interface KeyedRequest {
  /** The key with another body. */
  reuse: ReadyCase;
  /** The request as it was. */
  repeat(): Promise<Answer>;
}

/** Sends a POST with an idempotency key. */
export async function sendKeyed(
  { world, log, route }: Omit<CaseParts, 'request'>,
  prepare: Prepare,
): Promise<KeyedRequest> {
  const headers = { 'idempotency-key': unique('key') };
  const request = await prepare(world);
  // The same caller by another token: the first request may have ended its own.
  const { session } = await prepare(world);
  succeeded(await log.send(route, { ...request, headers }));
  const again = { ...request, ...(session && { session }), headers };
  return {
    reuse: {
      code: 'IDEMPOTENCY_KEY_REUSED',
      because: 'the key of another request',
      send: () => log.send(route, { ...again, body: { ...request.body, differs: true } }),
    },
    repeat: () => log.send(route, again),
  };
}

/**
 * Makes every request with an idempotency key one that still runs, as after the death of the gateway that ran
 * it.
 */
export async function forgetAnswers(databases: Databases): Promise<void> {
  const leaseUntil = new Date(Date.now() + 600_000);
  const unanswered = { $unset: { answer: '' }, $set: { leaseUntil } } as const;
  await databases.of('directory').collection('idempotency').updateMany({}, unanswered);
}
