import type { JsonObject } from '@gatehouse/contract';

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

/** Returns the id that replaces an id; null drops the reference. */
type Replacement = (noun: ReferenceNoun, id: string) => string | null;

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
