import type { Params, TraceEntry, ValueSource } from '@gatehouse/contract';
import type { SourcedValue } from './model.js';
import { isBuiltInName } from './placeholders.js';

/** A place that may give placeholders their values. */
export interface ValueLayer {
  source: ValueSource;
  params: Params;
}

/** The values that were found for some placeholders, and the names of those for which there is none. */
export interface FilledValues {
  values: Readonly<Record<string, SourcedValue>>;
  missing: readonly string[];
}

/**
 * The value of each name: of the last layer that has it, so the layers come in rising order of precedence. A built-in name
 * is filled by the `actor` layer alone: where the actor has no such value, no other layer may invent one.
 */
export function fillPlaceholders(names: readonly string[], layers: readonly ValueLayer[]): FilledValues {
  const found: [string, SourcedValue][] = [];
  const missing: string[] = [];
  for (const name of names) {
    const layer = layers.findLast(
      ({ source, params }) => Object.hasOwn(params, name) && (source === 'actor' || !isBuiltInName(name)),
    );
    const value = layer?.params[name];
    if (layer === undefined || value === undefined) missing.push(name);
    else found.push([name, { value, source: layer.source }]);
  }
  // Not by assignment: `__proto__` is a name like any other.
  return { values: Object.fromEntries(found), missing };
}

const SOURCE_PHRASES: Record<ValueSource, string> = {
  definition: 'the params of its definition',
  rule: 'the params of its rule',
  assignment: 'the params of its assignment',
  token: "the token's securityParams",
  runtime: 'the runtimeParams',
  actor: 'the actor',
};

/** One entry for each placeholder: where its value came from, never what it is. */
export function traceValues({ values, missing }: FilledValues, owner: string): TraceEntry[] {
  return [
    ...Object.entries(values).map(([name, { source }]): TraceEntry => ({
      subject: 'value',
      name,
      outcome: 'filled',
      why: `${owner} uses it, with the value from ${SOURCE_PHRASES[source]}.`,
      valueSource: source,
    })),
    ...missing.map((name): TraceEntry => ({
      subject: 'value',
      name,
      outcome: 'missing',
      why: isBuiltInName(name)
        ? `${owner} uses it, and the actor has no such value.`
        : `${owner} uses it, and nothing gives it a value.`,
    })),
  ];
}

/** The values that count for everything that is resolved in one request. */
export interface ValueContext {
  tokenParams: Params;
  runtimeParams: Params;
  builtIns: Params;
}

/** The layers of a config or a rule, lowest first: its own params, those of its assignment (null for a token's), the request's. */
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
