import { invalidField, type Coverage, type PolicyActor } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { createTableMatcher } from '../sql/logic/matchTables.js';
import { coverTables, type CoverageRequest } from './logic/coverTables.js';
import type { ActorFacts, AssignmentFacts } from './logic/facts.js';
import { resolvePolicies } from './logic/resolvePolicies.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { ALL_TENANTS_KEY, type ConnectionRef } from '../store/documents.js';
import { factsOfKnown, getActorFacts, toPolicyActor } from '../actors/findActors.js';
import { readAssignmentFacts, withDefinitions, candidateKeys } from './readCandidates.js';
import type { DescribedConnection } from '../connections/findConnections.js';
import { refuseFaults, requireProjectAdmin } from '../admission/refusals.js';

/** Each actor adds a list of ungoverned tables to the response. */
const ACTORS_MAX = 500;
const TOO_MANY = `has assignments to more than ${ACTORS_MAX} actors: name one of them`;

type CoverageInput = Input<'previews', 'coverage'>;

/** The actor of the request; null if it names none. */
function namedActor({ orgUserId, tenantId, tenantUserId }: CoverageInput): PolicyActor | null {
  const given = Object.entries({ orgUserId, tenantId, tenantUserId }).filter(([, id]) => id !== undefined);
  refuseFaults(given.slice(1).map(([field]) => ({ field, message: 'goes without another actor' })));
  if (orgUserId !== undefined) return { kind: 'ORG_USER', orgUserId };
  if (tenantId !== undefined) return { kind: 'TENANT', tenantId };
  if (tenantUserId !== undefined) return { kind: 'TENANT_USER', tenantUserId };
  return null;
}

/** The actors with an assignment on the connection, except deleted ones. */
async function assignedActors(
  deps: Dependencies,
  target: ConnectionRef,
  context: CallContext,
): Promise<ActorFacts[]> {
  const { projectId, connectionId } = target;
  const assigned = await deps.stores.assignments.listActors(projectId, connectionId, ACTORS_MAX + 1);
  if (assigned.length > ACTORS_MAX) throw invalidField('connectionId', TOO_MANY);
  const names = assigned.map(({ scopeType: kind, actorId: id }) => ({ kind, id }));
  const known = await deps.actors.lookUp(context, names);
  return assigned.flatMap(({ scopeType: kind, actorId: id, actorKey }) => {
    if (actorKey === ALL_TENANTS_KEY) return [factsOfKnown(kind, undefined)];
    const actor = known.find({ kind, id });
    return actor?.key === actorKey ? [factsOfKnown(kind, actor)] : [];
  });
}

/** The assignments that may apply to any of the actors, by actor key. */
async function candidatesByKey(
  deps: Dependencies,
  { projectId, connectionId }: ConnectionRef,
  actors: readonly ActorFacts[],
): Promise<Map<string, AssignmentFacts[]>> {
  const keys = [...new Set(actors.flatMap(candidateKeys))];
  const facts = await readAssignmentFacts(deps, async () => {
    const assignments = await deps.stores.assignments.listCandidates(projectId, connectionId, keys);
    return withDefinitions(deps, projectId, assignments);
  });
  const byKey = new Map<string, AssignmentFacts[]>(keys.map((key) => [key, []]));
  for (const each of facts) byKey.get(each.actorKey ?? ALL_TENANTS_KEY)?.push(each);
  return byKey;
}

function cover(
  actor: ActorFacts,
  assignments: AssignmentFacts[],
  on: { described: DescribedConnection; isGoverned: boolean } & Pick<
    CoverageRequest,
    'tables' | 'matchTables'
  >,
): Coverage {
  const { dialect, unassignedActors } = on.described.connection;
  const { rules } = resolvePolicies({
    actor,
    connection: { dialect, unassignedActors },
    isGoverned: on.isGoverned,
    assignments,
    tokenPolicies: null,
    tokenParams: {},
    runtimeParams: {},
    onlyTokenPolicies: false,
  });
  const { isGoverned, tables, matchTables } = on;
  return coverTables({ actor: toPolicyActor(actor), isGoverned, tables, matchTables, rules });
}

/** Finds the tables that no rule governs, for one actor or for each actor with an assignment. */
export async function coverPolicies(
  deps: Dependencies,
  input: CoverageInput,
  context: CallContext,
): Result<'previews', 'coverage'> {
  const { projectId, connectionId } = input;
  await requireProjectAdmin(deps, projectId, context);
  const target = { projectId, connectionId };
  const named = namedActor(input);
  const described = await deps.connections.get(context, connectionId);
  const { catalog } = described;
  if (!catalog)
    throw invalidField('connectionId', 'names a connection whose catalog was not read yet', 'reference');
  const [actors, isGoverned] = await Promise.all([
    named
      ? getActorFacts(deps, { actor: named, path: '' }, context).then((actor) => [actor])
      : assignedActors(deps, target, context),
    deps.stores.definitions.hasAnyOf(projectId, connectionId),
  ]);
  const candidates = await candidatesByKey(deps, target, actors);
  const index = deps.indexCatalog(catalog, described.connection.dialect);
  const { tables } = index;
  const matchTables = createTableMatcher(index);
  const covered = actors.map((actor) => {
    const assignments = candidateKeys(actor).flatMap((key) => candidates.get(key) ?? []);
    return cover(actor, assignments, { described, isGoverned, tables, matchTables });
  });
  return { ok: true, data: { connectionId, actors: covered } };
}
