import type { CommitOnSave, ModelTemplate, OutputOf, Services } from '@gatehouse/contract';
import { REFERENCE_NOUNS, referencesIn, type ReferencedIds, type ReferenceNoun } from './references.js';

type AccessCopies = Services['access']['procedures']['copies'];
type SemanticCopies = Services['semantics']['procedures']['copies'];
type SourceRecords = OutputOf<SemanticCopies['source']>;
type TargetRecords = OutputOf<SemanticCopies['targets']>;
type SourceResources = OutputOf<AccessCopies['visuals']>;
type TargetResources = OutputOf<AccessCopies['targets']>;

export type SourceDashboard = OutputOf<AccessCopies['source']>['dashboard'];
export type SourceVisual = SourceResources['visuals'][number];
export type SourceDomain = SourceRecords['domains'][number];
export type SourceDataModel = SourceRecords['datamodels'][number];
export type SourceConnection = SourceRecords['connections'][number];
export type TargetDashboard = NonNullable<TargetResources['dashboard']>;

interface Named {
  id: string;
  name: string;
}

/**
 * A dashboard and the records that it refers to, directly or indirectly, by id. Only those that the caller
 * may see.
 */
export interface SourceFacts {
  projectId: string;
  dashboard: SourceDashboard;
  visuals: ReadonlyMap<string, SourceVisual>;
  connections: ReadonlyMap<string, SourceConnection>;
  domains: ReadonlyMap<string, SourceDomain>;
  datamodels: ReadonlyMap<string, SourceDataModel>;
  assistantProfiles: ReadonlyMap<string, Named>;
}

/** The records of the target project that the caller may see. */
export interface TargetFacts {
  project: Named;
  connections: TargetRecords['connections'];
  domains: TargetRecords['domains'];
  datamodels: TargetRecords['datamodels'];
  assistantProfiles: TargetRecords['assistantProfiles'];
  /** The visuals that the request names, and those with the title of a source visual. */
  visuals: TargetResources['visuals'];
  /** The dashboard to replace; null when the request names none that the caller may see. */
  dashboard: TargetDashboard | null;
  commitOnSave: CommitOnSave;
}

const NONE: ReferencedIds = {
  connection: new Set(),
  domain: new Set(),
  datamodel: new Set(),
  visual: new Set(),
  assistantProfile: new Set(),
};

/** The connections of a model's datasets. */
function connectionsOf({ datasets }: ModelTemplate): ReadonlySet<string> {
  return new Set(datasets.flatMap(({ connectionId }) => connectionId ?? []));
}

/** The references of a source record; none where there is no such record. */
export function referencesOf(source: SourceFacts, noun: ReferenceNoun, id: string): ReferencedIds {
  switch (noun) {
    case 'visual': {
      const visual = source.visuals.get(id);
      return visual === undefined ? NONE : referencesIn(visual.frameObject, 'frameObject');
    }
    case 'domain': {
      const domain = source.domains.get(id);
      return domain === undefined ? NONE : { ...NONE, connection: connectionsOf(domain.template) };
    }
    case 'datamodel': {
      const model = source.datamodels.get(id);
      if (model === undefined) return NONE;
      return { ...NONE, connection: new Set([model.connectionId, ...connectionsOf(model.template)]) };
    }
    case 'connection':
    case 'assistantProfile':
      return NONE;
  }
}

/** The name or title of a source record; null where the caller sees none. */
export function sourceNameOf(source: SourceFacts, noun: ReferenceNoun, id: string): string | null {
  if (noun === 'visual') return source.visuals.get(id)?.title ?? null;
  const records = {
    connection: source.connections,
    domain: source.domains,
    datamodel: source.datamodels,
    assistantProfile: source.assistantProfiles,
  }[noun];
  return records.get(id)?.name ?? null;
}

/** A source record. Throws when it is missing, which the checks of the request rule out. */
export function recordOf<T>(records: ReadonlyMap<string, T>, id: string): T {
  const record = records.get(id);
  if (record === undefined) throw new Error(`There is no ${id} to copy`);
  return record;
}

/** The target's records of a noun, with their names or titles. */
export function targetsOf(target: TargetFacts, noun: ReferenceNoun): readonly Named[] {
  switch (noun) {
    case 'connection':
      return target.connections;
    case 'domain':
      return target.domains;
    case 'datamodel':
      return target.datamodels;
    case 'assistantProfile':
      return target.assistantProfiles;
    case 'visual':
      return target.visuals.map(({ id, title }) => ({ id, name: title }));
  }
}

/** The ids that a walk reached, by noun, in the order in which it reached them. */
export type ReachedIds = Record<ReferenceNoun, Set<string>>;

/**
 * Walks the references of a dashboard, and those of each referenced record for which `isFollowed` returns
 * true. Each record is visited once, so that cycles of visuals end.
 */
export function walkReferences(
  source: SourceFacts,
  isFollowed: (noun: ReferenceNoun, id: string) => boolean,
): ReachedIds {
  const reached: ReachedIds = {
    connection: new Set(),
    domain: new Set(),
    datamodel: new Set(),
    visual: new Set(),
    assistantProfile: new Set(),
  };
  const open: ReferencedIds[] = [referencesIn(source.dashboard.template, 'template')];
  for (let references = open.pop(); references !== undefined; references = open.pop()) {
    for (const noun of REFERENCE_NOUNS) {
      const fresh = [...references[noun]].filter((id) => !reached[noun].has(id));
      for (const id of fresh) reached[noun].add(id);
      const followed = fresh.filter((id) => isFollowed(noun, id));
      open.push(...followed.map((id) => referencesOf(source, noun, id)));
    }
  }
  return reached;
}
