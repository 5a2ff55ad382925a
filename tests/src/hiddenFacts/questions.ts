import { routes, type Route } from '@gatehouse/contract';
import { inputOf, requestOf } from '../badInput/routeRequests.js';
import { fieldsOf } from '../badInput/schemaFields.js';
import type { CanaryOrganization } from '../canaries/organization.js';
import { requestsTo, type WalkRequest } from '../canaries/requests.js';

/** A request that any caller may send. */
export interface Probe extends WalkRequest {
  route: Route;
  headers: Record<string, string>;
}

/** Fields whose values may have to be unique, or are searched for. */
const NAMED = new Set(['name', 'email', 'search', 'title', 'tenantName', 'endUserEmail', 'tag']);
/** It would end the session of the caller, and with it the comparison. */
const ENDS_TOKEN = 'directory.tokens.invalidate';
export const SHARED_KEY = { 'idempotency-key': 'a-key-of-many-callers' };

/** Requests with a name that a hidden record has. */
function namingRequests(route: Route, names: readonly string[]): WalkRequest[] {
  return fieldsOf(inputOf(route)).flatMap(({ path, inputWith, accepts }) => {
    if (!NAMED.has(String(path.at(-1))) || !accepts.has('string')) return [];
    return names.map((name) => {
      const { method, path: to, body } = requestOf(route, inputWith(name));
      return { method, path: to, body: method === 'GET' ? '' : (body?.toString() ?? '') };
    });
  });
}

/** Changes that a hidden record blocks. The status discloses that it refers to the changed one. */
const BLOCKED: readonly { procedure: string; statuses: readonly [number, number] }[] = [
  // The specification demands 409 while resources are shared with the group.
  { procedure: 'directory.groups.delete', statuses: [200, 409] },
  // The specification does not mention it: docs/semantics.md does. The response names no hidden domain.
  { procedure: 'semantics.connections.delete', statuses: [409, 200] },
  // The specification caps a new member like a grant: by what the group has, hidden resources included.
  { procedure: 'directory.groups.addMembers', statuses: [200, 403] },
];

/** Whether two worlds differ because a hidden record blocks a change in one of them. */
export const isBlocked = ({ procedure }: Route, first: number, second: number): boolean =>
  BLOCKED.some(
    (each) => each.procedure === procedure && each.statuses[0] === first && each.statuses[1] === second,
  );

/** The same request as a dry run, with a precondition, and with a key. */
function variantsOf(route: Route, request: WalkRequest): Probe[] {
  const plain = { ...request, route, headers: {} };
  const dryRun = {
    ...plain,
    path: `${request.path}${request.path.includes('?') ? '&' : '?'}validateOnly=true`,
  };
  // A change that only one world allows would make all later requests differ.
  if (BLOCKED.some(({ procedure }) => procedure === route.procedure)) return [dryRun];
  return [
    plain,
    ...(route.options.includes('validateOnly') ? [dryRun] : []),
    ...(/PATCH|PUT|DELETE/.test(route.method) ? [{ ...plain, headers: { 'if-match': '"1"' } }] : []),
    ...(route.method === 'POST' ? [{ ...plain, headers: SHARED_KEY }] : []),
  ];
}

/** Lists by another order, in small pages, and of one user. */
function listRequests(route: Route, { ids }: CanaryOrganization): WalkRequest[] {
  const values: Record<string, readonly unknown[]> = {
    limit: [1, 2],
    includeTotal: [true],
    includeMembers: [true],
    sort: ['title', 'name', 'members', 'createdAt'],
    createdBy: ids['userId'] ?? [],
    actorId: ids['userId'] ?? [],
    order: ['asc'],
  };
  return route.query.flatMap((field) =>
    (values[field] ?? []).map((value) => {
      const { method, path } = requestOf(route, { [field]: value });
      return { method, path, body: '' };
    }),
  );
}

/** Requests about the records that some callers see in part, with every id in each place. */
function sharedRequests(route: Route, organization: CanaryOrganization): WalkRequest[] {
  if (!/\/(?:dashboards|visuals|groups)\/\{id\}/.test(route.path)) return [];
  const { ids } = organization;
  const dashboards = ids['dashboards']?.slice(1, 2) ?? [];
  const visuals = ids['visuals']?.slice(1, 2) ?? [];
  const groups = ids['groups']?.slice(-2, -1) ?? [];
  return requestsTo(route, { ...organization, ids: { ...ids, dashboards, visuals, groups } });
}

/** The route of a request. */
function routeOf({ method, path }: WalkRequest): Route {
  const [bare] = path.split('?');
  const found = routes.find((route) => route.method === method && pathPattern(route).test(bare ?? ''));
  if (found === undefined) throw new Error(`No route of ${method} ${path}`);
  return found;
}

const pathPattern = ({ path }: Route) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

function withoutRepetitions(requests: readonly WalkRequest[]): WalkRequest[] {
  const keyOf = ({ method, path, body }: WalkRequest) => JSON.stringify([method, path, body]);
  return [...new Map(requests.map((request) => [keyOf(request), request])).values()];
}

/**
 * Every request over REST about the records of these organizations, by route; `further` are
 * requests that no schema leads to.
 */
export function probesOf(
  organizations: readonly CanaryOrganization[],
  names: readonly string[],
  further: readonly WalkRequest[],
): Probe[][] {
  return routes
    .filter(({ procedure }) => procedure !== ENDS_TOKEN)
    .map((route) => {
      const requests = organizations.flatMap((organization) => [
        ...requestsTo(route, organization),
        ...listRequests(route, organization),
        ...sharedRequests(route, organization),
      ]);
      const all = [
        ...requests,
        ...namingRequests(route, names),
        ...further.filter((request) => routeOf(request) === route),
      ];
      return withoutRepetitions(all).flatMap((request) => variantsOf(route, request));
    });
}

export type Phase = 'log' | 'read' | 'keyed' | 'change' | 'deletion';

/** Requests with a key wait for each other. Those that change nothing list no records of random ids yet. */
export function phaseOf({ route: { method, procedure }, path, headers }: Probe): Phase {
  if (procedure.startsWith('audit.events.')) return 'log';
  const isQuestion = /validation|previews|checks|statements|tests\.run/.test(procedure);
  if (method === 'GET' || path.includes('validateOnly') || isQuestion)
    return headers === SHARED_KEY ? 'keyed' : 'read';
  return method === 'DELETE' ? 'deletion' : 'change';
}
