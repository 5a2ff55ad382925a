import { fieldPath } from '@gatehouse/contract';
import type { z } from 'zod';

export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';
export type Segment = string | number;

/** One place in an operation's input, as its schema describes it. */
export interface Field {
  path: readonly Segment[];
  accepts: ReadonlySet<JsonType>;
  /** The longest text in UTF-16 units; 0 where something else limits it, such as a list of words. */
  maxLength: number;
  /** True where any JSON may stand: it belongs to the caller. */
  isFreeForm: boolean;
  /** `closed`: an object whose keys are the schema's. `open`: one whose keys are the caller's. */
  keys: 'closed' | 'open' | null;
  /** Of an object, one that is right; of anything else, nothing. */
  sample: object;
  /** The fields that an error about this one may name: itself, or a choice that it is part of. */
  named: readonly string[];
  /** A whole input that is right around this field, with the value in it. */
  inputWith(value: unknown): Record<string, unknown>;
}

type Schema = z.core.$ZodType;

interface Place {
  path: readonly Segment[];
  choices: readonly string[];
  put(value: unknown): Record<string, unknown>;
}

/** A text for the sake of which no schema refuses a key. */
const OWN_KEY = 'key';
const TEXTS: Record<string, string> = { email: 'somebody@example.com', datetime: '2099-01-01T00:00:00Z' };

const definitionOf = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def;

/** The inner schema of an optional or nullable one. */
function unwrap(schema: Schema): { inner: Schema; isNullable: boolean; isOptional: boolean } {
  const definition = definitionOf(schema);
  const { type } = definition;
  if (type === 'optional' || type === 'default' || type === 'prefault')
    return { ...unwrap(definition.innerType), isOptional: true };
  if (type === 'nullable') return { ...unwrap(definition.innerType), isNullable: true };
  return { inner: schema, isNullable: false, isOptional: false };
}

/** A value that the schema accepts, as far as its parts are independent; optional fields are omitted. */
export function sampleOf(schema: Schema | undefined): unknown {
  if (schema === undefined) return {};
  const definition = definitionOf(unwrap(schema).inner);
  const { type } = definition;
  if (type === 'string') return TEXTS['format' in definition ? String(definition.format) : ''] ?? 'sample';
  if (type === 'number') return 60;
  if (type === 'boolean') return true;
  if (type === 'enum') return Object.values(definition.entries)[0];
  if (type === 'literal') return definition.values[0];
  if (type === 'array') return [sampleOf(definition.element)];
  if (type === 'union') return sampleOf(definition.options[0]);
  if (type !== 'object') return {};
  const required = Object.entries(definition.shape).filter(([, child]) => !unwrap(child).isOptional);
  return Object.fromEntries(required.map(([key, child]) => [key, sampleOf(child)]));
}

/** The fields of an object that have to be given. */
export function requiredFields(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape).flatMap(([key, child]) => (unwrap(child).isOptional ? [] : [key]));
}

function fieldAt(place: Place, part: Pick<Field, 'accepts'> & Partial<Field>): Field {
  const named = [fieldPath(place.path), ...place.choices];
  return {
    maxLength: 0,
    isFreeForm: false,
    keys: null,
    sample: {},
    named,
    ...part,
    path: place.path,
    inputWith: place.put,
  };
}

function within(place: Place, key: Segment, wrap: (value: unknown) => unknown): Place {
  return { ...place, path: [...place.path, key], put: (value) => place.put(wrap(value)) };
}

const typeOf = (value: unknown): JsonType => (typeof value === 'number' ? 'number' : 'string');
const EVERY_TYPE: readonly JsonType[] = ['string', 'number', 'boolean', 'null', 'array', 'object'];

/** The field itself, as its schema describes it; null for a choice, which only its options describe. */
function describe(schema: Schema): (Pick<Field, 'accepts'> & Partial<Field>) | null {
  const definition = definitionOf(schema);
  const { type } = definition;
  const accepts = (...types: JsonType[]) => new Set(types);
  if (type === 'string') {
    return { accepts: accepts('string'), maxLength: (schema as z.ZodString).maxLength ?? 0 };
  }
  if (type === 'enum') return { accepts: accepts(...Object.values(definition.entries).map(typeOf)) };
  if (type === 'literal') return { accepts: accepts(...definition.values.map(typeOf)) };
  if (type === 'number' || type === 'boolean' || type === 'array') return { accepts: accepts(type) };
  if (type === 'record') return { accepts: accepts('object'), keys: 'open' };
  if (type === 'object') {
    return { accepts: accepts('object'), keys: 'closed', sample: sampleOf(schema) as object };
  }
  if (type === 'unknown') return { accepts: accepts(...EVERY_TYPE), isFreeForm: true };
  if (type === 'union') return null;
  throw new Error(`No invalid value is defined for the type ${type}`);
}

/** The places inside of a place, with their schemas. */
function childrenOf(schema: Schema, place: Place): [Schema, Place][] {
  const definition = definitionOf(schema);
  const { type } = definition;
  if (type === 'array') return [[definition.element, within(place, 0, (value) => [value])]];
  if (type === 'record') {
    return [[definition.valueType, within(place, OWN_KEY, (value) => ({ [OWN_KEY]: value }))]];
  }
  if (type === 'object') {
    const around = sampleOf(schema) as object;
    return Object.entries(definition.shape).map(([key, child]) => [
      child,
      within(place, key, (value) => ({ ...around, [key]: value })),
    ]);
  }
  if (type !== 'union') return [];
  const choices = [...place.choices, fieldPath(place.path)];
  return definition.options.map((option) => [option, { ...place, choices }]);
}

function* walk(schema: Schema, place: Place): Generator<Field> {
  const { inner, isNullable } = unwrap(schema);
  const described = describe(inner);
  if (described) {
    const accepts = new Set([...described.accepts, ...(isNullable ? (['null'] as const) : [])]);
    yield fieldAt(place, { ...described, accepts });
  }
  for (const [child, inside] of childrenOf(inner, place)) yield* walk(child, inside);
}

/** If several options of a choice describe one field, all of their values are allowed. */
function merge(known: Field | undefined, found: Field): Field {
  if (!known) return found;
  return { ...known, accepts: new Set([...known.accepts, ...found.accepts]) };
}

/** Every field of an input, however deep, once; an object's own line comes before those of its fields. */
export function fieldsOf(schema: z.ZodObject): Field[] {
  const fields = new Map<string, Field>();
  const root: Place = { path: [], choices: [], put: (value) => value as Record<string, unknown> };
  for (const field of walk(schema, root)) {
    const path = fieldPath(field.path);
    fields.set(path, merge(fields.get(path), field));
  }
  return [...fields.values()];
}
