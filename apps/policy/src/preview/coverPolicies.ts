import { invalidField, type Coverage, type OmittedActor, type PolicyActor } from '@gatehouse/contract';
import {
  decodeCursor,
  encodeCursor,
  invalidCursor,
  readVisible,
  runInSlices,
  sliceOf,
  type CallContext,
  type Slice,
} from '@gatehouse/service';
import { z } from 'zod';
import {
  createCoverageBudget,
  createPolicyBudget,
  TooLarge,
  type ByteBudget,
} from '../limits/logic/byteBudget.js';
import { createTableMatcher } from '../sql/logic/matchTables.js';
import { coverTables, type CoverageRequest } from './logic/coverTables.js';
import type { ActorFacts, AssignmentFacts } from './logic/facts.js';
import { resolvePolicies } from './logic/resolvePolicies.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { ALL_TENANTS_KEY, type ConnectionRef } from '../store/documents.js';
import { factsOfKnown, getActorFacts, toPolicyActor } from '../actors/findActors.js';
import { readAssignmentFacts, candidateKeys } from './readCandidates.js';
import type { DescribedConnection } from '../connections/findConnections.js';
import { refuseFaults, requireProjectAdmin } from '../admission/refusals.js';

/** The connection, and the key of the last actor. */
const PartEnd = z.tuple([z.literal('coverage'), z.string(), z.string()]);

/** A page ends after the actor with which it lists more tables than this: about 10 MB. */
const TABLES_MAX = 100_000;

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

function afterKeyOf(connectionId: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [, ofConnection, afterKey] = decodeCursor(cursor, PartEnd);
  if (ofConnection !== connectionId) throw invalidCursor();
  return afterKey;
}

interface Assigned {
  actorKey: string;
  facts: ActorFacts;
}

/** The end of a page of actors of a connection. */
const endOfPart =
  (connectionId: string) =>
  ({ actorKey }: { actorKey: string }) => ['coverage', connectionId, actorKey];

/** The actors with an assignment on the connection, except deleted ones, in the order of their keys. */
async function assignedActors(
  deps: Dependencies,
  { projectId, connectionId, limit, cursor }: CoverageInput,
  context: CallContext,
): Promise<Slice<Assigned>> {
  const { assignments } = deps.stores;
  const endOf = endOfPart(connectionId);
  const readPart = async (after: string | undefined) => {
    const part = { afterKey: afterKeyOf(connectionId, after), limit: limit + 1 };
    const records = await assignments.listActors(projectId, connectionId, part);
    const last = records.length > limit ? records.at(-1) : undefined;
    return { records, nextCursor: last === undefined ? null : encodeCursor(endOf(last)) };
  };
  const visible = await readVisible({ limit, cursor }, readPart, async (assigned): Promise<Assigned[]> => {
    const names = assigned.map(({ scopeType: kind, actorId: id }) => ({ kind, id }));
    const known = await deps.actors.lookUp(context, names);
    return assigned.flatMap(({ scopeType: kind, actorId: id, actorKey }) => {
      if (actorKey === ALL_TENANTS_KEY) return [{ actorKey, facts: factsOfKnown(kind, undefined) }];
      const actor = known.find({ kind, id });
      return actor?.key === actorKey ? [{ actorKey, facts: factsOfKnown(kind, actor) }] : [];
    });
  });
  return sliceOf(visible, limit, endOf);
}

/** The actor of the request, or those with an assignment. */
async function selectActors(
  deps: Dependencies,
  input: CoverageInput,
  context: CallContext,
): Promise<Slice<Assigned>> {
  const named = namedActor(input);
  if (named === null) return assignedActors(deps, input, context);
  if (input.cursor !== undefined) throw invalidCursor();
  const facts = await getActorFacts(deps, { actor: named, path: '' }, context);
  return { records: [{ actorKey: '', facts }], nextCursor: null };
}

/** The assignments that may apply to any of the actors, by actor key. */
async function candidatesByKey(
  deps: Dependencies,
  target: ConnectionRef,
  actors: readonly ActorFacts[],
): Promise<Map<string, AssignmentFacts[]>> {
  const keys = [...new Set(actors.flatMap(candidateKeys))];
  const facts = await readAssignmentFacts(deps, () => deps.stores.assignments.listAssigned(target, keys));
  const byKey = new Map<string, AssignmentFacts[]>(keys.map((key) => [key, []]));
  for (const each of facts) byKey.get(each.actorKey ?? ALL_TENANTS_KEY)?.push(each);
  return byKey;
}

/** The first actors, as many as have policies that fit into one request together, and these policies. */
async function readCandidates(
  deps: Dependencies,
  target: ConnectionRef,
  actors: readonly Assigned[],
): Promise<{ actors: readonly Assigned[]; candidates: Map<string, AssignmentFacts[]> }> {
  try {
    const facts = actors.map((actor) => actor.facts);
    return { actors, candidates: await candidatesByKey(deps, target, facts) };
  } catch (error) {
    if (!(error instanceof TooLarge) || actors.length <= 1) throw error;
    return readCandidates(deps, target, actors.slice(0, Math.ceil(actors.length / 2)));
  }
}

/** What actors are covered on. */
interface CoverageBase extends Pick<CoverageRequest, 'isGoverned' | 'tables' | 'matchTables'> {
  described: DescribedConnection;
}

/** The policies of the actors of one page, and what is left for their coverage. */
interface PageBase extends CoverageBase {
  candidates: ReadonlyMap<string, AssignmentFacts[]>;
  budget: ByteBudget;
}

function* coverActor(
  actor: ActorFacts,
  { described, isGoverned, tables, matchTables, candidates, budget }: PageBase,
): Generator<void, Coverage> {
  const { dialect, unassignedActors } = described.connection;
  const request = {
    actor,
    connection: { dialect, unassignedActors },
    isGoverned,
    assignments: candidateKeys(actor).flatMap((key) => candidates.get(key) ?? []),
    tokenPolicies: null,
    tokenParams: {},
    runtimeParams: {},
    onlyTokenPolicies: false,
  };
  const { rules } = yield* resolvePolicies(request, createPolicyBudget());
  const coverage = { actor: toPolicyActor(actor), isGoverned, tables, matchTables, rules };
  return yield* coverTables(coverage, budget);
}

/**
 * The coverage of the first actors, as many as fit into one page; of one at least.
 * @throws {TooLarge} if the first one alone does not fit
 */
async function coverActors(actors: readonly Assigned[], on: PageBase): Promise<Coverage[]> {
  const covered: Coverage[] = [];
  for (const { facts } of actors) {
    if (covered.length > 0 && (covered.length + 1) * on.tables.length > TABLES_MAX) break;
    try {
      covered.push(await runInSlices(coverActor(facts, on)));
    } catch (error) {
      if (!(error instanceof TooLarge) || covered.length === 0) throw error;
      break;
    }
  }
  return covered;
}

interface CoveragePage {
  actors: Coverage[];
  omitted: OmittedActor | null;
}

/** The coverage of the first actors. If the first one alone does not fit into a page, it is omitted alone. */
async function coverPage(
  deps: Dependencies,
  input: CoverageInput,
  { actors, on }: { actors: readonly Assigned[]; on: CoverageBase },
): Promise<CoveragePage> {
  try {
    const read = await readCandidates(deps, input, actors);
    const page = { ...on, candidates: read.candidates, budget: createCoverageBudget() };
    return { actors: await coverActors(read.actors, page), omitted: null };
  } catch (error) {
    const [first] = actors;
    if (!(error instanceof TooLarge) || first === undefined || namedActor(input) !== null) throw error;
    return { actors: [], omitted: { actor: toPolicyActor(first.facts), reason: error.reason } };
  }
}

/** Finds the tables that no rule governs, for one actor or for each actor with an assignment. */
export async function coverPolicies(
  deps: Dependencies,
  input: CoverageInput,
  context: CallContext,
): Result<'previews', 'coverage'> {
  const { projectId, connectionId } = input;
  await requireProjectAdmin(deps, projectId, context);
  const described = await deps.connections.get(context, connectionId);
  const { catalog } = described;
  if (!catalog)
    throw invalidField('connectionId', 'names a connection whose catalog was not read yet', 'reference');
  const [{ records: actors, nextCursor }, isGoverned] = await Promise.all([
    selectActors(deps, input, context),
    deps.stores.definitions.hasAnyOf(projectId, connectionId),
  ]);
  const index = deps.indexCatalog(catalog, described.connection.dialect);
  const on = { described, isGoverned, tables: index.tables, matchTables: createTableMatcher(index) };
  const page = await coverPage(deps, input, { actors, on });
  const count = page.actors.length + (page.omitted === null ? 0 : 1);
  const last = count < actors.length ? actors[count - 1] : undefined;
  const end = last === undefined ? nextCursor : encodeCursor(endOfPart(connectionId)(last));
  return { ok: true, data: { connectionId, ...page }, nextCursor: end };
}
