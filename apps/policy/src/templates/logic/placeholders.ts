import type { ParamValue, Params, TraceEntry, ValueSource } from '@gatehouse/contract';
import { isBuiltInName, type BuiltInName } from '@gatehouse/contract/placeholders';
import { mapItems } from '../../limits/logic/mapItems.js';
import type { ActorFacts } from '../../preview/logic/facts.js';
import type { SourcedValue } from '../../sql/logic/restriction.js';

/** The values of the built-in placeholders, which cannot be overridden. */
const BUILT_INS: Record<BuiltInName, (actor: ActorFacts) => string | null> = {
  'actor.kind': (actor) => actor.kind,
  'actor.id': (actor) => actor.id,
  // The tenant of a tenant is the tenant itself, even if its facts do not repeat that.
  'actor.tenantId': (actor) => actor.tenantId ?? (actor.kind === 'TENANT' ? actor.id : null),
  'actor.email': (actor) => actor.email,
  'actor.role': (actor) => actor.role,
};

/**
 * The built-in values of an actor. Values that the actor does not have, such as the tenant of an org user,
 * are left out.
 */
export function builtInValues(actor: ActorFacts): Record<string, ParamValue> {
  const values: Record<string, ParamValue> = {};
  for (const [name, valueOf] of Object.entries(BUILT_INS)) {
    const value = valueOf(actor);
    if (value !== null) values[name] = value;
  }
  return values;
}

/** A source of values for placeholders. */
export interface ValueLayer {
  source: ValueSource;
  params: Params;
}

/** The values found for placeholders, and the names of placeholders without a value. */
export interface FilledValues {
  values: Readonly<Record<string, SourcedValue>>;
  missing: readonly string[];
}

/**
 * The value of each name, from the last layer that has it: layers come in ascending order of precedence. Only
 * the `actor` layer fills a built-in name: if the actor has no such value, no other layer may supply one. A
 * step, between which others can run, is a name.
 */
export function* fillPlaceholders(
  names: Iterable<string>,
  layers: readonly ValueLayer[],
): Generator<void, FilledValues> {
  const found: [string, SourcedValue][] = [];
  const missing: string[] = [];
  for (const name of names) {
    const layer = layers.findLast(
      ({ source, params }) => Object.hasOwn(params, name) && (source === 'actor' || !isBuiltInName(name)),
    );
    const value = layer?.params[name];
    if (layer === undefined || value === undefined) missing.push(name);
    else found.push([name, { value, source: layer.source }]);
    yield;
  }
  // Properties are not assigned one by one, because `__proto__` is an ordinary name here.
  const values = Object.fromEntries(found);
  yield;
  return { values, missing };
}

const SOURCE_PHRASES: Record<ValueSource, string> = {
  definition: 'the params of its definition',
  rule: 'the params of its rule',
  assignment: 'the params of its assignment',
  token: "the token's securityParams",
  runtime: 'the runtimeParams',
  actor: 'the actor',
};

/** One entry for each placeholder: the source of its value, but never the value. A step is an entry. */
export function* traceValues(
  { values, missing }: FilledValues,
  owner: string,
): Generator<void, TraceEntry[]> {
  const filled = yield* mapItems(Object.entries(values), ([name, { source }]): TraceEntry => ({
    subject: 'value',
    name,
    outcome: 'filled',
    why: `${owner} uses it, with the value from ${SOURCE_PHRASES[source]}.`,
    valueSource: source,
  }));
  const unfilled = yield* mapItems(missing, (name): TraceEntry => ({
    subject: 'value',
    name,
    outcome: 'missing',
    why: isBuiltInName(name)
      ? `${owner} uses it, and the actor has no such value.`
      : `${owner} uses it, and nothing gives it a value.`,
  }));
  return [...filled, ...unfilled];
}

/** The values that apply to the whole request. */
export interface ValueContext {
  tokenParams: Params;
  runtimeParams: Params;
  builtIns: Params;
}

/**
 * The layers of a config or a rule in ascending order: its own params, those of its assignment (null for a
 * token), those of the request.
 */
export function layersOf(
  context: ValueContext,
  own: ValueLayer | null,
  assignmentParams: Params | null,
): ValueLayer[] {
  return [
    ...(own === null ? [] : [own]),
    { source: 'assignment', params: assignmentParams ?? {} },
    { source: 'token', params: context.tokenParams },
    { source: 'runtime', params: context.runtimeParams },
    { source: 'actor', params: context.builtIns },
  ];
}
