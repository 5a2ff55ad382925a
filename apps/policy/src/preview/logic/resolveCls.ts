import type {
  ClsConfig,
  CompiledReason,
  InlinePolicies,
  Params,
  ResolvedCls,
  TraceEntry,
  ValueSource,
} from '@gatehouse/contract';
import { type AssignmentFacts, refusalOf } from './facts.js';
import {
  isBuiltInName,
  isSecretName,
  placeholdersOf,
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
    fingerprintOf: (value) => context.budget.count(fingerprintOf(value)),
  });
  const { winner, refusals, trace } = contest;
  if (refusals.length > 0) return { resolved: null, refusals, trace };
  const stored = winner && {
    rendered: winner.value,
    resolved: show(winner.value),
  };
  if (stored) trace.push(...traceValues(stored.rendered.filled, stored.rendered.owner));
  if (token === undefined) return { resolved: stored?.resolved ?? null, refusals, trace };
  const merged = mergeToken(
    stored,
    renderCls(
      { config: token, assignmentParams: null, phrase: 'the token', origin: originOf(null) },
      context,
    ),
  );
  return { ...merged, trace: [...trace, ...merged.trace] };
}

interface StoredCls {
  rendered: RenderedCls;
  resolved: ResolvedCls;
}

function mergeToken(stored: StoredCls | null, token: Outcome<RenderedCls>): LevelOutcome<ResolvedCls> {
  if (token.reasons !== undefined) return { resolved: null, refusals: token.reasons, trace: [] };
  const values = traceValues(token.value.filled, token.value.owner);
  if (stored === null) {
    const why = 'No assignment that applies has a connection-level config, so that of the token is taken.';
    const resolved = show(token.value);
    return { resolved, refusals: [], trace: [entry('wins', why), ...values] };
  }
  if (fingerprintOf(stored.rendered) === fingerprintOf(token.value)) {
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

function renderCls(
  { config, assignmentParams, phrase, origin }: ClsPolicy,
  context: BudgetedValues,
): Outcome<RenderedCls> {
  const { connectionTemplate, filePathTemplates, params = {} } = config;
  const templates = [connectionTemplate ?? '', ...Object.values(filePathTemplates ?? {})];
  const ownNames = Object.keys(params).filter((name) => !isBuiltInName(name));
  const names = [...new Set([...templates.flatMap(placeholdersOf), ...ownNames])];
  const layers = layersOf(context, { source: 'definition', params }, assignmentParams);
  const filled = fillPlaceholders(names, layers);
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
  const files = Object.entries(filePathTemplates ?? {}).flatMap(([name, template]) => {
    const owner = `file path template "${name}" of ${phrase}`;
    return render({ template, kind: 'filePath', owner }).map((path): [string, RenderedTemplate] => [
      name,
      path,
    ]);
  });
  if (reasons.length > 0) return { reasons };
  const owner = `The connection-level config of ${phrase}`;
  return { value: { connection, files: filePathTemplates ? files : null, filled, owner, origin } };
}

/**
 * The full effect of a config. A secret is represented by the record that it comes from, not by its value:
 * comparing values would confirm a guess to the author of a draft. So two records with the same secret
 * differ.
 */
function fingerprintOf({ connection, files, filled, origin }: RenderedCls): string {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
  const paths = files?.map(([name, path]): [string, string] => [name, path.comparable]).toSorted(byName);
  const params = Object.entries(filled.values).map(([name, sourced]): [string, unknown] => [
    name,
    isSecretName(name) ? recordOf(sourced.source, origin) : sourced.value,
  ]);
  return JSON.stringify([connection?.comparable ?? null, paths ?? null, params.toSorted(byName)]);
}

/** The record that a value of this source comes from. Values of the request are the same for every config. */
function recordOf(source: ValueSource, { definitionId, assignmentId, source: policySource }: Origin) {
  if (source === 'definition') return [source, definitionId ?? policySource];
  if (source === 'assignment') return [source, assignmentId ?? policySource];
  return [source];
}

function show({ connection, files, filled, origin }: RenderedCls): ResolvedCls {
  const params = Object.entries(filled.values).map(([name, { value }]) => [
    name,
    isSecretName(name) ? HIDDEN : value,
  ]);
  return {
    connectionString: connection?.shown ?? null,
    filePaths: files && Object.fromEntries(files.map(([name, { shown }]) => [name, shown])),
    params: Object.fromEntries(params) as Params,
    ...origin,
  };
}
