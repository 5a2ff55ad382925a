import type { AppliedAssignment, CompiledReason, Params, RlsConfig, TraceEntry } from '@gatehouse/contract';
import { findApplicable, sortAssignments, traceAssignment } from './applicable.js';
import { resolveCls } from './cls.js';
import type { AssignmentFacts, ResolutionRequest, ResolvedPolicies, ResolvedRule } from './model.js';
import { builtInValues, isSecretName, placeholdersOf } from './placeholders.js';
import { originOf, TOKEN_POLICY, type Origin } from './precedence.js';
import { refusalOf } from './refusals.js';
import { SECRETS_ARE_FOR_CONNECTIONS } from './renderTemplate.js';
import { resolveSls } from './sls.js';
import { fillPlaceholders, layersOf, traceValues, type ValueContext } from './values.js';

/**
 * What holds for an actor on a connection. Every policy only narrows: rules add up, allowlists intersect, and where two configs
 * of a level cannot both hold, `refusals` says so and nothing may be read. The answer does not depend on the order of what is
 * given. A rule whose placeholders lack a value stays in `rules` with their names in `missing`: it refuses the statements that
 * read its tables, and no others.
 */
export function resolvePolicies(request: ResolutionRequest): ResolvedPolicies {
  const { applicable, trace } = countingAssignments(request);
  const token = request.tokenPolicies ?? {};
  const context: ValueContext = {
    tokenParams: request.tokenParams,
    runtimeParams: request.runtimeParams,
    builtIns: builtInValues(request.actor),
  };
  const cls = resolveCls(applicable, token.cls, context);
  const sls = resolveSls(applicable, token.sls, context);
  const sets = [...applicable.map(ruleSetOf), tokenRuleSet(token.rls)];
  const rules = sets.flatMap((set) => resolveRules(set, context));
  const hasTokenPolicies = Object.values(token).some((config) => config !== undefined);
  return {
    assignments: [...applicable.map(describeAssignment), ...(hasTokenPolicies ? [TOKEN_ASSIGNMENT] : [])],
    cls: cls.resolved,
    sls: sls.resolved,
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
 * On a governed connection an actor reads nothing until an assignment says what, unless the connection allows it. A token's own
 * policies are no assignment: who makes a token cannot thereby let its bearer in.
 */
function refuseUnassigned(
  { isGoverned, connection }: ResolutionRequest,
  isAssigned: boolean,
): CompiledReason[] {
  if (!isGoverned || isAssigned || connection.unassignedActors === 'allow') return [];
  const message = 'Policies govern the connection, and no assignment applies to the actor.';
  return [refusalOf('UNASSIGNED', message)];
}

/** The rules of one assignment, or of the token. */
interface RuleSet {
  rules: RlsConfig['rules'];
  assignmentParams: Params | null;
  /** What a rule without a name is called by, with its number. */
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

function resolveRules(
  { rules, assignmentParams, title, origin }: RuleSet,
  context: ValueContext,
): { rule: ResolvedRule | null; trace: TraceEntry[] }[] {
  const { assignmentId, definitionId } = origin;
  return rules.map(({ name: ownName, matcher, expression, params = {}, enabled }, index) => {
    const name = ownName ?? `${title} #${index + 1}`;
    const entry = { subject: 'rule' as const, name, assignmentId, definitionId };
    if (!enabled) return { rule: null, trace: [{ ...entry, outcome: 'skipped', why: 'It is disabled.' }] };
    const [secrets, names] = partition(placeholdersOf(expression), isSecretName);
    const filled = fillPlaceholders(names, layersOf(context, { source: 'rule', params }, assignmentParams));
    const trace: TraceEntry[] = [
      { ...entry, outcome: 'applies', why: WHY_RULE[origin.source] },
      ...traceValues(filled, `The rule "${name}"`),
      ...secrets.map((secret) => traceSecret(secret, name)),
    ];
    const missing = [...filled.missing, ...secrets];
    return { rule: { name, ...origin, matcher, expression, values: filled.values, missing }, trace };
  });
}

const WHY_RULE = {
  persisted: 'Its definition is assigned to the actor.',
  draft: 'The draft assigns its definition to the actor.',
  token: 'The token brings it.',
};

/** A condition is shown with its values, so no secret is let into one: it counts as missing, and the rule denies. */
function traceSecret(name: string, rule: string): TraceEntry {
  const why = `The rule "${rule}" uses it, and ${SECRETS_ARE_FOR_CONNECTIONS}`;
  return { subject: 'value', name, outcome: 'missing', why };
}

function partition<T>(values: readonly T[], belongs: (value: T) => boolean): [T[], T[]] {
  return [values.filter(belongs), values.filter((value) => !belongs(value))];
}
