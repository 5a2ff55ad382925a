import { invalidField, type Catalog, type Coverage, type PolicyActor } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { coverTables } from '../logic/coverage.js';
import type { ActorFacts, AssignmentFacts } from '../logic/model.js';
import { resolvePolicies } from '../logic/resolve.js';
import type { Answer, Input, Policy } from '../policy.js';
import { ALL_TENANTS_KEY } from '../store/documents.js';
import { factsOfKnown, getActorFacts, toPolicyActor } from './actors.js';
import { readAssignmentFacts, withDefinitions } from './candidates.js';
import { candidateKeys } from './earlyCandidates.js';
import type { Ground } from '../store/assignments.js';
import type { DescribedConnection } from './connections.js';
import { refuseFaults, requireProjectAdmin } from './refusals.js';

/** Each brings the list of the tables that its rules do not govern. */
const ACTORS_MAX = 500;
const TOO_MANY = `has assignments to more than ${ACTORS_MAX} actors: name one of them`;

type Question = Input<'previews', 'coverage'>;

/** The one actor that a request names, if it names one. */
function namedActor({ orgUserId, tenantId, tenantUserId }: Question): PolicyActor | null {
  const given = Object.entries({ orgUserId, tenantId, tenantUserId }).filter(([, id]) => id !== undefined);
  refuseFaults(given.slice(1).map(([field]) => ({ field, message: 'goes without another actor' })));
  if (orgUserId !== undefined) return { kind: 'ORG_USER', orgUserId };
  if (tenantId !== undefined) return { kind: 'TENANT', tenantId };
  if (tenantUserId !== undefined) return { kind: 'TENANT_USER', tenantUserId };
  return null;
}

/** Everybody who has an assignment on the connection; those who are gone since are left out. */
async function assignedActors(policy: Policy, ground: Ground, context: CallContext): Promise<ActorFacts[]> {
  const { projectId, connectionId } = ground;
  const assigned = await policy.stores.assignments.listActors(projectId, connectionId, ACTORS_MAX + 1);
  if (assigned.length > ACTORS_MAX) throw invalidField('connectionId', TOO_MANY);
  const names = assigned.map(({ scopeType: kind, actorId: id }) => ({ kind, id }));
  const known = await policy.actors.lookUp(context, names);
  return assigned.flatMap(({ scopeType: kind, actorId: id, actorKey }) => {
    if (actorKey === ALL_TENANTS_KEY) return [factsOfKnown(kind, undefined)];
    const actor = known.find({ kind, id });
    return actor?.key === actorKey ? [factsOfKnown(kind, actor)] : [];
  });
}

/** The assignments that may apply to any of the actors, by the key that each names. */
async function candidatesByKey(
  policy: Policy,
  { projectId, connectionId }: Ground,
  actors: readonly ActorFacts[],
): Promise<Map<string, AssignmentFacts[]>> {
  const keys = [...new Set(actors.flatMap(candidateKeys))];
  const facts = await readAssignmentFacts(policy, async () => {
    const assignments = await policy.stores.assignments.listCandidates(projectId, connectionId, keys);
    return withDefinitions(policy, projectId, assignments);
  });
  const byKey = new Map<string, AssignmentFacts[]>(keys.map((key) => [key, []]));
  for (const each of facts) byKey.get(each.actorKey ?? ALL_TENANTS_KEY)?.push(each);
  return byKey;
}

function cover(
  actor: ActorFacts,
  assignments: AssignmentFacts[],
  on: { described: DescribedConnection; catalog: Catalog; isGoverned: boolean },
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
  const { catalog, isGoverned } = on;
  return coverTables({ actor: toPolicyActor(actor), isGoverned, dialect, catalog, rules });
}

/** The tables that no rule governs, for one actor or for each that has an assignment. */
export async function coverPolicies(
  policy: Policy,
  input: Question,
  context: CallContext,
): Answer<'previews', 'coverage'> {
  const { projectId, connectionId } = input;
  await requireProjectAdmin(policy, projectId, context);
  const ground = { projectId, connectionId };
  const named = namedActor(input);
  const described = await policy.connections.get(context, connectionId);
  const { catalog } = described;
  if (!catalog) throw invalidField('connectionId', 'names a connection whose catalog was not read yet');
  const [actors, isGoverned] = await Promise.all([
    named
      ? getActorFacts(policy, { actor: named, path: '' }, context).then((actor) => [actor])
      : assignedActors(policy, ground, context),
    policy.stores.definitions.hasAnyOf(projectId, connectionId),
  ]);
  const candidates = await candidatesByKey(policy, ground, actors);
  const covered = actors.map((actor) => {
    const assignments = candidateKeys(actor).flatMap((key) => candidates.get(key) ?? []);
    return cover(actor, assignments, { described, catalog, isGoverned });
  });
  return { ok: true, data: { connectionId, actors: covered } };
}
