import type { LintWarning } from '@gatehouse/contract';
import { createTableMatcher } from '../../sql/logic/matchTables.js';
import { lintCompetition, type Party } from './competition.js';
import type { LintAssignment, LintDefinition, LintRequest } from './request.js';
import { enabledRules, lintPair, lintRule, type LintRule } from './rules.js';
import { lintAllowlists, lintOwnSchema } from './schemas.js';
import { lintPlaceholders } from './unfilledPlaceholders.js';
import { haveCommon, Work } from './work.js';

/** The most pairs of rules that are compared. Further pairs are skipped without a warning. */
const PAIRS_MAX = 5000;
/** The most pairs of definitions that are looked at, to find those with a common actor. */
const DEFINITION_PAIRS_MAX = 200_000;

/**
 * Yields the warnings about the policies of one connection: definition by definition, then about definitions
 * that apply to the same actor. Every warning is proven for all values that tokens and requests may supply.
 * The steps are short, so that others can run in between, and end when the work is over.
 */
export function* lintPolicies(
  { dialect, index, definitions, assignments, hasAllAssignments }: LintRequest,
  work: Work = new Work(),
): Generator<LintWarning[], void> {
  const matchTables = index && createTableMatcher(index);
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const parties = assignments.flatMap((assignment): Party[] => {
    const definition = byId.get(assignment.definitionId);
    return definition ? [{ assignment, definition }] : [];
  });
  const assignmentsOf = groupByDefinition(parties);
  const rules = new Map<LintDefinition, LintRule[]>();
  for (const definition of definitions) {
    const enabled: LintRule[] = [];
    rules.set(definition, enabled);
    for (const rule of enabledRules(definition, matchTables, work)) {
      yield [];
      if (rule === undefined) continue;
      enabled.push(rule);
      yield* lintRule(rule, dialect, work);
    }
    yield lintOwnSchema(definition);
    const own = { assignments: assignmentsOf.get(definition) ?? [], isComplete: hasAllAssignments };
    yield* lintPlaceholders(definition, own, work);
  }
  yield* lintPairs(pairsOf(definitions, parties, work), rules, work);
  yield* lintCompetition(parties, work);
  yield* lintAllowlists(parties, work);
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

/** The actors that a definition is assigned to. */
interface Actors {
  keys: Set<string>;
  /** Whether all tenants are among them, or one tenant or tenant user. */
  hasTenant: boolean;
}

function actorsByDefinition(parties: readonly Party[]): Map<LintDefinition, Actors> {
  const byDefinition = new Map<LintDefinition, Actors>();
  for (const { assignment, definition } of parties) {
    const { scopeType, actorKey } = assignment;
    const actors = byDefinition.get(definition) ?? { keys: new Set(), hasTenant: false };
    actors.keys.add(JSON.stringify([scopeType, actorKey]));
    actors.hasTenant ||= scopeType !== 'ORG_USER';
    byDefinition.set(definition, actors);
  }
  return byDefinition;
}

const NO_ACTORS: Actors = { keys: new Set(), hasTenant: false };

/**
 * Yields the pairs of definitions that apply to a common actor, each also with itself, in their order; null
 * where others may run.
 */
function* pairsOf(
  definitions: readonly LintDefinition[],
  parties: readonly Party[],
  work: Work,
): Generator<DefinitionPair | null, void> {
  const actorsOf = actorsByDefinition(parties);
  const meets = (a: LintDefinition, b: LintDefinition) => {
    const [first, second] = [actorsOf.get(a) ?? NO_ACTORS, actorsOf.get(b) ?? NO_ACTORS];
    return work.spend(1 + Math.min(first.keys.size, second.keys.size)) && meetAtAnActor(first, second);
  };
  const withRules = definitions.filter(({ rlsConfig }) => rlsConfig !== null);
  let left = DEFINITION_PAIRS_MAX;
  for (const [index, a] of withRules.entries()) {
    for (const b of withRules.slice(index, index + left)) yield a === b || meets(a, b) ? [a, b] : null;
    left = Math.max(0, left - (withRules.length - index));
  }
}

const ALL_TENANTS = JSON.stringify(['ALL_TENANTS', null]);

/** Whether both apply to a common actor: the same one, or all tenants and any of them. */
function meetAtAnActor(a: Actors, b: Actors): boolean {
  if (a.keys.has(ALL_TENANTS) && b.hasTenant) return true;
  if (b.keys.has(ALL_TENANTS) && a.hasTenant) return true;
  return haveCommon(a.keys, b.keys);
}

function* lintPairs(
  pairs: Iterable<DefinitionPair | null>,
  rules: ReadonlyMap<LintDefinition, readonly LintRule[]>,
  work: Work,
): Generator<LintWarning[], void> {
  let left = PAIRS_MAX;
  for (const pair of pairs) {
    yield [];
    if (left <= 0 || work.left === 0) return;
    if (pair === null) continue;
    const [a, b] = pair;
    const [first, second] = [rules.get(a) ?? [], rules.get(b) ?? []];
    for (const [index, rule] of first.entries()) {
      const others = a === b ? second.slice(index + 1) : second;
      const compared = others.slice(0, left);
      left -= compared.length;
      for (const other of compared) yield lintPair(rule, other, work);
    }
  }
}
