import type { CompiledCondition, TraceEntry } from '@gatehouse/contract';
import type { ResolvedRule } from '../../logic/restriction.js';
import type { CatalogIndex, TableName } from '../../logic/catalogIndex.js';
import type { Budget } from '../../logic/bounds.js';
import { Refusal } from '../../logic/denials.js';
import { describeDoubt, type TableJudge } from '../../logic/matchRules.js';
import { bindRule, type BoundTable } from './bindRule.js';
import { checkConditionPlaces } from './conditionPlaces.js';
import { fillTyped } from './fillTyped.js';
import type { PolyglotDialect } from './lexicon.js';
import { printExpression } from './print.js';
import { refuse } from './refuse.js';
import { refuseSystemTable, tablePathOf } from './tables.js';
import type { Expression, Name } from './tree.js';
import type { Values } from './fillValues.js';

/** The policies that restrict a statement, and the state of the restriction. */
export interface Policies {
  dialect: PolyglotDialect;
  index: CatalogIndex;
  isGoverned: boolean;
  pinnedSchema: string | null;
  allowedSchemas: readonly string[] | null;
  rules: readonly ResolvedRule[];
  /** The trees of the rules, or the refusal of a rule. */
  trees: ReadonlyMap<string, Expression | Refusal>;
  rowBarrier: boolean;
  /** The remaining budget of this restriction. */
  budget: Budget;
  judge: TableJudge;
  /** The conditions of this restriction, by table and its name in the statement. */
  conditions: Map<string, Expression | null>;
}

/** The judgement of a table: its printed name and its rules. */
export interface Judgement {
  path: Name[];
  name: TableName;
  rules: string[];
  /** The condition of all rules under a name of the table; null if no rule governs it. */
  conditionFor(name: string): Expression | null;
}

/**
 * Judges a table by its rules.
 * @throws Refusal if the table may not be read, or if that is unknown
 */
export function judgeTable(written: TableName, policies: Policies): Judgement {
  const { dialect, index, isGoverned, pinnedSchema, allowedSchemas, judge } = policies;
  const resolution = index.resolve(written, pinnedSchema);
  const { name, path } = tablePathOf(resolution.table ?? resolution.name, dialect);
  refuseSystemTable(name, dialect);
  const { table } = resolution;
  const forbidden = judge.describeForbiddenSchema(written.table, table ?? resolution.name, allowedSchemas);
  if (forbidden !== null) refuse('SCHEMA_NOT_ALLOWED', forbidden);
  const { covering: governing, doubts } = judge.judge(table ?? resolution.name);
  const [doubt] = doubts;
  if (doubt || (isGoverned && !table)) {
    throw new Refusal('UNKNOWN_TABLE', describeDoubt(written.table, table), doubt && { rule: doubt.name });
  }
  return {
    path,
    name,
    rules: governing.map((rule) => rule.name),
    conditionFor: (called) => (table ? recallCondition({ table, name: called }, governing, policies) : null),
  };
}

/** A statement may name a table thousands of times, so its condition is built once for each name. */
function recallCondition(
  bound: BoundTable,
  rules: readonly ResolvedRule[],
  policies: Policies,
): Expression | null {
  const { database, schema, name } = bound.table;
  const key = JSON.stringify([database, schema, name, bound.name]);
  if (!policies.conditions.has(key)) {
    for (const { expression } of rules) policies.budget.spendCharacters(expression.length);
    policies.conditions.set(key, conditionOf(bound, rules, policies));
  }
  return policies.conditions.get(key) ?? null;
}

/** The condition of several rules for one table, equal rules once; null without rules. */
function conditionOf(
  bound: BoundTable,
  rules: readonly ResolvedRule[],
  policies: Policies,
): Expression | null {
  const [first, ...others] = distinctRules(rules).map((rule) => compileRule(rule, bound, policies));
  if (first === undefined) return null;
  if (others.length === 0) return first;
  const parenthesized = (inner: Expression): Expression => ({ kind: 'parenthesized', inner });
  const rest = others.map((other) => ({ operator: 'AND', operand: parenthesized(other) }));
  return { kind: 'chain', first: parenthesized(first), rest };
}

/**
 * The first of all rules with the same expression and values. The parser verifies every condition that is
 * built, so repeated ones would multiply its time.
 */
function distinctRules(rules: readonly ResolvedRule[]): ResolvedRule[] {
  const distinct = new Map<string, ResolvedRule>();
  for (const rule of rules) {
    const key = JSON.stringify([rule.expression, rule.values]);
    if (!distinct.has(key)) distinct.set(key, rule);
  }
  return [...distinct.values()];
}

function compileRule(rule: ResolvedRule, bound: BoundTable, policies: Policies): Expression {
  const tree = policies.trees.get(rule.expression);
  const values: Values = Object.fromEntries(
    Object.entries(rule.values).map(([name, { value }]) => [name, value]),
  );
  try {
    if (tree === undefined || tree instanceof Refusal) throw tree ?? new Refusal('NOT_VERIFIED', 'not read');
    checkConditionPlaces(tree, values);
    return fillTyped(bindRule(tree, bound, policies), { values, dialect: policies.dialect });
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason.code === 'TOO_LARGE') throw error;
    const { code, message } = error.reason;
    const isOfValue = code === 'MISSING_VALUE' || code === 'UNFIT_VALUE';
    const place = { rule: rule.name };
    throw isOfValue
      ? new Refusal(code, message, place)
      : new Refusal(
          'RULE_NOT_COMPILED',
          `the rule cannot be applied to ${bound.table.name}: ${message}`,
          place,
        );
  }
}

export function traceOf({ name: { table: name }, rules }: Judgement, budget: Budget): TraceEntry {
  if (rules.length === 0) return { subject: 'table', name, outcome: 'free', why: 'No rule governs it.' };
  const why = `It is governed by ${rules.join(', ')}.`;
  budget.spendPrinted(name.length + why.length);
  return { subject: 'table', name, outcome: 'governed', why };
}

/** The condition of a governed table for the response. */
export function describeCondition(
  { name: { table, schema }, rules }: Judgement,
  of: { alias: string | null; condition: Expression; policies: Policies },
): CompiledCondition {
  const expression = printExpression(of.condition, of.policies.dialect);
  of.policies.budget.spendPrinted(rules.reduce((sum, rule) => sum + rule.length, expression.length));
  return { table, alias: of.alias, schema, expression, rules };
}
