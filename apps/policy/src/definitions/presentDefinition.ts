import type { DefinitionItem, EventData, PolicyConnection, PolicyDefinition } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { shownConfigs } from '../secrets/sealing.js';
import { versionFields, type DefinitionDocument } from '../store/documents.js';

/** The public record, field by field, so that no stored field leaks. */
export function toDefinition(document: DefinitionDocument): PolicyDefinition {
  const { _id: id, projectId, connectionId, name, configs, createdBy } = document;
  return {
    id,
    projectId,
    connectionId,
    name,
    ...shownConfigs(configs),
    createdBy,
    ...versionFields(document),
  };
}

export function toDefinitionItem(
  document: DefinitionDocument,
  connection: PolicyConnection | undefined,
  assignmentCount: number,
): DefinitionItem {
  return { definition: toDefinition(document), connection: connection ?? null, assignmentCount };
}

/** A definition with its connection and the number of its assignments. */
export async function presentDefinition(
  { stores, connections }: Dependencies,
  document: DefinitionDocument,
  context: CallContext,
): Promise<DefinitionItem> {
  const { projectId, connectionId, _id: id } = document;
  const [known, count] = await Promise.all([
    connections.names(context, [connectionId]),
    stores.assignments.countOfDefinition(projectId, id),
  ]);
  return toDefinitionItem(document, known.get(connectionId), count);
}

/** The state of a definition in its events. */
export function definitionState({
  _id: id,
  name,
  projectId,
  connectionId,
}: Pick<
  DefinitionDocument,
  '_id' | 'name' | 'projectId' | 'connectionId'
>): EventData<'management.policy_definition.created.v1'> {
  return { id, name, projectId, connectionId };
}
