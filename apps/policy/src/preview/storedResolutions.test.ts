import type { InputOf, ParamValue, Params, PolicyActor, Services } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import { randomRuns } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startPlatform, type Preview, type Project } from '../testing/platform.js';
import { modelResolution } from '../testing/resolutionModel.js';
import { resolutionRequests } from '../testing/resolutionRequests.js';
import { canonicalJson } from './logic/diffPreviews.js';
import type { ActorFacts, AssignmentFacts, ResolutionRequest } from './logic/facts.js';

const { platform } = await usePlatform(startPlatform);
const { policy, people, connections } = platform;

type Batch = InputOf<Services['policy']['procedures']['assignments']['batch']>;
const noActor = { id: null, key: null, name: null, email: null, role: null, tenantId: null, tenantKey: null };

/** A person or tenant, by its key in `resolutionRequests`. */
interface Known {
  input: PolicyActor;
  facts: ActorFacts;
}

const tenants = ['t1', 't2'].map((id) => people.tenant(id));
const users = tenants.map((tenant, index) => people.tenantUser(`u${index + 1}`, tenant.id));
const orgUsers = ['o1', 'o2'].map((id) => people.orgUser(id, 'AUTHOR'));
const KNOWN = new Map<string, Known>([
  ...tenants.map(({ id, key }, index): [string, Known] => [
    `TENANT kt${index + 1}`,
    {
      input: { kind: 'TENANT', tenantId: id },
      facts: { ...noActor, kind: 'TENANT', id, key, tenantId: id, tenantKey: key },
    },
  ]),
  ...users.map(({ userId: id, userKey: key, tenantId, tenantKey }, index): [string, Known] => [
    `TENANT_USER ku${index + 1}`,
    {
      input: { kind: 'TENANT_USER', tenantUserId: id },
      facts: { ...noActor, kind: 'TENANT_USER', id, key, tenantId, tenantKey },
    },
  ]),
  ...orgUsers.map(({ userId: id, userKey: key }, index): [string, Known] => [
    // In the random requests an org user also has the key of a tenant user.
    `ORG_USER ${index === 0 ? 'ko1' : 'ku1'}`,
    { input: { kind: 'ORG_USER', orgUserId: id }, facts: { ...noActor, kind: 'ORG_USER', id, key } },
  ]),
  ['ALL_TENANTS null', { input: { kind: 'ALL_TENANTS' }, facts: { ...noActor, kind: 'ALL_TENANTS' } }],
]);

/** Params without the built-in names, which the service rejects. */
const withoutBuiltIn = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([name]) => !name.startsWith('actor.')));

type Configs = Pick<AssignmentFacts['definition'], 'clsConfig' | 'slsConfig' | 'rlsConfig'>;
function storable({ clsConfig, slsConfig, rlsConfig }: Configs): Configs {
  const rules = rlsConfig?.rules?.map((each) => ({ ...each, params: withoutBuiltIn(each.params ?? {}) }));
  return { clsConfig, slsConfig, rlsConfig: rules ? { rules } : null };
}

/** The configs that are there: only changes take null. */
const withoutNull = ({ clsConfig, slsConfig, rlsConfig }: Configs) => ({
  ...(clsConfig && { clsConfig }),
  ...(slsConfig && { slsConfig }),
  ...(rlsConfig && { rlsConfig }),
});

async function define(project: Project, id: string, configs: Configs) {
  const made = await project.define({ name: `${id} ${newKey()}`, ...withoutNull(configs) });
  return { ...configs, id: made.definition.id, name: made.definition.name };
}

const scopeOf = ({ kind, ...ids }: PolicyActor) => ({ scopeType: kind, ...ids });

/** Stores the assignments of a random request in one batch. Another one changes and deletes some of them. */
async function store(project: Project, request: ResolutionRequest): Promise<AssignmentFacts[]> {
  const definitions = new Map<string, AssignmentFacts['definition']>();
  const stored: AssignmentFacts[] = [];
  const taken = new Set<string>();
  const { projectId, origin } = project;
  const send = async (operations: Batch['operations']) =>
    (await policy.assignments.batch.mutate({ projectId, operations }, { context: origin })).data;
  const creations: Batch['operations'] = [];
  for (const { definition, scopeType, actorKey, params } of request.assignments) {
    const known = KNOWN.get(`${scopeType} ${actorKey}`);
    const configs = storable(definition);
    const isEmpty = Object.values(configs).every((config) => config === null);
    if (known === undefined || isEmpty || taken.has(`${definition.id} ${scopeType} ${actorKey}`)) continue;
    taken.add(`${definition.id} ${scopeType} ${actorKey}`);
    const made = definitions.get(definition.id) ?? (await define(project, definition.id, configs));
    definitions.set(definition.id, made);
    const own = withoutBuiltIn(params);
    creations.push({ op: 'create', definitionId: made.id, params: own, ...scopeOf(known.input) });
    stored.push({
      id: '',
      definition: made,
      scopeType,
      actorKey: known.facts.key,
      params: own,
      source: 'persisted',
    });
  }
  if (creations.length === 0) return [];
  const { results } = await send(creations);
  const ids = results.map(({ assignment }) => assignment?.id ?? '');
  const created = stored.map((each, index) => ({ ...each, id: ids[index] ?? '' }));
  const changed = created.filter((_, index) => index % 3 === 1);
  const deleted = created.filter((_, index) => index % 3 === 2);
  const params = { x: 'changed' } satisfies Record<string, ParamValue>;
  const changes: Batch['operations'] = [
    ...changed.map(({ id }) => ({ op: 'update' as const, assignmentId: id ?? '', params })),
    ...deleted.map(({ id }) => ({ op: 'delete' as const, assignmentId: id ?? '' })),
  ];
  if (changes.length > 0) await send(changes);
  return created
    .filter((each) => !deleted.includes(each))
    .map((each) => (changed.includes(each) ? { ...each, params } : each));
}

/** The parts of a preview that the model has too. */
function summarize({ cls, sls, rls, compiled }: Preview) {
  return {
    cls: cls && { connection: cls.connectionString, file: cls.filePaths?.['f'] ?? null },
    sls: sls && { schema: sls.schema, allowed: sls.allowedSchemas?.toSorted() ?? null },
    rules: rls.rules.map(({ expression, params }) => canonicalJson([expression, params])).toSorted(),
    isUnassigned: compiled.reasons.some(({ code }) => code === 'UNASSIGNED'),
  };
}

function modelled(request: ResolutionRequest) {
  const { cls, sls, rules, isUnassigned } = modelResolution(request);
  return {
    isRefused: isUnassigned || cls === 'refused' || sls === 'refused',
    cls: cls === 'refused' ? null : cls,
    sls: sls === 'refused' ? null : sls,
    rules: rules.map(({ expression, values }) => canonicalJson([expression, values])).toSorted(),
    isUnassigned,
  };
}

it('stored, changed and deleted assignments resolve for every actor as in the reference model', async () => {
  const requests = fc.sample(resolutionRequests, { seed: 20_261_129, numRuns: randomRuns(60) });
  let refused = 0;
  let read = 0;
  for (const request of requests) {
    const project = await platform.openProject();
    const known = connections.connections.get(project.connectionId);
    if (known)
      known.connection = { ...known.connection, unassignedActors: request.connection.unassignedActors };
    const assignments = await store(project, request);
    const listed = await policy.definitions.list.query(
      { projectId: project.projectId },
      { context: project.origin },
    );
    const runtimeParams = withoutBuiltIn(request.runtimeParams);
    for (const { input, facts } of KNOWN.values()) {
      const preview = await project.preview({ actor: input, runtimeParams, sql: 'SELECT 1 AS one' });
      const { isRefused, ...wanted } = modelled({
        ...request,
        actor: facts,
        assignments,
        isGoverned: listed.data.length > 0,
        tokenPolicies: null,
        tokenParams: {},
        runtimeParams,
        onlyTokenPolicies: false,
      });
      expect({ input, ...summarize(preview) }).toEqual({ input, ...wanted });
      expect(preview.compiled.status === 'compiled' && isRefused).toBe(false);
      if (isRefused) refused += 1;
      else read += 1;
    }
  }
  expect(Math.min(refused, read)).toBeGreaterThan(requests.length);
});
