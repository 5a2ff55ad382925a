import type { z } from 'zod';
import { rule } from './fieldErrors.js';

/**
 * The most faulty items and entries of one input. Describing a fault takes much longer than checking a value,
 * and a body may hold a hundred thousand of them. A response lists a hundred.
 */
export const FAULTS_MAX = 200;
/**
 * The faults of an input and of all options of its unions, after which an option is not checked beyond its
 * first fault. Each item may be a list that fits none of its options.
 */
const ALL_FAULTS_MAX = 1000;

type Schema = z.core.$ZodType;
type Run = Schema['_zod']['run'];

/** The input, or the option of a union, that fails if one of its items does. */
interface Scope {
  faults: number;
  /** After so many faults, the rest is not checked. */
  limit: number;
  /** The faults of all scopes of the input. */
  all: { count: number };
}

type ScopedContext = z.core.ParseContextInternal & { scope?: Scope };

function scopeWithin(outer: Scope | undefined): Scope {
  const all = outer?.all ?? { count: 0 };
  return { faults: 0, limit: all.count < ALL_FAULTS_MAX ? FAULTS_MAX : 1, all };
}

/** The schemas that count their faults, by what they are in an input. */
const counted = new WeakSet<Schema>();
const scoped = new WeakSet<Schema>();
const visited = new WeakSet<Schema>();

/** Replaces how a schema checks a value, once, as the schemas of zod do themselves for their size limits. */
function replaceRun(schema: Schema, known: WeakSet<Schema>, wrap: (run: Run) => Run): void {
  if (known.has(schema)) return;
  known.add(schema);
  schema._zod.run = wrap(schema._zod.run);
}

/**
 * Begins a scope with each value. An option of a union has its own: its faults do not count if another option
 * fits.
 */
function beginScope(schema: Schema): void {
  replaceRun(schema, scoped, (run) => (payload, context) => {
    const inner: ScopedContext = { ...context, scope: scopeWithin((context as ScopedContext).scope) };
    return run(payload, inner);
  });
}

/**
 * Counts a faulty item in its scope. After the last one that counts, an item is a fault without a check, and
 * the others are skipped: the scope has failed by then.
 */
function countFaults(schema: Schema): void {
  replaceRun(schema, counted, (run) => (payload, context) => {
    const { scope } = context as ScopedContext;
    if (scope === undefined) return run(payload, context);
    if (scope.faults > scope.limit) return payload;
    if (scope.faults === scope.limit) {
      scope.faults += 1;
      const fault = rule('must not follow so many faulty items: the rest was not checked', 'invalid');
      payload.issues.push({ code: 'custom', ...fault, input: payload.value, inst: schema });
      return payload;
    }
    const result = run(payload, context);
    if (result instanceof Promise || result.issues.length === 0) return result;
    scope.faults += 1;
    scope.all.count += 1;
    return result;
  });
}

/** The schemas in the definition of a schema: `items` have any number of values in an input. */
function partsOf(schema: Schema): { parts: Schema[]; items: Schema[]; options: Schema[] } {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'catch')
    throw new Error('An input with catch would pass with items that were not checked');
  const nothing = { parts: [], items: [], options: [] };
  if (def.type === 'object') return { ...nothing, parts: Object.values(def.shape) };
  if (def.type === 'array') return { ...nothing, items: [def.element] };
  if (def.type === 'record') return { ...nothing, items: [def.keyType, def.valueType] };
  if (def.type === 'union') return { ...nothing, options: [...def.options] };
  if (def.type === 'pipe') return { ...nothing, parts: [def.in, def.out] };
  return 'innerType' in def ? { ...nothing, parts: [def.innerType] } : nothing;
}

function hasItems(schema: Schema): boolean {
  const { parts, items, options } = partsOf(schema);
  return items.length > 0 || [...parts, ...options].some(hasItems);
}

function visit(schema: Schema): void {
  if (visited.has(schema)) return;
  visited.add(schema);
  const { parts, items, options } = partsOf(schema);
  for (const item of items) countFaults(item);
  for (const option of options) if (hasItems(option)) beginScope(option);
  for (const part of [...parts, ...items, ...options]) visit(part);
}

/**
 * Stops the check of an input at {@link FAULTS_MAX} faulty items and entries. Returns the schema.
 * @throws Error for a schema with `catch`, which would discard the fault that stands for the items after it
 */
export function boundFaults<S extends Schema>(input: S): S {
  visit(input);
  beginScope(input);
  return input;
}
