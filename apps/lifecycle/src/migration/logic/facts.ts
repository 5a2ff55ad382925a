import type { CommitOnSave, JsonObject, ModelTemplate, OutputOf, Services } from '@gatehouse/contract';

/** The kinds of records that templates refer to by id. */
export const REFERENCE_NOUNS = ['connection', 'domain', 'datamodel', 'visual', 'assistantProfile'] as const;
export type ReferenceNoun = (typeof REFERENCE_NOUNS)[number];

/** The form of a body: a dashboard's template, or a visual's frame object, which is itself a frame. */
export type BodyForm = 'template' | 'frameObject';

type Visit = (holder: JsonObject, key: string, noun: ReferenceNoun) => void;

const SOURCE_KEYS = [
  ['connectionId', 'connection'],
  ['domainId', 'domain'],
  ['datamodelId', 'datamodel'],
] as const;
/**
 * The lists of a data source and of a card's fields. Their entries may name a source as a data source does.
 */
const SOURCE_LISTS = ['selectedEntities', 'joins'];
const FIELD_LISTS = ['columns', 'metrics', 'groupBy', 'sort', 'pivot'];

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectIn(value: unknown, key: string): JsonObject[] {
  const found = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(found) ? [found] : [];
}

function objectsIn(value: unknown, key: string): JsonObject[] {
  const found = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The parts of a card that may name a data source. */
function sourcedParts(part: JsonObject): JsonObject[] {
  const dataSources = objectIn(part, 'dataSource');
  const fields = objectIn(part, 'fields');
  return [
    ...dataSources,
    ...dataSources.flatMap((source) => SOURCE_LISTS.flatMap((list) => objectsIn(source, list))),
    ...fields.flatMap((groups) => FIELD_LISTS.flatMap((list) => objectsIn(groups, list))),
    ...objectsIn(part, 'filters'),
  ];
}

function visitKeys(
  holder: JsonObject,
  keys: readonly (readonly [string, ReferenceNoun])[],
  visit: Visit,
): void {
  for (const [key, noun] of keys) {
    const id = Object.hasOwn(holder, key) ? holder[key] : undefined;
    if (typeof id === 'string' && id !== '') visit(holder, key, noun);
  }
}

/**
 * Visits every reference of a body, with its parent object and key. Parts of any other form hold no
 * references.
 */
function visitReferences(body: JsonObject, form: BodyForm, visit: Visit): void {
  const framesOfSheets = objectsIn(body, 'sheets').flatMap((sheet) => objectsIn(sheet, 'frames'));
  const frames = form === 'frameObject' ? [body, ...framesOfSheets] : framesOfSheets;
  for (const frame of frames) {
    visitKeys(frame, [['visualId', 'visual']], visit);
    for (const part of objectsIn(frame, 'cards').flatMap(sourcedParts)) visitKeys(part, SOURCE_KEYS, visit);
  }
  if (form === 'frameObject') return;
  for (const part of objectsIn(body, 'filters')) visitKeys(part, SOURCE_KEYS, visit);
  for (const context of objectIn(body, 'aiContext')) {
    for (const part of [context, ...objectsIn(context, 'selectedEntities')])
      visitKeys(part, SOURCE_KEYS, visit);
    visitKeys(context, [['assistantProfileId', 'assistantProfile']], visit);
  }
}

/** The distinct referenced ids, by noun. */
export type ReferencedIds = Record<ReferenceNoun, ReadonlySet<string>>;

/** The distinct ids that a body refers to. Null stands for a record without a body. */
export function referencesIn(body: JsonObject | null, form: BodyForm): ReferencedIds {
  const found = {
    connection: new Set<string>(),
    domain: new Set<string>(),
    datamodel: new Set<string>(),
    visual: new Set<string>(),
    assistantProfile: new Set<string>(),
  };
  if (body !== null) visitReferences(body, form, (holder, key, noun) => found[noun].add(String(holder[key])));
  return found;
}

/**
 * The smallest frame object with the same references. It stands for a body that is only searched for them,
 * because a parsed body takes up to 20 times its bytes in memory.
 */
export function outlineOf(body: JsonObject | null): JsonObject | null {
  if (body === null) return null;
  const found = referencesIn(body, 'frameObject');
  const filters = SOURCE_KEYS.flatMap(([key, noun]) => [...found[noun]].map((id) => ({ [key]: id })));
  const frames = [...found.visual].map((visualId) => ({ visualId }));
  return { cards: [{ filters }], sheets: [{ frames }] };
}

/** Returns the id that replaces an id; null drops the reference. */
export type Replacement = (noun: ReferenceNoun, id: string) => string | null;

/** Copies a body with replaced ids. Keys, their order and unknown parts stay the same. */
export function rewriteReferences(
  body: JsonObject | null,
  form: BodyForm,
  replacementOf: Replacement,
): JsonObject | null {
  if (body === null) return null;
  const copy = structuredClone(body);
  visitReferences(copy, form, (holder, key, noun) => {
    const replacement = replacementOf(noun, String(holder[key]));
    if (replacement === null) Reflect.deleteProperty(holder, key);
    else holder[key] = replacement;
  });
  return copy;
}

/** The visuals that a template's frames link. Readers of the dashboard may view them through it. */
export function linkedVisualIds(template: JsonObject | null): string[] | null {
  const ids = [...referencesIn(template, 'template').visual];
  return ids.length === 0 ? null : ids;
}

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
  /** Their bodies may be outlines: all bodies together may not fit in memory. */
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
