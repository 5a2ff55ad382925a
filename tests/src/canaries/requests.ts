import { pathParameters, type Route } from '@gatehouse/contract';
import { fieldsOf } from '../badInput/schemaFields.js';
import { fieldsIn, inputOf, requestOf } from '../badInput/routeRequests.js';
import type { KnownIds } from './founder.js';
import type { CanaryOrganization } from './organization.js';

export interface WalkRequest {
  method: string;
  path: string;
  body: string;
}

type Input = Record<string, unknown>;

/** Fields whose names end as those of ids do and that name nothing a caller could guess. */
const NO_IDS = new Set(['requestId', 'tokenId', 'sourceId', 'tokenDashboardId', 'isPrivate', 'cardId']);
const ID_FIELD = /(^|[a-z])Ids?$/;

/** The path segment before a parameter called `id`, or its own name: the key of its candidates. */
function kindOf(route: Route, parameter: string): string {
  if (parameter !== 'id') return parameter;
  return /\/([\w-]+)\/\{id\}/.exec(route.path)?.[1] ?? parameter;
}

/** The ids that a caller could guess in one place. Throws if none are defined: a new route needs some. */
function candidatesOf(ids: KnownIds, kind: string, route: Route): string[] {
  const found = ids[kind];
  if (found === undefined)
    throw new Error(
      `No candidates for ${kind} of ${route.method} ${route.path}: add them to the canary world`,
    );
  return found;
}

/** Every combination of path parameters would be too many: each candidate once, the others rotating along. */
function pathInputs(route: Route, ids: KnownIds): Input[] {
  const parameters = pathParameters(route.path);
  const lists = parameters.map((parameter) => candidatesOf(ids, kindOf(route, parameter), route));
  const count = Math.max(1, ...lists.map((list) => list.length));
  return Array.from({ length: count }, (_, n) =>
    Object.fromEntries(
      parameters.map((parameter, index) => [parameter, lists[index]?.[n % (lists[index]?.length || 1)]]),
    ),
  );
}

/** Inputs of the body or the query: the schema's own sample, and each guessable id in each place. */
function idInputs(route: Route, ids: KnownIds): Input[] {
  const outside = new Set(pathParameters(route.path));
  return fieldsOf(inputOf(route)).flatMap(({ path, inputWith, accepts }) => {
    const name = String(path.findLast((segment) => typeof segment === 'string'));
    const isId = ID_FIELD.test(name) && !NO_IDS.has(name) && accepts.has('string');
    if (!isId || outside.has(String(path[0]))) return [];
    return candidatesOf(ids, name, route).map((id) => inputWith(id));
  });
}

/**
 * Templates with names of foreign records, and with nearly correct names: a suggestion reveals existing ones.
 */
function guessedTemplates({ ids, templates }: CanaryOrganization): object[] {
  const selectedEntities = [{ table: 'kanarie' }];
  const fields = { columns: [{ column: 'kanarie' }] };
  const cards = (kind: string, field: string) =>
    (ids[kind] ?? []).map((id) => ({
      id: 'k',
      dataSource: { [field]: id, mode: field.replace('Id', ''), selectedEntities },
      fields,
    }));
  return [
    {
      sheets: [
        {
          frames: [
            {
              cards: [
                ...cards('connectionId', 'connectionId'),
                ...cards('domainId', 'domainId'),
                ...cards('datamodelId', 'datamodelId'),
              ],
            },
            ...(ids['visualId'] ?? []).map((visualId) => ({ visualId })),
          ],
        },
      ],
      aiContext: { selectedEntities, assistantProfileId: ids['assistantProfileId']?.[0] },
    },
    ...templates,
  ];
}

/** Questions about every foreign resource and user. */
function checkInputs(procedure: string, ids: KnownIds): Input[] {
  const userIds = [undefined, ...(ids['userId'] ?? [])];
  const resources = (['dashboard', 'visual'] as const).flatMap((resourceType) =>
    (ids[`${resourceType}Id`] ?? []).map((resourceId) => ({ resourceType, resourceId })),
  );
  if (procedure.endsWith('subjects')) return resources;
  const resourceType = 'dashboard';
  if (procedure.endsWith('list')) return userIds.map((userId) => ({ resourceType, userId }));
  const checks = resources.flatMap((resource) =>
    userIds.map((userId) => ({ ...resource, userId, level: 'VIEWER' })),
  );
  return [{ checks: checks.slice(0, 1000), reasons: true }];
}

/** Inputs that the schema alone does not lead to, by procedure. */
function specialInputs({ procedure, query }: Route, organization: CanaryOrganization): Input[] {
  const { ids } = organization;
  const connectionId = ids['connectionId']?.[0];
  const lists = query.filter((field) => ['scope', 'includeMembers', 'includeTotal'].includes(field));
  if (lists.length > 0) return lists.map((field) => ({ [field]: field === 'scope' ? 'organization' : true }));
  if (procedure === 'lifecycle.validation.validate' || procedure === 'lifecycle.validation.fix') {
    const named = (ids['dashboardId'] ?? []).map((dashboardId) => ({ dashboardId }));
    return [...named, ...guessedTemplates(organization).map((template) => ({ template }))];
  }
  if (procedure === 'lifecycle.validation.validateAll')
    return [
      {},
      { filter: { ids: ids['dashboardId'] } },
      { filter: { type: 'tenant', tenantId: ids['tenantId']?.[0] } },
    ];
  if (procedure.startsWith('access.checks.')) {
    const inputs = checkInputs(procedure, ids);
    return [...inputs, ...inputs.map((input) => ({ ...input, at: new Date().toISOString() }))];
  }
  if (procedure.endsWith('Decisions.explain'))
    return (ids['userId'] ?? []).map((userId) => ({ userId, at: new Date().toISOString() }));
  if (procedure === 'policy.previews.preview')
    return (ids['tenantId'] ?? []).map((tenantId) => ({
      connectionId,
      actor: { kind: 'TENANT', tenantId },
      sql: 'select * from kanarie',
    }));
  if (procedure === 'lifecycle.migrations.migrate')
    return (ids['projectId'] ?? []).map((targetProjectId) => ({
      targetProjectId,
      connectionMapping: {},
      dryRun: true,
    }));
  if (procedure.endsWith('Shares.grant'))
    return (ids['groupId'] ?? []).map((groupId) => ({
      shares: [{ scope: 'group', groupId, role: 'VIEWER' }],
    }));
  if (procedure === 'directory.groups.addMembers') return [{ userIds: ids['userIds'] }];
  return [];
}

/** Every request to a route that a caller could guess, who knows the ids of an organization. */
export function requestsTo(route: Route, organization: CanaryOrganization): WalkRequest[] {
  const { ids } = organization;
  const inputs = [{}, ...idInputs(route, ids), ...specialInputs(route, organization)];
  const inPaths = pathInputs(route, ids);
  const count = Math.max(inputs.length, inPaths.length);
  return Array.from({ length: count }, (_, n) => {
    const input = { ...inputs[n % inputs.length], ...inPaths[n % inPaths.length] };
    const { method, path, body } = requestOf(route, input);
    const isBare = fieldsIn('body', route).length === 0 || method === 'GET';
    return { method, path, body: isBare ? '' : (body?.toString() ?? '{}') };
  });
}

/** Every read of the records that users of both tenants may open. */
export function sharedReads(route: Route, organization: CanaryOrganization): WalkRequest[] {
  if (route.method !== 'GET' || !/\/(?:dashboards|visuals)\/\{id\}/.test(route.path)) return [];
  const { ids, shared } = organization;
  return requestsTo(route, { ...organization, ids: { ...ids, ...shared } });
}
