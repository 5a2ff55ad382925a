import fc from 'fast-check';
import { succeeded, type Api, type Project } from '../api.js';
import type { BuiltOrganization } from '../organizations/build.js';

/** Policies of a random organization; numbers pick from what there is. */
export interface PolicySeed {
  definitions: { expression: number; hasSchema: boolean }[];
  assignments: { definition: number; actor: number; region: number }[];
}

const choice = fc.nat(9999);
export const policySeeds: fc.Arbitrary<PolicySeed> = fc.record({
  definitions: fc.array(fc.record({ expression: choice, hasSchema: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  assignments: fc.array(fc.record({ definition: choice, actor: choice, region: choice }), { maxLength: 8 }),
});

const EXPRESSIONS = [
  'region = {{ region }}',
  'tenant = {{ actor.tenantId }}',
  "region IN ('north', 'south')",
  'id < 100 AND region <> {{ region }}',
];
const REGIONS = ['north', 'south', "we'st"];
const CATALOG = {
  defaultSchema: 'public',
  schemas: ['public', 'archive'].map((name) => ({
    name,
    tables: [
      {
        name: 'orders',
        columns: ['id', 'region', 'tenant'].map((column) => ({ name: column, type: 'text' })),
      },
    ],
  })),
};

interface Id {
  id: string;
}
type Body = Record<string, unknown>;

const pick = <T>(items: readonly T[], number: number): T | undefined => items[number % items.length];

/** The actors of an organization: all tenants, each tenant and each user. */
function actorsOf({ tenants, users }: BuiltOrganization): Body[] {
  return [
    { kind: 'ALL_TENANTS' },
    ...Object.values(tenants).map((tenantId) => ({ kind: 'TENANT', tenantId })),
    ...Object.values(users).map(({ id, tenant }) =>
      tenant === null ? { kind: 'ORG_USER', orgUserId: id } : { kind: 'TENANT_USER', tenantUserId: id },
    ),
  ];
}

const pathOf = ({ projectId }: Project) => `/projects/${projectId}/unified-security`;

/** Creates a connection, policies and a test of each definition in the first project. */
export async function buildPolicies(api: Api, built: BuiltOrganization, seed: PolicySeed): Promise<void> {
  const create = async <T>(path: string, body: Body) => succeeded(await api.admin.post<T>(path, body));
  const base = pathOf(api.project);
  const connection = { name: `${built.tag} ware/house`, type: 'static', config: { dialect: 'postgres' } };
  const made = await create<{ connection: Id }>('/api/v1/connections', { ...connection, catalog: CATALOG });
  const definitions: string[] = [];
  for (const [index, { expression, hasSchema }] of seed.definitions.entries()) {
    const rule = {
      name: `rule ${index}`,
      matcher: { type: 'TABLE_LIST', tables: [{ table: 'orders' }] },
      expression: pick(EXPRESSIONS, expression),
    };
    const answer = await create<{ data: { definition: Id } }>(`${base}/definitions`, {
      connectionId: made.connection.id,
      name: `definition ${index}`,
      rlsConfig: { rules: [rule] },
      ...(hasSchema && { slsConfig: { allowedSchemas: ['public'] } }),
    });
    definitions.push(answer.data.definition.id);
  }
  const actors = actorsOf(built);
  for (const { definition, actor, region } of seed.assignments) {
    const { kind, ...ids } = pick(actors, actor) ?? {};
    const params = { region: pick(REGIONS, region) };
    const body = { definitionId: pick(definitions, definition), scopeType: kind, ...ids, params };
    const { status } = await api.admin.post(`${base}/assignments`, body);
    // A definition is assigned to an actor once.
    if (status !== 409) expect201(status);
  }
  for (const id of definitions)
    await create(`${base}/definitions/${id}/tests`, {
      name: 'all orders',
      actor: actors[actors.length - 1],
      sql: 'SELECT id FROM orders',
      expect: { status: 'compiled' },
    });
}

function expect201(status: number): void {
  if (status !== 201) throw new Error(`Expected 201, got ${status}`);
}

interface Lists {
  connections: (Id & { name: string })[];
  users: (Id & { email: string })[];
}
type Definitions = { data: { definition: Id & { name: string } }[] };
type Assignments = {
  data: { assignment: Id & Body & { definitionId: string; scopeType: string } }[];
};

/** The ids that differ between an organization and its copy, with names that do not. */
async function findNames(api: Api): Promise<Map<string, string>> {
  const get = async <T>(path: string) => succeeded(await api.admin.get<T>(path));
  const base = pathOf(api.project);
  const names = new Map<string, string>();
  for (const { id, name } of (await get<Lists>('/api/v1/connections')).connections) names.set(id, name);
  for (const { id, email } of (await get<Lists>('/org-users?limit=1000')).users) names.set(id, email);
  for (const { definition } of (await get<Definitions>(`${base}/definitions`)).data)
    names.set(definition.id, definition.name);
  for (const { assignment } of (await get<Assignments>(`${base}/assignments`)).data) {
    const { id, definitionId, scopeType, orgUserId, tenantId, tenantUserId } = assignment;
    const actor = [orgUserId, tenantId, tenantUserId].map((of) => names.get(String(of)) ?? of);
    names.set(id, JSON.stringify([names.get(definitionId), scopeType, actor]));
  }
  return names;
}

/** A value with names in place of ids, wherever a text contains one. */
export function renameAll(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return [...names].reduce((text, [id, name]) => text.replaceAll(id, name), value);
  if (Array.isArray(value)) return value.map((item) => renameAll(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameAll(item, names)]));
}

/** The previews of all actors of the first project, with names in place of ids. */
export async function readPreviews(api: Api, built: BuiltOrganization): Promise<unknown[]> {
  const names = await findNames(api);
  const { connections } = succeeded(await api.admin.get<Lists>('/api/v1/connections'));
  const connectionId = connections.find(({ name }) => name.startsWith(built.tag))?.id;
  const previews: unknown[] = [];
  for (const actor of actorsOf(built)) {
    const body = { connectionId, actor, sql: 'SELECT id, region FROM orders' };
    const answer = await api.admin.post(`${pathOf(api.project)}/preview`, body);
    previews.push(renameAll({ status: answer.status, body: answer.body }, names));
  }
  return previews;
}
