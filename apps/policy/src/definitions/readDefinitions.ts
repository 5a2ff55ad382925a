import type { CallContext } from '@gatehouse/service';
import { requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { presentDefinition, toDefinitionItem } from './presentDefinition.js';

export async function listDefinitions(
  deps: Dependencies,
  { projectId }: Input<'definitions', 'list'>,
  context: CallContext,
): Result<'definitions', 'list'> {
  await requireProjectAdmin(deps, projectId, context);
  const { stores, connections } = deps;
  const [definitions, counts] = await Promise.all([
    stores.definitions.list(projectId),
    stores.assignments.countByDefinition(projectId),
  ]);
  const known = await connections.names(
    context,
    definitions.map(({ connectionId }) => connectionId),
  );
  const data = definitions.map((each) =>
    toDefinitionItem(each, known.get(each.connectionId), counts.get(each._id) ?? 0),
  );
  return { ok: true, data };
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
