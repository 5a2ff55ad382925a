import type { CommitOnSave, ModelTemplate, OutputOf, Services } from '@gatehouse/contract';
import { referencesIn, type ReferencedIds, type ReferenceNoun } from './references.js';

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

/** A dashboard and all that it refers to, directly or not, as far as the caller may see it, by id. */
export interface SourceFacts {
  projectId: string;
  dashboard: SourceDashboard;
  visuals: ReadonlyMap<string, SourceVisual>;
  connections: ReadonlyMap<string, SourceConnection>;
  domains: ReadonlyMap<string, SourceDomain>;
  datamodels: ReadonlyMap<string, SourceDataModel>;
  assistantProfiles: ReadonlyMap<string, Named>;
}

/** What the caller may see in the target project. */
export interface TargetFacts {
  project: Named;
  connections: TargetRecords['connections'];
  domains: TargetRecords['domains'];
  datamodels: TargetRecords['datamodels'];
  assistantProfiles: TargetRecords['assistantProfiles'];
  /** Those that the request names, and those with the title of a source visual. */
  visuals: TargetResources['visuals'];
  /** The dashboard to replace; null when the caller finds none, or names none. */
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

/** The connections that a model's datasets name. */
function connectionsOf({ datasets }: ModelTemplate): ReadonlySet<string> {
  return new Set(datasets.flatMap(({ connectionId }) => connectionId ?? []));
}

/** What a source record refers to in turn; nothing where there is no such record. */
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

/** The name or title of a source record; null where the caller finds none. */
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

/** The target's records of a noun, by what they are called. */
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
