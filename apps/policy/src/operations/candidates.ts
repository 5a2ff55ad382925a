import { invalidField } from '@gatehouse/contract';
import type { AssignmentFacts, DefinitionFacts } from '../logic/model.js';
import type { Policy } from '../policy.js';
import type { Assigned, Ground } from '../store/assignments.js';
import { ALL_TENANTS_KEY, type AssignmentDocument } from '../store/documents.js';
import { definitionFacts, paramsOf } from './storedFacts.js';
import { unknownReference } from './refusals.js';

/** What stands for stored definitions that are not to be read as they are, by id. */
export type DefinitionDrafts = ReadonlyMap<string, DefinitionFacts>;

/** The key as a resolution takes it: all tenants have none. */
export function factsKey(actorKey: string): string | null {
  return actorKey === ALL_TENANTS_KEY ? null : actorKey;
}

/** Stored assignments as a resolution takes them. What several have in common is opened once. */
function assignmentFacts(
  policy: Pick<Policy, 'sealer'>,
  assigned: readonly Assigned[],
  drafts: DefinitionDrafts,
): AssignmentFacts[] {
  const definitions = new Map<string, DefinitionFacts>();
  return assigned.flatMap(({ assignment, definition: stored }): AssignmentFacts[] => {
    if (stored === null) return [];
    const definition =
      definitions.get(stored._id) ?? drafts.get(stored._id) ?? definitionFacts(policy, stored);
    definitions.set(stored._id, definition);
    const { _id: id, scopeType, actorKey } = assignment;
    const params = paramsOf(policy, assignment);
    return [{ id, definition, scopeType, actorKey: factsKey(actorKey), params, source: 'persisted' }];
  });
}

/**
 * Stored assignments with their definitions, as they were at one moment. A definition is looked for after its assignment: one
 * that was deleted in between may have been replaced by another, whose assignment was not there yet when they were read. So
 * they are read again until no definition is missing but those that were gone before the reading began.
 */
export async function readAssignmentFacts(
  policy: Pick<Policy, 'sealer'>,
  read: () => Promise<Assigned[]>,
  drafts: DefinitionDrafts = new Map(),
): Promise<AssignmentFacts[]> {
  const gone = new Set<string>();
  for (;;) {
    const assigned = await read();
    const missing = assigned.flatMap(({ assignment: { definitionId }, definition }) =>
      definition === null && !gone.has(definitionId) ? [definitionId] : [],
    );
    if (missing.length === 0) return assignmentFacts(policy, assigned, drafts);
    for (const id of missing) gone.add(id);
  }
}

/** Adds the definitions of many assignments, each of which is read once. */
export async function withDefinitions(
  { stores }: Pick<Policy, 'stores'>,
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
