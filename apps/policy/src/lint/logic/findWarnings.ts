import type { LintWarning } from '@gatehouse/contract';
import { createTableMatcher } from '../../sql/logic/matchTables.js';
import { lintCompetition, type Party } from './competition.js';
import type { LintAssignment, LintDefinition, LintRequest } from './request.js';
import { enabledRules, lintPair, lintRule, type LintRule } from './rules.js';
import { lintAllowlists, lintOwnSchema } from './schemas.js';
import { lintPlaceholders } from './unfilledPlaceholders.js';

/** The most pairs of rules that are compared. Further pairs are skipped without a warning. */
const PAIRS_MAX = 5000;
/** The most pairs of definitions that are looked at, to find those with a common actor. */
const DEFINITION_PAIRS_MAX = 200_000;

/**
 * The warnings about the policies of one connection: definition by definition, then about definitions that
 * apply to the same actor. Every warning is proven for all values that tokens and requests may supply.
 */
export function lintPolicies({ dialect, index, definitions, assignments }: LintRequest): LintWarning[] {
  const matchTables = index && createTableMatcher(index);
  const rules = new Map(definitions.map((definition) => [definition, enabledRules(definition, matchTables)]));
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const parties = assignments.flatMap((assignment): Party[] => {
    const definition = byId.get(assignment.definitionId);
    return definition ? [{ assignment, definition }] : [];
  });
  const assignmentsOf = groupByDefinition(parties);
  return [
    ...definitions.flatMap((definition) => [
      ...(rules.get(definition) ?? []).flatMap((rule) => lintRule(rule, dialect)),
      ...lintOwnSchema(definition),
      ...lintPlaceholders(definition, assignmentsOf.get(definition) ?? []),
    ]),
    ...lintPairs(pairsOf(definitions, parties), rules),
    ...lintCompetition(parties),
    ...lintAllowlists(parties),
  ];
}

function groupByDefinition(parties: readonly Party[]): Map<LintDefinition, LintAssignment[]> {
  const groups = new Map<LintDefinition, LintAssignment[]>();
  for (const { assignment, definition } of parties) {
    const group = groups.get(definition);
    if (group) group.push(assignment);
    else groups.set(definition, [assignment]);
  }
  return groups;
}

type DefinitionPair = readonly [LintDefinition, LintDefinition];

/** Yields the pairs of definitions that apply to a common actor, each also with itself, in their order. */
function* pairsOf(
  definitions: readonly LintDefinition[],
  parties: readonly Party[],
): Generator<DefinitionPair, void> {
  const actorsOf = new Map<LintDefinition, Set<string>>();
  for (const { assignment, definition } of parties) {
    const actors = actorsOf.get(definition) ?? new Set();
    actorsOf.set(definition, actors.add(JSON.stringify([assignment.scopeType, assignment.actorKey])));
  }
  const meets = (a: LintDefinition, b: LintDefinition) =>
    meetAtAnActor(actorsOf.get(a) ?? new Set(), actorsOf.get(b) ?? new Set());
  const withRules = definitions.filter(({ rlsConfig }) => rlsConfig !== null);
  let left = DEFINITION_PAIRS_MAX;
  for (const [index, a] of withRules.entries()) {
    for (const b of withRules.slice(index, index + left)) if (a === b || meets(a, b)) yield [a, b];
    left = Math.max(0, left - (withRules.length - index));
  }
}

const ALL_TENANTS = JSON.stringify(['ALL_TENANTS', null]);

/** Whether both apply to a common actor: the same one, or all tenants and any of them. */
function meetAtAnActor(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const hasTenant = (actors: ReadonlySet<string>) =>
    [...actors].some((actor) => !actor.startsWith('["ORG_USER"'));
  if (a.has(ALL_TENANTS) && hasTenant(b)) return true;
  if (b.has(ALL_TENANTS) && hasTenant(a)) return true;
  return [...a].some((actor) => b.has(actor));
}

function lintPairs(
  pairs: Iterable<DefinitionPair>,
  rules: ReadonlyMap<LintDefinition, readonly LintRule[]>,
): LintWarning[] {
  const warnings: LintWarning[] = [];
  let left = PAIRS_MAX;
  for (const [a, b] of pairs) {
    if (left <= 0) break;
    const [first, second] = [rules.get(a) ?? [], rules.get(b) ?? []];
    for (const [index, rule] of first.entries()) {
      const others = a === b ? second.slice(index + 1) : second;
      const compared = others.slice(0, left);
      left -= compared.length;
      warnings.push(...compared.flatMap((other) => lintPair(rule, other)));
    }
  }
  return warnings;
}
