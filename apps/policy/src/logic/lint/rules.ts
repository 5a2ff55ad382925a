import type { LintWarning, RlsConfig, SqlDialect } from '@gatehouse/contract';
import { tablesOf } from '../matchedTables.js';
import type { Condition } from '../model.js';
import { isBuiltInName } from '../placeholders.js';
import type { CatalogIndex, KnownTable } from '../sql/catalogIndex.js';
import { isSameName } from '../sql/names.js';
import type { LintDefinition } from './model.js';
import { canHold } from './satisfiability.js';

/** An enabled rule of a definition, with what is known about it. */
export interface LintRule {
  name: string;
  definition: LintDefinition;
  /** Of the rule, as `rlsConfig.rules[0]`. */
  path: string;
  matcher: RlsConfig['rules'][number]['matcher'];
  condition: Condition | null;
  /** The columns that the governed tables have to have; those of a table that a subquery reads are not among them. */
  columns: ReadonlySet<string>;
  /** Whether the condition is proven to be true of no row. */
  neverHolds: boolean;
  /** The tables of the catalog that it governs; null while no catalog was read. */
  tables: ReadonlySet<KnownTable> | null;
}

/** The enabled rules of a definition, seen against a catalog where one was read. */
export function enabledRules(definition: LintDefinition, catalog: CatalogIndex | null): LintRule[] {
  return (definition.rlsConfig?.rules ?? []).flatMap(({ name, matcher, expression, enabled }, index) => {
    if (!enabled) return [];
    const condition = definition.conditions[index] ?? null;
    return {
      name: name ?? `${definition.name} #${index + 1}`,
      definition,
      path: `rlsConfig.rules[${index}]`,
      matcher,
      condition,
      columns: columnsOf(condition, { isWithOthers: !SUBQUERY.test(expression) }),
      neverHolds: condition !== null && !canHold([{ condition, truth: 'true' }]),
      tables: catalog && tablesOf(matcher, catalog).governed,
    };
  });
}

function warn(
  { definition, path }: LintRule,
  field: 'expression' | 'matcher',
  { code, message }: Pick<LintWarning, 'code' | 'message'>,
): LintWarning {
  return { code, path: `${path}.${field}`, message, definitionId: definition.id, assignmentId: null };
}

/** What can be said of one rule: of its expression alone, and of the tables that it governs. */
export function lintRule(rule: LintRule, dialect: SqlDialect): LintWarning[] {
  const warnings = lintTruth(rule);
  if (rule.tables === null) return warnings;
  if (rule.tables.size > 0) return [...warnings, ...lintColumns(rule, [...rule.tables], dialect)];
  const message = 'It matches no table of the catalog, so the rule governs nothing.';
  return [...warnings, warn(rule, 'matcher', { code: 'MATCHES_NO_TABLE', message })];
}

function lintTruth(rule: LintRule): LintWarning[] {
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
  if (canHold([{ condition, truth: 'notTrue' }])) return [];
  const message = 'It is true of every row, so the rule restricts nothing.';
  return [warn(rule, 'expression', { code: 'ALWAYS_TRUE', message })];
}

/** What is not understood may be a subquery, whose columns are of other tables. */
const SUBQUERY = /\bselect\b/i;

/** The names of the columns that a condition speaks of, with or without those of its parts that are not understood. */
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

const TABLES_TOLD = 3;

function lintColumns(rule: LintRule, tables: readonly KnownTable[], dialect: SqlDialect): LintWarning[] {
  return [...rule.columns].flatMap((column) => {
    const lacking = tables.filter(
      // A table that is listed without columns may have any.
      (table) => table.columns.length > 0 && !table.columns.some((name) => isSameName(column, name, dialect)),
    );
    if (lacking.length === 0) return [];
    const told = lacking.slice(0, TABLES_TOLD).map(({ schema, name }) => `${schema}.${name}`);
    const more = lacking.length > told.length ? ` and ${lacking.length - told.length} more` : '';
    const message = `${told.join(', ')}${more} have no column ${column}, so reading them is denied.`;
    return warn(rule, 'expression', { code: 'UNKNOWN_COLUMN', message });
  });
}

/** A warning where two rules that hold together can never both be true of a row of some table. */
export function lintPair(first: LintRule, second: LintRule): LintWarning[] {
  if (first.condition === null || second.condition === null) return [];
  const shared = sharedTable(first, second);
  if (shared === null) return [];
  if (![...second.columns].some((column) => first.columns.has(column))) return [];
  // One that never holds is warned of by itself.
  if (first.neverHolds || second.neverHolds) return [];
  const conditions = [apart(first.condition, '1'), apart(second.condition, '2')];
  if (canHold(conditions.map((condition) => ({ condition, truth: 'true' })))) return [];
  const other =
    first.definition === second.definition
      ? `the rule "${first.name}"`
      : `the rule "${first.name}" of "${first.definition.name}"`;
  const message = `It and ${other} can never both hold, so no row of ${shared} is ever read.`;
  return [warn(second, 'expression', { code: 'CONTRADICTION', message })];
}

/** What both rules govern, in a sentence; null where nothing is known to be. */
function sharedTable(first: LintRule, second: LintRule): string | null {
  if (first.tables === null || second.tables === null)
    return JSON.stringify(first.matcher) === JSON.stringify(second.matcher) ? 'their tables' : null;
  const { tables } = second;
  const shared = [...first.tables].find((table) => tables.has(table));
  return shared ? `${shared.schema}.${shared.name}` : null;
}

/** The condition with placeholders of its own: another rule's of the same name may have another value. */
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
