import type { JsonObject } from '@gatehouse/contract';

/** What templates refer to by id. */
export const REFERENCE_NOUNS = ['connection', 'domain', 'datamodel', 'visual', 'assistantProfile'] as const;
export type ReferenceNoun = (typeof REFERENCE_NOUNS)[number];

/** Whose body it is: a dashboard's template, or a visual's frame object, which is a frame itself. */
export type BodyForm = 'template' | 'frameObject';

type Visit = (holder: JsonObject, key: string, noun: ReferenceNoun) => void;

const SOURCE_KEYS = [
  ['connectionId', 'connection'],
  ['domainId', 'domain'],
  ['datamodelId', 'datamodel'],
] as const;
/** The lists of a data source, of a card's fields and of a card whose entries may name their source as the data source does. */
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

/** The parts of a card, or of a dashboard's filters and assistant, that may name where their data are. */
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

/** Visits every reference of a body: the object that holds it, and its key. Whatever has another form holds none. */
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

/** The distinct ids that something refers to, by what they name. */
export type ReferencedIds = Record<ReferenceNoun, ReadonlySet<string>>;

/** The distinct ids that a body refers to. Null, for a record without a body, refers to none. */
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

/** What takes the place of an id; null drops the reference. */
export type Replacement = (noun: ReferenceNoun, id: string) => string | null;

/** A copy of a body with other ids. Nothing else differs: keys, their order and unknown parts stay. */
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

/** The visuals that a template's frames link: its readers may view these by way of the dashboard. */
export function linkedVisualIds(template: JsonObject | null): string[] | null {
  const ids = [...referencesIn(template, 'template').visual];
  return ids.length === 0 ? null : ids;
}
