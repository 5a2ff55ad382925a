import { runInSlices, type Sealer } from '@gatehouse/service';
import { invalidField, withName } from '@gatehouse/contract';
import type { ActorFacts, AssignmentFacts, DefinitionFacts } from './logic/facts.js';
import {
  type Assigned,
  type ConnectionRef,
  ALL_TENANTS_KEY,
  type AssignmentDocument,
} from '../store/documents.js';
import type { Stores } from '../store/stores.js';
import { definitionFacts, paramsOf } from '../secrets/sealing.js';
import { unknownReference } from '../admission/refusals.js';

/** The actor keys of the assignments that may apply to the actor. */
export function candidateKeys({ kind, key, tenantKey }: ActorFacts): string[] {
  const keys = kind === 'ORG_USER' ? [key, tenantKey] : [ALL_TENANTS_KEY, key, tenantKey];
  // A tenant is its own tenant.
  return [...new Set(keys.filter((each) => each !== null))];
}

/** Reads the assignments that may apply to an actor. */
export type CandidateReader = (actor: ActorFacts) => Promise<Assigned[]>;

/** Definitions that replace the stored ones, by id. */
export type DefinitionDrafts = ReadonlyMap<string, DefinitionFacts>;

/** The actor key as the resolution uses it: null for all tenants. */
export function actorKeyOrNull(actorKey: string): string | null {
  return actorKey === ALL_TENANTS_KEY ? null : actorKey;
}

/**
 * Stored assignments, opened for a resolution, one in each step. A definition of several assignments is
 * opened once.
 */
function* assignmentFacts(
  deps: { sealer: Sealer },
  assigned: readonly Assigned[],
  drafts: DefinitionDrafts,
): Generator<void, AssignmentFacts[]> {
  const facts: AssignmentFacts[] = [];
  const definitions = new Map<string, DefinitionFacts>();
  for (const { assignment, definition: stored } of assigned) {
    if (stored === null) continue;
    const definition = definitions.get(stored._id) ?? drafts.get(stored._id) ?? definitionFacts(deps, stored);
    definitions.set(stored._id, definition);
    const { _id: id, scopeType, actorKey } = assignment;
    const params = paramsOf(deps, assignment);
    const actor = { scopeType, actorKey: actorKeyOrNull(actorKey) };
    facts.push({ id, definition, ...actor, params, source: 'persisted' });
    yield;
  }
  return facts;
}

/**
 * Stored assignments with their definitions, as they were at one moment. A definition is read after its
 * assignment. If it was deleted in between, another definition may have replaced it whose assignment did not
 * exist at the time of the read. So both are read again until no definition is missing except those that were
 * missing from the start.
 */
export async function readAssignmentFacts(
  deps: { sealer: Sealer },
  read: () => Promise<Assigned[]>,
  drafts: DefinitionDrafts = new Map(),
): Promise<AssignmentFacts[]> {
  const gone = new Set<string>();
  for (;;) {
    const assigned = await read();
    const missing = assigned.flatMap(({ assignment: { definitionId }, definition }) =>
      definition === null && !gone.has(definitionId) ? [definitionId] : [],
    );
    if (missing.length === 0) return runInSlices(assignmentFacts(deps, assigned, drafts));
    for (const id of missing) gone.add(id);
  }
}

/** Adds the definitions of assignments. Each definition is read once. */
export async function withDefinitions(
  { stores }: { stores: Stores },
  projectId: string,
  assignments: readonly AssignmentDocument[],
): Promise<Assigned[]> {
  const ids = [...new Set(assignments.map(({ definitionId }) => definitionId))];
  const stored = await stores.definitions.listByIds(projectId, ids);
  const definitions = new Map(stored.map((each) => [each._id, each]));
  return assignments.map((assignment) => ({
    assignment,
    definition: definitions.get(assignment.definitionId) ?? null,
  }));
}

/**
 * The single assignment that a preview applies.
 * @throws NOT_FOUND if there is none
 * @throws INVALID_REQUEST if it is of another connection
 */
export async function getOneCandidate(
  { stores }: { stores: Stores },
  { projectId, connectionId }: ConnectionRef,
  { assignmentId, path }: { assignmentId: string; path: string },
): Promise<AssignmentDocument> {
  const assignment = await stores.assignments.find(projectId, assignmentId);
  const field = `${path}assignmentId`;
  if (!assignment) throw unknownReference(field, 'names no assignment of the project', assignmentId);
  if (assignment.connectionId !== connectionId)
    throw invalidField(field, withName('is of another connection', assignmentId), 'reference');
  return assignment;
}
