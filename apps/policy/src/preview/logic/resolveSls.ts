import type { InlinePolicies, Params, ResolvedSls, SlsConfig, TraceEntry } from '@gatehouse/contract';
import { type AssignmentFacts, refusalOf } from './facts.js';
import { placeholdersOf } from '@gatehouse/contract/placeholders';
import {
  fillPlaceholders,
  layersOf,
  traceValues,
  type FilledValues,
} from '../../templates/logic/placeholders.js';
import {
  originOf,
  phraseOf,
  settleContest,
  TOKEN_POLICY,
  type LevelOutcome,
  type Outcome,
} from './precedence.js';
import { renderTemplate, type BudgetedValues } from './renderTemplate.js';

/** A schema-level config with its placeholders filled. */
interface RenderedSls {
  /** The fixed schema of unqualified tables. */
  fixed: string | null;
  /** The schema of unqualified tables if none is fixed. */
  fallback: string | null;
  /**
   * The schemas that this config allows; null allows all. A fixed schema without a list allows only itself.
   */
  allowed: readonly string[] | null;
  filled: FilledValues;
  owner: string;
}

/**
 * Resolves the schemas that may be read. The most specific assignment fixes the schema of unqualified tables.
 * The allowlists of every rank and of the token apply together. A fixed schema confines: without a list in
 * its config, it is the only one. A token's schema applies if no stored schema is fixed, and is refused if
 * another one is.
 */
export function* resolveSls(
  assignments: readonly AssignmentFacts[],
  token: InlinePolicies['sls'],
  context: BudgetedValues,
): Generator<void, LevelOutcome<ResolvedSls>> {
  const contenders = assignments.filter(({ definition }) => definition.slsConfig !== null);
  const { winner, refusals, trace } = yield* settleContest({
    level: 'sls',
    contenders,
    resolve: (assignment) => renderSls(policyOf(assignment), context),
    fingerprintOf: function* (value) {
      yield;
      return context.budget.count(fingerprintOf(value));
    },
  });
  if (refusals.length > 0) return { resolved: null, refusals, trace };
  const inline =
    token && (yield* renderSls({ config: token, assignmentParams: null, phrase: 'the token' }, context));
  if (inline?.reasons !== undefined) return { resolved: null, refusals: inline.reasons, trace };
  const parts = { stored: winner?.value ?? null, token: inline?.value ?? null };
  const present = [parts.stored, parts.token].filter((part) => part !== null);
  if (present.length === 0) return { resolved: null, refusals, trace };
  const lists = contenders.map(({ definition }) => definition.slsConfig?.allowedSchemas ?? null);
  // A token cannot lift a refusal of the stored policies.
  const alone =
    parts.stored && mergeParts({ ...parts, token: null }, intersect([parts.stored.allowed, ...lists]));
  if (alone?.reasons !== undefined) return { resolved: null, refusals: alone.reasons, trace };
  const allowed = intersect([...present.map((part) => part.allowed), ...lists]);
  const merged = mergeParts(parts, allowed);
  for (const { filled, owner } of present) trace.push(...(yield* traceValues(filled, owner)));
  if (parts.token !== null) trace.push(traceToken(parts.stored, merged));
  if (merged.reasons !== undefined) return { resolved: null, refusals: merged.reasons, trace };
  return { resolved: { ...merged.value, ...originOf(winner?.assignment ?? null) }, refusals, trace };
}

interface SlsPolicy {
  config: SlsConfig;
  /** Null for a token. */
  assignmentParams: Params | null;
  /** The name of the policy in a message. */
  phrase: string;
}

function policyOf(assignment: AssignmentFacts): SlsPolicy {
  const { definition, params } = assignment;
  return { config: definition.slsConfig ?? {}, assignmentParams: params, phrase: phraseOf(assignment) };
}

function* renderSls(
  { config, assignmentParams, phrase }: SlsPolicy,
  context: BudgetedValues,
): Generator<void, Outcome<RenderedSls>> {
  const { schema, schemaTemplate, allowedSchemas, defaultSchema } = config;
  const filled = yield* fillPlaceholders(
    placeholdersOf(schemaTemplate ?? ''),
    layersOf(context, null, assignmentParams),
  );
  let fixed = schema ?? null;
  if (schemaTemplate) {
    const owner = `schemaTemplate of ${phrase}`;
    const { rendered, reason } = renderTemplate({ template: schemaTemplate, kind: 'schema', owner }, filled);
    if (reason) return { reasons: [reason] };
    fixed = rendered.actual;
  }
  const allowed = allowedSchemas ?? (fixed === null ? null : [fixed]);
  const owner = `The schema-level config of ${phrase}`;
  return { value: { fixed, fallback: defaultSchema ?? null, allowed, filled, owner } };
}

function fingerprintOf({ fixed, fallback, allowed }: RenderedSls): string {
  return JSON.stringify([fixed, fallback, allowed && [...new Set(allowed)].toSorted()]);
}

type Readable = Pick<ResolvedSls, 'schema' | 'allowedSchemas'>;

function mergeParts(
  { stored, token }: Record<'stored' | 'token', RenderedSls | null>,
  allowedSchemas: string[] | null,
): Outcome<Readable> {
  if (stored?.fixed != null && token?.fixed != null && stored.fixed !== token.fixed) {
    const message = `${stored.owner} and that of the token fix different schemas.`;
    return { reasons: [refusalOf('SLS_CONFLICT', message)] };
  }
  if (allowedSchemas?.length === 0) {
    const message = 'No schema is in every list of allowed schemas that applies, so none may be read.';
    return { reasons: [refusalOf('NO_SCHEMA_ALLOWED', message)] };
  }
  const schema = stored?.fixed ?? token?.fixed ?? stored?.fallback ?? token?.fallback ?? null;
  if (schema !== null && allowedSchemas !== null && !allowedSchemas.includes(schema)) {
    const message = 'The schema of unqualified tables is not among those that may be read.';
    return { reasons: [refusalOf('SCHEMA_NOT_ALLOWED', message)] };
  }
  return { value: { schema, allowedSchemas } };
}

/**
 * The items that are in every list, in the order of the first list. Null, which allows every schema, if there
 * is no list.
 */
function intersect(lists: readonly (readonly string[] | null)[]): string[] | null {
  const [first, ...rest] = lists.filter((list) => list !== null).map((list) => new Set(list));
  if (first === undefined) return null;
  return [...first].filter((schema) => rest.every((list) => list.has(schema)));
}

function traceToken(stored: RenderedSls | null, merged: Outcome<Readable>): TraceEntry {
  const base = { subject: 'sls', name: TOKEN_POLICY } as const;
  if (merged.reasons !== undefined)
    return { ...base, outcome: 'conflict', why: merged.reasons.map(({ message }) => message).join(' ') };
  if (stored !== null) return { ...base, outcome: 'merged', why: 'It narrows the config that is stored.' };
  return { ...base, outcome: 'wins', why: 'No assignment that applies has a schema-level config.' };
}
