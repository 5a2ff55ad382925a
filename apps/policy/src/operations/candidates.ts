import { invalidField } from '@gatehouse/contract';
import type { ActorFacts, AssignmentFacts, DefinitionFacts } from '../logic/model.js';
import type { Policy } from '../policy.js';
import { ALL_TENANTS_KEY, type AssignmentDocument } from '../store/documents.js';
import { candidateKeys } from './actors.js';
import { definitionFacts, paramsOf } from './storedFacts.js';
import { unknownReference } from './refusals.js';

/** Where policies are asked about. */
export interface Ground {
  projectId: string;
  connectionId: string;
}

/** What stands for stored definitions that are not to be read as they are, by id. */
export type DefinitionDrafts = ReadonlyMap<string, DefinitionFacts>;

/** The key as a resolution takes it: all tenants have none. */
export function factsKey(actorKey: string): string | null {
  return actorKey === ALL_TENANTS_KEY ? null : actorKey;
}

/** Stored assignments with their definitions, and the ids of definitions that were deleted a moment ago. */
async function loadAssignmentFacts(
  policy: Pick<Policy, 'stores' | 'sealer'>,
  { projectId, assignments }: { projectId: string; assignments: readonly AssignmentDocument[] },
  drafts: DefinitionDrafts = new Map(),
): Promise<{ facts: AssignmentFacts[]; missing: string[] }> {
  const ids = new Set(assignments.map(({ definitionId }) => definitionId));
  const stored = await policy.stores.definitions.listByIds(projectId, [...ids]);
  const definitions = new Map(
    stored.map((each) => [each._id, drafts.get(each._id) ?? definitionFacts(policy, each)]),
  );
  const facts = assignments.flatMap((assignment): AssignmentFacts[] => {
    const definition = definitions.get(assignment.definitionId);
    if (!definition) return [];
    const { _id: id, scopeType, actorKey } = assignment;
    const params = paramsOf(policy, assignment);
    return [{ id, definition, scopeType, actorKey: factsKey(actorKey), params, source: 'persisted' }];
  });
  return { facts, missing: [...ids].filter((id) => !definitions.has(id)) };
}

/**
 * Stored assignments with their definitions, as they were at one moment. The two are read one after the other: a definition
 * that was deleted in between may have been replaced by another, whose assignment was not there yet when they were read. So
 * they are read again until no definition is missing but those that were gone before the reading began.
 */
export async function readAssignmentFacts(
  policy: Pick<Policy, 'stores' | 'sealer'>,
  { projectId, read }: { projectId: string; read: () => Promise<AssignmentDocument[]> },
  drafts: DefinitionDrafts = new Map(),
): Promise<AssignmentFacts[]> {
  const gone = new Set<string>();
  for (;;) {
    const { facts, missing } = await loadAssignmentFacts(
      policy,
      { projectId, assignments: await read() },
      drafts,
    );
    const goneMeanwhile = missing.filter((id) => !gone.has(id));
    if (goneMeanwhile.length === 0) return facts;
    for (const id of goneMeanwhile) gone.add(id);
  }
}

/** The assignments that may apply to an actor on a connection: what is read does not grow with those of others. */
export function findCandidates(
  { stores }: Pick<Policy, 'stores'>,
  { projectId, connectionId }: Ground,
  actor: ActorFacts,
): Promise<AssignmentDocument[]> {
  return stores.assignments.listCandidates(projectId, connectionId, candidateKeys(actor));
}

/**
 * The one assignment that a preview is to count. Throws NOT_FOUND when there is none, and INVALID_REQUEST when it is of
 * another connection, naming the field.
 */
export async function getOneCandidate(
  { stores }: Pick<Policy, 'stores'>,
  { projectId, connectionId }: Ground,
  { assignmentId, path }: { assignmentId: string; path: string },
): Promise<AssignmentDocument> {
  const assignment = await stores.assignments.find(projectId, assignmentId);
  const field = `${path}assignmentId`;
  if (!assignment) throw unknownReference(field, 'names no assignment of the project');
  if (assignment.connectionId !== connectionId) throw invalidField(field, 'is of another connection');
  return assignment;
}
