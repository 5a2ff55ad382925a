import { countWithin, cutSlice, type CallContext, type Slice } from '@gatehouse/service';
import { getActorFilter } from '../actors/actorFilter.js';
import { requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import type { AssignmentDocument, DefinitionHead } from '../store/documents.js';
import { definitionIdsOf, presentAssignment, presentAssignments, withRelated } from './presentAssignments.js';

export async function listAssignments(
  deps: Dependencies,
  input: Input<'assignments', 'list'>,
  context: CallContext,
): Result<'assignments', 'list'> {
  const { projectId, definitionId, connectionId, include, limit, cursor, ...actor } = input;
  await requireProjectAdmin(deps, projectId, context);
  const filter = { definitionId, connectionId, ...(await getActorFilter(deps, actor, context)) };
  const part = await deps.stores.assignments.list(projectId, filter, { limit, cursor });
  const heads = await deps.stores.definitions.listHeads(projectId, definitionIdsOf(part.records));
  if (include === undefined) {
    const definitions = new Map(heads.map(({ _id: id, name }) => [id, { id, name }]));
    const data = await withRelated(deps, { assignments: part.records, definitions }, context);
    return { ok: true, data, nextCursor: part.nextCursor };
  }
  const { records, nextCursor } = cutEmbedding(part, heads);
  return { ok: true, data: await presentAssignments(deps, records, context), nextCursor };
}

/** The first assignments of a part whose definitions are not too large together: each embeds its own. */
function cutEmbedding(
  part: Slice<AssignmentDocument>,
  heads: readonly DefinitionHead[],
): Slice<AssignmentDocument> {
  const sizes = new Map(heads.map(({ _id, quotaBytes = 0 }) => [_id, quotaBytes]));
  const count = countWithin(part.records.map(({ definitionId }) => sizes.get(definitionId) ?? 0));
  return count === part.records.length
    ? part
    : cutSlice({ list: 'assignments', by: 'createdAt' }, count, part.records);
}

export async function getAssignment(
  deps: Dependencies,
  { projectId, assignmentId }: Input<'assignments', 'get'>,
  context: CallContext,
): Result<'assignments', 'get'> {
  await requireProjectAdmin(deps, projectId, context);
  const assignment = await deps.stores.assignments.get(projectId, assignmentId);
  return { ok: true, data: await presentAssignment(deps, assignment, context) };
}
