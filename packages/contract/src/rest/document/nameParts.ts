import type { JsonSchema } from '../openapiDocument.js';
import { partNameOf } from './partNames.js';

type Components = Record<string, JsonSchema>;

/** `userId` as `UserId`, `linked dashboard` as `LinkedDashboard`, `TENANT_USER` as `TenantUser`. */
export function pascalCase(name: string): string {
  const words = name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => (/^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word));
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  return name.endsWith('s') && !name.endsWith('ss') ? name.slice(0, -1) : name;
}

/** The field that distinguishes the alternatives of a union: it has another constant in each. */
function discriminatorOf(alternatives: readonly JsonSchema[]): string | undefined {
  const constants = Object.keys(alternatives[0]?.properties ?? {}).filter((field) => {
    const values = alternatives.map((one) => constantOf(one, field));
    return !values.includes(undefined) && new Set(values).size === values.length;
  });
  return constants[0];
}

function constantOf({ properties, required }: JsonSchema, field: string): string | undefined {
  const value = properties?.[field];
  const constant = typeof value === 'object' ? value.const : undefined;
  return typeof constant === 'string' && required?.includes(field) ? constant : undefined;
}

/**
 * Replaces every object and enum inside a schema by a reference to a component, so that generators need not
 * invent names. The name of a part is that of its owner and its field.
 */
export function nameParts(schema: JsonSchema, owner: string, components: Components): JsonSchema {
  const hoist = (part: JsonSchema, path: string): JsonSchema => {
    const name = partNameOf(path);
    const named = nameParts(part, name, components);
    if (named.properties === undefined && !isEnum(named)) return named;
    const { description: _description, default: preset, deprecated, ...content } = named;
    const id = addComponent(content, name, components);
    return {
      $ref: `#/components/schemas/${id}`,
      ...(preset !== undefined && { default: preset }),
      ...(deprecated === true && { deprecated }),
    };
  };
  const result: JsonSchema = { ...schema };
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(
      ([field, part]) => [field, hoist(part as JsonSchema, owner + pascalCase(field))] as const,
    );
    result.properties = Object.fromEntries(fields);
  }
  if (typeof schema.items === 'object' && !Array.isArray(schema.items))
    result.items = hoist(schema.items, singular(owner));
  if (typeof schema.additionalProperties === 'object' && Object.keys(schema.additionalProperties).length > 0)
    result.additionalProperties = hoist(schema.additionalProperties, `${owner}Value`);
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const parts = schema[key];
    if (parts) result[key] = nameAlternatives(parts, owner, hoist);
  }
  return withDiscriminator(result, schema);
}

function nameAlternatives(
  parts: readonly JsonSchema[],
  owner: string,
  hoist: (part: JsonSchema, name: string) => JsonSchema,
): JsonSchema[] {
  const others = parts.filter((part) => part.type !== 'null');
  if (others.length === 1) return parts.map((part) => hoist(part, owner));
  const field = discriminatorOf(parts);
  return parts.map((part, index) => {
    const constant = field === undefined ? undefined : constantOf(part, field);
    return hoist(part, owner + (constant === undefined ? `Form${index + 1}` : pascalCase(constant)));
  });
}

/** Adds the discriminator of OpenAPI to a union whose alternatives have become components. */
function withDiscriminator(named: JsonSchema, original: JsonSchema): JsonSchema {
  const parts = original.oneOf ?? original.anyOf;
  const references = named.oneOf ?? named.anyOf;
  const field = parts && discriminatorOf(parts);
  if (!field || !references?.every(({ $ref }) => $ref !== undefined)) return named;
  const mapping = parts.map((part, index) => [constantOf(part, field), references[index]?.$ref] as const);
  const { anyOf: _anyOf, ...others } = named;
  return {
    ...others,
    oneOf: references,
    discriminator: { propertyName: field, mapping: Object.fromEntries(mapping) as Record<string, string> },
  };
}

function isEnum(schema: JsonSchema): boolean {
  return schema.enum !== undefined;
}

/** The name of each enum, by its content. */
const enumNames = new WeakMap<Components, Map<string, string>>();

/** Returns the name: that of an equal enum, if there is one already. */
function addComponent(schema: JsonSchema, name: string, components: Components): string {
  const content = JSON.stringify(schema);
  if (isEnum(schema)) {
    const names = enumNames.get(components) ?? new Map<string, string>();
    enumNames.set(components, names);
    const equal = names.get(content);
    if (equal !== undefined) return equal;
    names.set(content, name);
  }
  const known = components[name];
  if (known !== undefined && JSON.stringify(known) !== content)
    throw new Error(`Two schemas are named ${name}: name one in partNames.ts`);
  components[name] = schema;
  return name;
}
