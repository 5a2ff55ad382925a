import type {
  ClsConfig,
  CompiledReason,
  InlinePolicies,
  Params,
  ParamValue,
  ResolvedCls,
  TraceEntry,
  ValueSource,
} from '@gatehouse/contract';
import { mapItems } from '../../limits/logic/mapItems.js';
import { type AssignmentFacts, refusalOf } from './facts.js';
import { isBuiltInName, isSecretName, placeholdersOf } from '@gatehouse/contract/placeholders';
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
  type Origin,
  type Outcome,
} from './precedence.js';
import {
  renderTemplate,
  type BudgetedValues,
  type NamedTemplate,
  type RenderedTemplate,
} from './renderTemplate.js';
import { HIDDEN } from '../../secrets/logic/secretParams.js';

/** A connection-level config with its placeholders filled. */
interface RenderedCls {
  connection: RenderedTemplate | null;
  files: [name: string, path: RenderedTemplate][] | null;
  filled: FilledValues;
  owner: string;
  origin: Origin;
}

interface ClsPolicy {
  config: ClsConfig;
  origin: Origin;
  /** Null for a token. */
  assignmentParams: Params | null;
  /** The name of the policy in a message. */
  phrase: string;
}

/**
 * Resolves the connection of queries: that of the most specific applicable assignment with a connection-level
 * config. A token's config must have the same effect; it is used alone if none is stored.
 */
export function* resolveCls(
  assignments: readonly AssignmentFacts[],
  token: InlinePolicies['cls'],
  context: BudgetedValues,
): Generator<void, LevelOutcome<ResolvedCls>> {
  const contest = yield* settleContest({
    level: 'cls',
    contenders: assignments.filter(({ definition }) => definition.clsConfig !== null),
    resolve: (assignment) => {
      const { definition, params } = assignment;
      const config = definition.clsConfig ?? {};
      const policy = { config, assignmentParams: params, origin: originOf(assignment) };
      return renderCls({ ...policy, phrase: phraseOf(assignment) }, context);
    },
    fingerprintOf: (value) => fingerprintOf(value, context),
  });
  const { winner, refusals, trace } = contest;
  if (refusals.length > 0) return { resolved: null, refusals, trace };
  const stored = winner && { rendered: winner.value, resolved: yield* show(winner.value) };
  const values = stored === null ? [] : yield* traceValues(stored.rendered.filled, stored.rendered.owner);
  if (token === undefined)
    return { resolved: stored?.resolved ?? null, refusals, trace: [...trace, ...values] };
  const policy = { config: token, assignmentParams: null, phrase: 'the token', origin: originOf(null) };
  const merged = yield* mergeToken(stored, yield* renderCls(policy, context), context);
  return { ...merged, trace: [...trace, ...values, ...merged.trace] };
}

interface StoredCls {
  rendered: RenderedCls;
  resolved: ResolvedCls;
}

function* mergeToken(
  stored: StoredCls | null,
  token: Outcome<RenderedCls>,
  context: BudgetedValues,
): Generator<void, LevelOutcome<ResolvedCls>> {
  if (token.reasons !== undefined) return { resolved: null, refusals: token.reasons, trace: [] };
  const values = yield* traceValues(token.value.filled, token.value.owner);
  if (stored === null) {
    const why = 'No assignment that applies has a connection-level config, so that of the token is taken.';
    const resolved = yield* show(token.value);
    return { resolved, refusals: [], trace: [entry('wins', why), ...values] };
  }
  const ofStored = yield* fingerprintOf(stored.rendered, context);
  if (ofStored === (yield* fingerprintOf(token.value, context))) {
    const why = 'It equals the stored config.';
    return { resolved: stored.resolved, refusals: [], trace: [entry('merged', why), ...values] };
  }
  const why = `${stored.rendered.owner} and that of the token differ, and a token cannot choose another connection.`;
  const refusals = [refusalOf('CLS_CONFLICT', why)];
  return { resolved: null, refusals, trace: [entry('conflict', why)] };
}

function entry(outcome: TraceEntry['outcome'], why: string): TraceEntry {
  return { subject: 'cls', name: TOKEN_POLICY, outcome, why };
}

/** The distinct names of the placeholders of a config, and of its own values. */
function* namesOf(templates: readonly string[], params: Params): Generator<void, Set<string>> {
  const ownNames = Object.keys(params).filter((name) => !isBuiltInName(name));
  yield;
  const inTemplates = yield* mapItems(templates, placeholdersOf);
  return new Set([...inTemplates.flat(), ...ownNames]);
}

/** The steps, between which others can run, are short: a config may have 60,000 templates or values. */
function* renderCls(
  { config, assignmentParams, phrase, origin }: ClsPolicy,
  context: BudgetedValues,
): Generator<void, Outcome<RenderedCls>> {
  const { connectionTemplate, filePathTemplates, params = {} } = config;
  const paths = Object.entries(filePathTemplates ?? {});
  yield;
  const templates = [connectionTemplate ?? '', ...paths.map(([, template]) => template)];
  const names = yield* namesOf(templates, params);
  const layers = layersOf(context, { source: 'definition', params }, assignmentParams);
  const filled = yield* fillPlaceholders(names, layers);
  const reasons: CompiledReason[] = [];
  const render = (template: NamedTemplate): RenderedTemplate[] => {
    const outcome = context.budget.count(renderTemplate(template, filled));
    if (outcome.reason) reasons.push(outcome.reason);
    return outcome.rendered ? [outcome.rendered] : [];
  };
  const [connection = null] = connectionTemplate
    ? render({
        template: connectionTemplate,
        kind: 'connection',
        owner: `connectionTemplate of ${phrase}`,
      })
    : [];
  const files = yield* mapItems(paths, ([name, template]) => {
    const owner = `file path template "${name}" of ${phrase}`;
    return render({ template, kind: 'filePath', owner }).map((path): [string, RenderedTemplate] => [
      name,
      path,
    ]);
  });
  if (reasons.length > 0) return { reasons };
  const owner = `The connection-level config of ${phrase}`;
  return { value: { connection, files: filePathTemplates ? files.flat() : null, filled, owner, origin } };
}

/**
 * The full effect of a config. A secret is represented by the record that it comes from, not by its value:
 * comparing values would confirm a guess to the author of a draft. So two records with the same secret
 * differ.
 */
function* fingerprintOf(
  { connection, files, filled, origin }: RenderedCls,
  { budget }: BudgetedValues,
): Generator<void, string> {
  const count = (named: [string, unknown]): string => budget.count(JSON.stringify(named));
  const paths = yield* mapItems(files ?? [], ([name, path]) => count([name, path.comparable]));
  const params = yield* mapItems(Object.entries(filled.values), ([name, sourced]) =>
    count([name, isSecretName(name) ? recordOf(sourced.source, origin) : sourced.value]),
  );
  const sortedPaths = paths.toSorted();
  yield;
  const sortedParams = params.toSorted();
  yield;
  return JSON.stringify([connection?.comparable ?? null, files && sortedPaths, sortedParams]);
}

/** The record that a value of this source comes from. Values of the request are the same for every config. */
function recordOf(source: ValueSource, { definitionId, assignmentId, source: policySource }: Origin) {
  if (source === 'definition') return [source, definitionId ?? policySource];
  if (source === 'assignment') return [source, assignmentId ?? policySource];
  return [source];
}

function* show({ connection, files, filled, origin }: RenderedCls): Generator<void, ResolvedCls> {
  yield;
  const filePaths = files && Object.fromEntries(files.map(([name, { shown }]) => [name, shown]));
  yield;
  const params = yield* mapItems(Object.entries(filled.values), ([name, { value }]): [string, ParamValue] => [
    name,
    isSecretName(name) ? HIDDEN : value,
  ]);
  const connectionString = connection?.shown ?? null;
  const resolved = { connectionString, filePaths, params: Object.fromEntries(params), ...origin };
  yield;
  return resolved;
}
