import type { JsonSchema } from '@gatehouse/contract';
import { componentOf, partsOf, propertiesOf, resolveSchema, type Reference } from './operations.js';

function range(least: number | undefined, most: number | undefined, unit: string): string[] {
  if (least === undefined && most === undefined) return [];
  if (most === undefined) return [`at least ${least}${unit}`];
  return [least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`];
}

/** JSON Schema writes the limits of what is stored into every integer. */
const isOfUse = (limit: unknown) => typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER;

function limitsOf(schema: JsonSchema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, format, pattern } = schema;
  return [
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...range(isOfUse(minimum) ? minimum : undefined, isOfUse(maximum) ? maximum : undefined, ''),
    ...(format === undefined ? [] : [format]),
    ...(pattern === undefined || format !== undefined ? [] : [`matching ${pattern}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}

function kindOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map(describeSchema))].join(' or ');
  if (schema.type === 'array') return `array of ${describeSchema((schema.items ?? {}) as JsonSchema)}`;
  return Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any JSON');
}

/** A schema in a line, as `string, 1 to 200 characters`. */
export function describeSchema(schema: JsonSchema): string {
  return [componentOf(schema) ?? kindOf(schema), ...limitsOf(schema)].join(', ');
}

/** The objects that are worth opening below a schema: itself, its items or its alternatives. */
export function objectsIn(reference: Reference, schema: JsonSchema): JsonSchema[] {
  const resolved = resolveSchema(reference, schema);
  if (propertiesOf(resolved).length > 0) return [resolved];
  return partsOf(resolved).flatMap((part) => objectsIn(reference, part));
}

/** Every field name below a schema, through references; each component once. */
export function collectFields(reference: Reference, schema: JsonSchema, fields: Set<string>): Set<string> {
  const visited = new Set<JsonSchema>();
  const visit = (one: JsonSchema): void => {
    const resolved = resolveSchema(reference, one);
    if (visited.has(resolved)) return;
    visited.add(resolved);
    for (const [name, property] of propertiesOf(resolved)) {
      fields.add(name);
      visit(property);
    }
    partsOf(resolved).forEach(visit);
  };
  visit(schema);
  return fields;
}

const SAMPLE_DEPTH = 5;
const SAMPLE_TEXTS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  email: 'ada.lindqvist@meridian.example',
  uri: 'https://meridian.example/',
};

function sampleObject(reference: Reference, schema: JsonSchema, depth: number): Record<string, unknown> {
  const entries = propertiesOf(schema).map(
    ([name, property]) => [name, sampleAt(reference, property, { name, depth: depth + 1 })] as const,
  );
  return Object.fromEntries(entries);
}

function sampleAt(reference: Reference, given: JsonSchema, at: { name: string; depth: number }): unknown {
  const schema = resolveSchema(reference, given);
  const [option] = schema.anyOf ?? schema.oneOf ?? [];
  const { name, depth } = at;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (option) return sampleAt(reference, option, at);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array') {
    return depth < SAMPLE_DEPTH ? [sampleAt(reference, (schema.items ?? {}) as JsonSchema, at)] : [];
  }
  if (type === 'object') return depth < SAMPLE_DEPTH ? sampleObject(reference, schema, depth) : {};
  if (type === 'integer' || type === 'number')
    return Math.max(1, isOfUse(schema.minimum) ? Number(schema.minimum) : 1);
  if (type === 'boolean') return true;
  return type === 'string' ? (SAMPLE_TEXTS[schema.format ?? ''] ?? name) : null;
}

/** A value that has the form of the schema; a text without a format is the name of its field. */
export function sampleOf(reference: Reference, schema: JsonSchema): unknown {
  return sampleAt(reference, schema, { name: 'text', depth: 0 });
}
