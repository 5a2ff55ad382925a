import type { RecordState, ResourceState } from '@gatehouse/contract';
import {
  recordOf,
  REFERENCE_NOUNS,
  type ReachedIds,
  type ReferenceNoun,
  type SourceFacts,
  type TargetFacts,
} from './facts.js';
import { COPIED_NOUNS, type Choice, type CopiedNoun } from './request.js';

/** A record that a plan is based on, with the version that it must have. */
export interface BoundRecord {
  projectId: string;
  noun: ReferenceNoun | 'dashboard';
  id: string;
  /** Null where the record only has to exist. */
  version: number | null;
}

/** References with a choice for each. */
interface ResolvedReferences {
  source: SourceFacts;
  target: TargetFacts;
  reached: ReachedIds;
  choiceOf(noun: ReferenceNoun, id: string): Choice;
  /** The records to copy. */
  copied(noun: CopiedNoun): string[];
}

/** Every record that the plan is based on. */
export function boundRecords(resolved: ResolvedReferences, replacedId: string | undefined): BoundRecord[] {
  const { source, target, reached } = resolved;
  const bound: BoundRecord[] = [
    {
      projectId: source.projectId,
      noun: 'dashboard',
      id: source.dashboard.id,
      version: source.dashboard.version,
    },
  ];
  const sources = { visual: source.visuals, domain: source.domains, datamodel: source.datamodels };
  const targets = { visual: target.visuals, domain: target.domains, datamodel: target.datamodels };
  for (const noun of COPIED_NOUNS) {
    for (const id of resolved.copied(noun))
      bound.push({
        projectId: source.projectId,
        noun,
        id,
        version: recordOf<{ version: number }>(sources[noun], id).version,
      });
  }
  for (const noun of REFERENCE_NOUNS) {
    for (const id of reached[noun]) {
      const choice = resolved.choiceOf(noun, id);
      if (choice.kind !== 'reuse') continue;
      const records: readonly { id: string; version: number }[] =
        noun === 'connection' || noun === 'assistantProfile' ? [] : targets[noun];
      // A connection's version also counts reads of its catalog, which do not matter here.
      const version = records.find((record) => record.id === choice.targetId)?.version ?? null;
      bound.push({ projectId: target.project.id, noun, id: choice.targetId, version });
    }
  }
  if (replacedId !== undefined && target.dashboard !== null)
    bound.push({
      projectId: target.project.id,
      noun: 'dashboard',
      id: replacedId,
      version: target.dashboard.version,
    });
  return bound;
}

/** A canonical text of bound records: equal for the same records in the same versions. */
export function bindingTextOf(bound: readonly BoundRecord[]): string {
  const lines = bound.map(({ projectId, noun, id, version }) =>
    JSON.stringify([projectId, noun, id, version]),
  );
  return [...new Set(lines)].toSorted().join('\n');
}

/** The ids of the bound records of one project, as the inputs of the services that store them. */
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

/** The present states of bound records, by id. Ids are unique across nouns. */
export type PresentStates = ReadonlyMap<string, ResourceState | RecordState>;

/** The version of a record before the migration itself wrote it; null for a deleted record. */
function versionBefore(state: ResourceState | RecordState | undefined, migrationId: string): number | null {
  if (state === undefined) return null;
  const replacedBy = 'replacedBy' in state ? state.replacedBy : null;
  const isOwn = replacedBy?.migrationId === migrationId && replacedBy.version === state.version;
  return isOwn ? state.version - 1 : state.version;
}

/**
 * The bound records with their present versions. They equal `bound` unless something other than the migration
 * wrote them.
 */
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
