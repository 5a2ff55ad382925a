import type { CallContext } from '@gatehouse/service';
import { getActorFilter } from '../actors/actorFilter.js';
import { requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { presentDefinition, toDefinitionItem } from './presentDefinition.js';

export async function listDefinitions(
  deps: Dependencies,
  { projectId, connectionId, search, limit, cursor, ...actor }: Input<'definitions', 'list'>,
  context: CallContext,
): Result<'definitions', 'list'> {
  await requireProjectAdmin(deps, projectId, context);
  const { stores, connections } = deps;
  const assigned = await getActorFilter(deps, actor, context);
  const ids = assigned && (await stores.assignments.listDefinitionIds(projectId, assigned));
  const filter = { connectionId, search, ids };
  const { records, nextCursor } = await stores.definitions.list(projectId, filter, { limit, cursor });
  const [known, counts] = await Promise.all([
    connections.names(
      context,
      records.map((definition) => definition.connectionId),
    ),
    stores.assignments.countByDefinition(
      projectId,
      records.map(({ _id }) => _id),
    ),
  ]);
  const data = records.map((each) =>
    toDefinitionItem(each, known.get(each.connectionId), counts.get(each._id) ?? 0),
  );
  return { ok: true, data, nextCursor };
}

export async function getDefinition(
  deps: Dependencies,
  { projectId, definitionId }: Input<'definitions', 'get'>,
  context: CallContext,
): Result<'definitions', 'get'> {
  await requireProjectAdmin(deps, projectId, context);
  const definition = await deps.stores.definitions.get(projectId, definitionId);
  return { ok: true, data: await presentDefinition(deps, definition, context) };
}
