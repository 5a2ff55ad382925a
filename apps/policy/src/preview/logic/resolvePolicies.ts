import type {
  AppliedAssignment,
  CompiledReason,
  Params,
  ResolvedCls,
  RlsConfig,
  TraceEntry,
} from '@gatehouse/contract';
import type { ByteBudget } from '../../limits/logic/byteBudget.js';
import { mapItems } from '../../limits/logic/mapItems.js';
import {
  findApplicable,
  sortAssignments,
  traceAssignment,
  originOf,
  TOKEN_POLICY,
  type LevelOutcome,
  type Origin,
} from './precedence.js';
import { resolveCls } from './resolveCls.js';
import { type AssignmentFacts, type ResolutionRequest, type ResolvedPolicies, refusalOf } from './facts.js';
import type { ResolvedRule } from '../../sql/logic/restriction.js';
import { isSecretName, placeholdersOf } from '@gatehouse/contract/placeholders';
import {
  builtInValues,
  fillPlaceholders,
  layersOf,
  traceValues,
} from '../../templates/logic/placeholders.js';
import { SECRETS_ARE_FOR_CONNECTIONS, type BudgetedValues } from './renderTemplate.js';
import { resolveSls } from './resolveSls.js';

/**
 * Resolves the policies of an actor on a connection. Every policy only narrows access: rules add up and
 * allowlists intersect. If two configs of a level conflict, `refusals` has the reason and nothing may be
 * read. The result does not depend on the order of the input. A rule whose placeholders lack a value stays in
 * `rules`, with their names in `missing`: it refuses only the statements that read its tables.
 * The steps, between which others can run, are short: a config, or a rule.
 * @throws {TooLarge} if the result is larger than the budget
 */
export function* resolvePolicies(
  request: ResolutionRequest,
  budget: ByteBudget,
): Generator<void, ResolvedPolicies> {
  const { applicable, trace } = countingAssignments(request);
  const token = request.tokenPolicies ?? {};
  const context: BudgetedValues = {
    budget,
    tokenParams: request.tokenParams,
    runtimeParams: request.runtimeParams,
    builtIns: builtInValues(request.actor),
  };
  const cls = yield* resolveCls(applicable, token.cls, context);
  const sls = yield* resolveSls(applicable, token.sls, context);
  const sets = [...applicable.map(ruleSetOf), tokenRuleSet(token.rls)];
  const rules: TracedRule[] = [];
  for (const set of sets) {
    for (const [index, rule] of set.rules.entries()) {
      rules.push(budget.count(yield* resolveRule(rule, { ...set, index }, context)));
      yield;
    }
  }
  const hasTokenPolicies = Object.values(token).some((config) => config !== undefined);
  const assignments = [
    ...applicable.map(describeAssignment),
    ...(hasTokenPolicies ? [TOKEN_ASSIGNMENT] : []),
  ];
  yield* countConnection(cls, budget);
  budget.count([assignments, trace, sls]);
  return {
    assignments,
    cls: cls.resolved,
    sls: sls.resolved,
    isGoverned: request.isGoverned || applicable.length > 0 || hasTokenPolicies,
    rules: rules.flatMap(({ rule }) => rule ?? []),
    refusals: [
      ...refuseUnassigned(request, applicable.length > 0 || (request.onlyTokenPolicies && hasTokenPolicies)),
      ...cls.refusals,
      ...sls.refusals,
    ],
    trace: [...trace, ...cls.trace, ...sls.trace, ...rules.flatMap((resolved) => resolved.trace)],
  };
}

function countingAssignments(request: ResolutionRequest): ReturnType<typeof findApplicable> {
  if (!request.onlyTokenPolicies) return findApplicable(request.assignments, request.actor);
  const why = 'Only the policies of the token count here.';
  const trace = sortAssignments(request.assignments).map((assignment) =>
    traceAssignment(assignment, 'skipped', why),
  );
  return { applicable: [], trace };
}

/** Counts a connection in steps: it may have 60,000 files or values. */
function* countConnection(
  { resolved, refusals, trace }: LevelOutcome<ResolvedCls>,
  budget: ByteBudget,
): Generator<void, void> {
  const { connectionString = null, filePaths, params } = resolved ?? {};
  budget.count([connectionString, refusals]);
  yield;
  const count = (part: unknown) => budget.count(part);
  yield* mapItems(Object.entries(filePaths ?? {}), count);
  yield* mapItems(Object.entries(params ?? {}), count);
  yield* mapItems(trace, count);
}

const TOKEN_ASSIGNMENT: AppliedAssignment = {
  id: null,
  definitionId: null,
  definitionName: null,
  scopeType: null,
  source: 'token',
};

function describeAssignment({ id, definition, scopeType, source }: AssignmentFacts): AppliedAssignment {
  return { id, definitionId: definition.id, definitionName: definition.name, scopeType, source };
}

/**
 * On a governed connection an actor without an assignment may read nothing, unless the connection allows it.
 * A token's own policies are not an assignment: creating a token cannot grant its bearer access.
 */
function refuseUnassigned(
  { isGoverned, connection }: ResolutionRequest,
  isAssigned: boolean,
): CompiledReason[] {
  if (!isGoverned || isAssigned || connection.unassignedActors === 'allow') return [];
  const message = 'Policies govern the connection, and no assignment applies to the actor.';
  return [refusalOf('UNASSIGNED', message)];
}

/** The rules of one assignment or of the token. */
interface RuleSet {
  rules: RlsConfig['rules'];
  assignmentParams: Params | null;
  /** The name of rules without a name, followed by their number. */
  title: string;
  origin: Origin;
}

function ruleSetOf(assignment: AssignmentFacts): RuleSet {
  const { definition, params } = assignment;
  return {
    rules: definition.rlsConfig?.rules ?? [],
    assignmentParams: params,
    title: definition.name,
    origin: originOf(assignment),
  };
}

function tokenRuleSet(rls: RlsConfig | undefined): RuleSet {
  return { rules: rls?.rules ?? [], assignmentParams: null, title: TOKEN_POLICY, origin: originOf(null) };
}

/** A rule, or null if it is disabled, with the entries about it. */
interface TracedRule {
  rule: ResolvedRule | null;
  trace: TraceEntry[];
}

function* resolveRule(
  { name: ownName, matcher, expression, params = {}, enabled }: RlsConfig['rules'][number],
  { assignmentParams, title, origin, index }: RuleSet & { index: number },
  context: BudgetedValues,
): Generator<void, TracedRule> {
  const { assignmentId, definitionId } = origin;
  const name = ownName ?? `${title} #${index + 1}`;
  const entry = { subject: 'rule' as const, name, assignmentId, definitionId };
  if (!enabled) return { rule: null, trace: [{ ...entry, outcome: 'skipped', why: 'It is disabled.' }] };
  const [secrets, names] = partition(placeholdersOf(expression), isSecretName);
  const layers = layersOf(context, { source: 'rule', params }, assignmentParams);
  const filled = yield* fillPlaceholders(names, layers);
  const trace: TraceEntry[] = [
    { ...entry, outcome: 'applies', why: WHY_RULE[origin.source] },
    ...(yield* traceValues(filled, `The rule "${name}"`)),
    ...secrets.map((secret) => traceSecret(secret, name)),
  ];
  const missing = [...filled.missing, ...secrets];
  return { rule: { name, ...origin, matcher, expression, values: filled.values, missing }, trace };
}

const WHY_RULE = {
  persisted: 'Its definition is assigned to the actor.',
  draft: 'The draft assigns its definition to the actor.',
  token: 'The token brings it.',
};

/**
 * A condition is shown with its values, so it may not use a secret: the secret counts as missing, and the
 * rule denies.
 */
function traceSecret(name: string, rule: string): TraceEntry {
  const why = `The rule "${rule}" uses it, and ${SECRETS_ARE_FOR_CONNECTIONS}`;
  return { subject: 'value', name, outcome: 'missing', why };
}

function partition<T>(values: readonly T[], belongs: (value: T) => boolean): [T[], T[]] {
  return [values.filter(belongs), values.filter((value) => !belongs(value))];
}
