import type { RecordState, ResourceState } from '@gatehouse/contract';
import type { BoundRecord } from './plan.js';

/** The text that a plan is bound by: the same for the same records in the same states. */
export function bindingTextOf(bound: readonly BoundRecord[]): string {
  const lines = bound.map(({ projectId, noun, id, version }) =>
    JSON.stringify([projectId, noun, id, version]),
  );
  return [...new Set(lines)].toSorted().join('\n');
}

/** The ids of the bound records of one project, as the services that have them are asked. */
export function boundIdsOf(bound: readonly BoundRecord[], projectId: string) {
  const idsOf = (noun: BoundRecord['noun']) =>
    bound.filter((record) => record.projectId === projectId && record.noun === noun).map(({ id }) => id);
  return {
    resources: { dashboardIds: idsOf('dashboard'), visualIds: idsOf('visual') },
    records: {
      connectionIds: idsOf('connection'),
      domainIds: idsOf('domain'),
      datamodelIds: idsOf('datamodel'),
      assistantProfileIds: idsOf('assistantProfile'),
    },
  };
}

/** The states of bound records as they are now, by id: ids of all nouns are different. */
export type PresentStates = ReadonlyMap<string, ResourceState | RecordState>;

/** The version that a record had before the migration itself wrote it; null where the record is gone. */
function versionBefore(state: ResourceState | RecordState | undefined, migrationId: string): number | null {
  if (state === undefined) return null;
  const replacedBy = 'replacedBy' in state ? state.replacedBy : null;
  const isOwn = replacedBy?.migrationId === migrationId && replacedBy.version === state.version;
  return isOwn ? state.version - 1 : state.version;
}

/** The bound records as they are now. The same as before, when nobody but the migration has changed any of them. */
export function presentBound(
  bound: readonly BoundRecord[],
  states: PresentStates,
  migrationId: string,
): BoundRecord[] {
  return bound.flatMap((record) => {
    const version = versionBefore(states.get(record.id), migrationId);
    if (version === null) return [];
    return { ...record, version: record.version === null ? null : version };
  });
}
