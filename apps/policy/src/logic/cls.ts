import type {
  ClsConfig,
  CompiledReason,
  InlinePolicies,
  Params,
  ResolvedCls,
  TraceEntry,
} from '@gatehouse/contract';
import type { AssignmentFacts } from './model.js';
import { isBuiltInName, isSecretName, placeholdersOf } from './placeholders.js';
import {
  originOf,
  phraseOf,
  settleContest,
  TOKEN_POLICY,
  type LevelOutcome,
  type Origin,
  type Outcome,
} from './precedence.js';
import { refusalOf } from './refusals.js';
import { renderTemplate, type NamedTemplate, type RenderedTemplate } from './renderTemplate.js';
import { HIDDEN } from './secretParams.js';
import { fillPlaceholders, layersOf, traceValues, type FilledValues, type ValueContext } from './values.js';

/** A connection-level config with its values in it. */
interface RenderedCls {
  connection: RenderedTemplate | null;
  files: [name: string, path: RenderedTemplate][] | null;
  filled: FilledValues;
  owner: string;
}

interface ClsPolicy {
  config: ClsConfig;
  /** Null for a token's. */
  assignmentParams: Params | null;
  /** The policy in a sentence. */
  phrase: string;
}

/**
 * The connection that queries go to: that of the most specific assignment which has one, of those that apply. A token that
 * brings one too has to say the same; it is taken where nothing is stored.
 */
export function resolveCls(
  assignments: readonly AssignmentFacts[],
  token: InlinePolicies['cls'],
  context: ValueContext,
): LevelOutcome<ResolvedCls> {
  const contest = settleContest({
    level: 'cls',
    contenders: assignments.filter(({ definition }) => definition.clsConfig !== null),
    resolve: (assignment) => {
      const { definition, params } = assignment;
      const policy = { config: definition.clsConfig ?? {}, assignmentParams: params };
      return renderCls({ ...policy, phrase: phraseOf(assignment) }, context);
    },
    fingerprintOf,
  });
  const { winner, refusals, trace } = contest;
  if (refusals.length > 0) return { resolved: null, refusals, trace };
  const stored = winner && {
    rendered: winner.value,
    resolved: show(winner.value, originOf(winner.assignment)),
  };
  if (stored) trace.push(...traceValues(stored.rendered.filled, stored.rendered.owner));
  if (token === undefined) return { resolved: stored?.resolved ?? null, refusals, trace };
  const merged = mergeToken(
    stored,
    renderCls({ config: token, assignmentParams: null, phrase: 'the token' }, context),
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
    const resolved = show(token.value, originOf(null));
    return { resolved, refusals: [], trace: [entry('wins', why), ...values] };
  }
  if (fingerprintOf(stored.rendered) === fingerprintOf(token.value)) {
    const why = 'It says the same as the config that is stored.';
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
  { config, assignmentParams, phrase }: ClsPolicy,
  context: ValueContext,
): Outcome<RenderedCls> {
  const { connectionTemplate, filePathTemplates, params = {} } = config;
  const templates = [connectionTemplate ?? '', ...Object.values(filePathTemplates ?? {})];
  const ownNames = Object.keys(params).filter((name) => !isBuiltInName(name));
  const names = [...new Set([...templates.flatMap(placeholdersOf), ...ownNames])];
  const layers = layersOf(context, { source: 'definition', params }, assignmentParams);
  const filled = fillPlaceholders(names, layers);
  const reasons: CompiledReason[] = [];
  const render = (template: NamedTemplate): RenderedTemplate[] => {
    const { rendered, reason } = renderTemplate(template, filled);
    if (reason) reasons.push(reason);
    return rendered ? [rendered] : [];
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
  return { value: { connection, files: filePathTemplates ? files : null, filled, owner } };
}

/** All that a config does, secrets included: for comparison alone. */
function fingerprintOf({ connection, files, filled }: RenderedCls): string {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
  const paths = files?.map(([name, { actual }]): [string, string] => [name, actual]).toSorted(byName);
  const params = Object.entries(filled.values).map(([name, { value }]): [string, unknown] => [name, value]);
  return JSON.stringify([connection?.actual ?? null, paths ?? null, params.toSorted(byName)]);
}

function show({ connection, files, filled }: RenderedCls, origin: Origin): ResolvedCls {
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
