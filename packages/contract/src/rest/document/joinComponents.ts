import type { JsonSchema } from '../openapiDocument.js';

/** Whether a schema is of a request, or of a response. */
export type Direction = 'input' | 'output';
type Components = Record<string, JsonSchema>;

const PREFIX = '#/components/schemas/';

/** The names of the components that a schema refers to. */
function referencesOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(referencesOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(PREFIX)
      ? [value.slice(PREFIX.length)]
      : referencesOf(value),
  );
}

/** The components that differ between requests and responses, in themselves or in what they refer to. */
function findSplit({ input, output }: Record<Direction, Components>): Set<string> {
  const common = Object.keys(input).filter((name) => output[name] !== undefined);
  const split = new Set(
    common.filter((name) => JSON.stringify(input[name]) !== JSON.stringify(output[name])),
  );
  for (let size = -1; size !== split.size;) {
    size = split.size;
    for (const name of common) {
      if (referencesOf(input[name]).some((reference) => split.has(reference))) split.add(name);
    }
  }
  return split;
}

function renameReferences(schema: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => renameReferences(part, names));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    const isReference = typeof value === 'string' && value.startsWith(PREFIX);
    if (isReference && names.has(value.slice(PREFIX.length))) return [key, `${value}Input`] as const;
    return [key, renameReferences(value, names)] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Joins the components of requests and responses. The request's form of one that differs is named with
 * `Input`.
 */
export function joinComponents(definitions: Record<Direction, Components>): {
  components: Components;
  /** Points the references of a request at the components. */
  forRequest: <T>(part: T) => T;
} {
  const split = findSplit(definitions);
  const forRequest = <T>(part: T) => renameReferences(part, split) as T;
  const components: Components = { ...definitions.output };
  for (const [id, schema] of Object.entries(definitions.input)) {
    const name = split.has(id) ? `${id}Input` : id;
    if (split.has(id) && (components[name] ?? definitions.input[name]) !== undefined)
      throw new Error(`${name} is the name of another schema`);
    components[name] = forRequest(schema);
  }
  return { components, forRequest };
}

/** The components that the parts of a document refer to, in the order of their names. */
export function keepUsed(components: Components, parts: unknown): Components {
  const used = new Set<string>();
  const visit = (schema: unknown) => {
    for (const name of referencesOf(schema)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(components[name]);
    }
  };
  visit(parts);
  return Object.fromEntries([...used].toSorted().map((name) => [name, components[name] as JsonSchema]));
}
