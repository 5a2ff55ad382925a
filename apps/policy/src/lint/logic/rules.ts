import type { LintWarning, RlsConfig, SqlDialect } from '@gatehouse/contract';
import type { MatchTables } from '../../sql/logic/matchTables.js';
import type { Condition } from '../../sql/logic/restriction.js';
import { isBuiltInName } from '@gatehouse/contract/placeholders';
import type { KnownTable } from '../../sql/logic/catalogIndex.js';
import { findInexactComparisons } from './comparisons.js';
import type { LintDefinition } from './request.js';
import { canHold } from './satisfiability.js';
import { haveCommon, type Work } from './work.js';

/** An enabled rule of a definition and what is derived from it. */
export interface LintRule {
  name: string;
  definition: LintDefinition;
  /** The path of the rule, such as `rlsConfig.rules[0]`. */
  path: string;
  matcher: RlsConfig['rules'][number]['matcher'];
  condition: Condition | null;
  /** The columns that the governed tables must have. Columns of a table in a subquery are not included. */
  columns: ReadonlySet<string>;
  /** Whether the condition provably holds for no row. */
  neverHolds: boolean;
  /** The tables of the catalog that the rule governs; null without a catalog, and when the work is over. */
  tables: ReadonlySet<KnownTable> | null;
}

/**
 * The enabled rules of a definition, matched against the catalog if there is one; undefined where others may
 * run.
 */
export function* enabledRules(
  definition: LintDefinition,
  matchTables: MatchTables | null,
  work: Work,
): Generator<LintRule | undefined, void> {
  const { rules } = definition.rlsConfig ?? { rules: [] };
  for (const [index, { name, matcher, expression, enabled }] of rules.entries()) {
    if (!enabled) continue;
    const condition = definition.conditions[index] ?? null;
    yield {
      name: name ?? `${definition.name} #${index + 1}`,
      definition,
      path: `rlsConfig.rules[${index}]`,
      matcher,
      condition,
      columns: columnsOf(condition, { isWithOthers: !SUBQUERY.test(expression) }),
      neverHolds: condition !== null && !canHold([{ condition, truth: 'true' }], work),
      tables: matchTables && (yield* governedTables(matcher, matchTables, work)),
    };
  }
}

/** Null if the work is over. Matching a rule takes a part of the work that is known only afterwards. */
function* governedTables(
  matcher: LintRule['matcher'],
  matchTables: MatchTables,
  work: Work,
): Generator<undefined, ReadonlySet<KnownTable> | null> {
  if (work.left === 0) return null;
  const { governed, steps } = yield* matchTables(matcher);
  return work.spend(steps) ? governed : null;
}

function warn(
  { definition, path }: LintRule,
  field: 'expression' | 'matcher',
  { code, message }: Pick<LintWarning, 'code' | 'message'>,
): LintWarning {
  return { code, path: `${path}.${field}`, message, definitionId: definition.id, assignmentId: null };
}

/** Yields the warnings about one rule: about its expression, and about the tables that it governs. */
export function* lintRule(rule: LintRule, dialect: SqlDialect, work: Work): Generator<LintWarning[], void> {
  yield lintTruth(rule, work);
  if (rule.tables === null) return;
  if (rule.tables.size > 0) {
    const tables = [...rule.tables];
    yield* lintColumns(rule, tables, work);
    yield* lintComparisons(rule, tables, { dialect, work });
    return;
  }
  const message = 'It matches no table of the catalog, so the rule governs nothing.';
  yield [warn(rule, 'matcher', { code: 'MATCHES_NO_TABLE', message })];
}

function lintTruth(rule: LintRule, work: Work): LintWarning[] {
  const { condition } = rule;
  if (condition === null) return [];
  if (rule.neverHolds) {
    const isConstant = rule.columns.size === 0;
    const problem = isConstant
      ? {
          code: 'ALWAYS_FALSE' as const,
          message: 'It is true of no row, so the tables it governs are empty.',
        }
      : {
          code: 'CONTRADICTION' as const,
          message: 'It contradicts itself, so the tables it governs are empty.',
        };
    return [warn(rule, 'expression', problem)];
  }
  if (canHold([{ condition, truth: 'notTrue' }], work)) return [];
  const message = 'It is true of every row, so the rule restricts nothing.';
  return [warn(rule, 'expression', { code: 'ALWAYS_TRUE', message })];
}

/** A part that is not understood may be a subquery, whose columns belong to other tables. */
const SUBQUERY = /\bselect\b/i;

/** The column names in a condition, with or without the parts that are not understood. */
function columnsOf(condition: Condition | null, by: { isWithOthers: boolean }): Set<string> {
  switch (condition?.kind) {
    case undefined:
    case 'constant':
      return new Set();
    case 'compare':
    case 'in':
    case 'isNull':
      return new Set([condition.column]);
    case 'and':
    case 'or':
      return new Set(condition.parts.flatMap((part) => [...columnsOf(part, by)]));
    case 'not':
      return columnsOf(condition.part, by);
    case 'other':
      return new Set(by.isWithOthers ? condition.columns : []);
  }
}

function* lintComparisons(
  rule: LintRule,
  tables: readonly KnownTable[],
  by: { dialect: SqlDialect; work: Work },
): Generator<LintWarning[], void> {
  if (rule.condition === null) return;
  const messages = yield* findInexactComparisons(rule.condition, tables, by);
  yield messages.map((message) => warn(rule, 'expression', { code: 'INEXACT_COMPARISON', message }));
}

const TABLES_SHOWN = 3;
/** The most tables that are looked at in one step. */
const TABLES_PER_STEP = 100;

function* lintColumns(
  rule: LintRule,
  tables: readonly KnownTable[],
  work: Work,
): Generator<LintWarning[], void> {
  for (const column of rule.columns) {
    if (!work.spend(tables.length)) return;
    const lacking: KnownTable[] = [];
    for (const [place, table] of tables.entries()) {
      if (place > 0 && place % TABLES_PER_STEP === 0) yield [];
      // A table that is listed without columns may have any column.
      if (table.columns.length > 0 && table.findColumns(column).length === 0) lacking.push(table);
    }
    if (lacking.length === 0) {
      yield [];
      continue;
    }
    const shown = lacking.slice(0, TABLES_SHOWN).map(({ schema, name }) => `${schema}.${name}`);
    const more = lacking.length > shown.length ? ` and ${lacking.length - shown.length} more` : '';
    const [verb, pronoun] = lacking.length === 1 ? ['has', 'it'] : ['have', 'them'];
    const names = shown.join(', ');
    const message = `${names}${more} ${verb} no column ${column}, so reading ${pronoun} is denied.`;
    yield [warn(rule, 'expression', { code: 'UNKNOWN_COLUMN', message })];
  }
}

/** Warns if two rules that apply together can never both hold for a row of a table. */
export function lintPair(first: LintRule, second: LintRule, work: Work): LintWarning[] {
  if (first.condition === null || second.condition === null) return [];
  if (!work.spend(Math.min(first.columns.size, second.columns.size))) return [];
  if (!haveCommon(first.columns, second.columns)) return [];
  if (!work.spend(Math.min(first.tables?.size ?? 0, second.tables?.size ?? 0))) return [];
  const shared = sharedTable(first, second);
  if (shared === null) return [];
  // A rule that never holds has a warning of its own.
  if (first.neverHolds || second.neverHolds) return [];
  const conditions = [apart(first.condition, '1'), apart(second.condition, '2')];
  const demands = conditions.map((condition) => ({ condition, truth: 'true' as const }));
  if (canHold(demands, work)) return [];
  const other =
    first.definition === second.definition
      ? `the rule "${first.name}"`
      : `the rule "${first.name}" of "${first.definition.name}"`;
  const message = `It and ${other} can never both hold, so no row of ${shared} is ever read.`;
  return [warn(second, 'expression', { code: 'CONTRADICTION', message })];
}

/** The table that both rules govern, as a phrase; null if none is known. */
function sharedTable(first: LintRule, second: LintRule): string | null {
  if (first.tables === null || second.tables === null)
    return JSON.stringify(first.matcher) === JSON.stringify(second.matcher) ? 'their tables' : null;
  const { tables } = second;
  const shared = [...first.tables].find((table) => tables.has(table));
  return shared ? `${shared.schema}.${shared.name}` : null;
}

/**
 * The condition with distinct placeholders: the placeholder of the same name in another rule may have another
 * value.
 */
function apart(condition: Condition, mark: string): Condition {
  const mapValue = <V extends object>(value: V): V =>
    'placeholder' in value && !isBuiltInName(String(value.placeholder))
      ? { ...value, placeholder: `${mark}:${String(value.placeholder)}` }
      : value;
  switch (condition.kind) {
    case 'constant':
    case 'isNull':
    case 'other':
      return condition;
    case 'compare':
      return { ...condition, value: mapValue(condition.value) };
    case 'in':
      return { ...condition, values: condition.values.map(mapValue) };
    case 'and':
    case 'or':
      return { ...condition, parts: condition.parts.map((part) => apart(part, mark)) };
    case 'not':
      return { ...condition, part: apart(condition.part, mark) };
  }
}
