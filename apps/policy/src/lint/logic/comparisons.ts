import type { CatalogColumn, SqlDialect } from '@gatehouse/contract';
import type { Condition, ConditionValue } from '../../sql/logic/restriction.js';
import { columnOf, type KnownTable } from '../../sql/logic/catalogIndex.js';
import { familyOf } from '../../sql/logic/columnTypes.js';
import { isConverting } from '../../sql/logic/fitValue.js';
import type { Work } from './work.js';

interface Comparison {
  column: string;
  isOrder: boolean;
  values: readonly ConditionValue[];
}

/** The comparisons in the parts of a condition that are understood. */
function comparisonsOf(condition: Condition): Comparison[] {
  switch (condition.kind) {
    case 'compare': {
      const { column, operator, value } = condition;
      return [{ column, isOrder: operator !== '=' && operator !== '<>', values: [value] }];
    }
    case 'in':
      return [{ column: condition.column, isOrder: false, values: condition.values }];
    case 'and':
    case 'or':
      return condition.parts.flatMap(comparisonsOf);
    case 'not':
      return comparisonsOf(condition.part);
    case 'constant':
    case 'isNull':
    case 'other':
      return [];
  }
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** The reason why a literal is converted before it is compared; null if it is not. */
function conversionOf(value: ConditionValue, column: CatalogColumn, dialect: SqlDialect): string | null {
  if (!('literal' in value) || !isConverting(dialect)) return null;
  const family = familyOf(column.type, dialect);
  if (family === 'text' && typeof value.literal !== 'string')
    return 'is text and is compared with a number or truth value: any other text may be equal to 0';
  const isNumeric = family === 'integer' || family === 'decimal' || family === 'float';
  return isNumeric && typeof value.literal === 'string' && !NUMBER.test(value.literal)
    ? 'is a number and is compared with a text that is none: a part of the text may be read as a number'
    : null;
}

/** MySQL and SQLite compare values of placeholders exactly, except for their order. */
function isInexact(value: ConditionValue, isOrder: boolean, dialect: SqlDialect): boolean {
  if ('literal' in value) return typeof value.literal === 'string';
  return isOrder || (dialect !== 'mysql' && dialect !== 'sqlite');
}

function collationOf({ type, collation }: CatalogColumn): string | null {
  return collation ?? (/(?:^|\.)citext$/i.test(type) ? 'citext' : null);
}

/** Why a comparison with a column is inexact, as the end of a sentence; null if it is exact. */
function faultOf({ isOrder, values }: Comparison, column: CatalogColumn, dialect: SqlDialect): string | null {
  const conversion = values
    .map((value) => conversionOf(value, column, dialect))
    .find((each) => each !== null);
  if (conversion !== undefined) return `${conversion}.`;
  const collation = collationOf(column);
  if (collation === null || !values.some((value) => isInexact(value, isOrder, dialect))) return null;
  return `is compared by ${collation}, which takes texts that differ in case for equal.`;
}

/** An inexact comparison: the place of its table, and the sentence. */
interface Inexact {
  place: number;
  sentence: string;
}

/** The comparison in the first table in which one of those with a column is inexact. */
function* findInexact(
  comparisons: readonly Comparison[],
  tables: readonly KnownTable[],
  { dialect, work }: { dialect: SqlDialect; work: Work },
): Generator<never[], Inexact | null> {
  const steps = 1 + comparisons.reduce((sum, { values }) => sum + 2 * values.length, 0);
  const [{ column: written } = { column: '' }] = comparisons;
  for (const [place, table] of tables.entries()) {
    yield [];
    if (!work.spend(1)) return null;
    const column = columnOf(table, written);
    if (column === undefined) continue;
    if (!work.spend(steps)) return null;
    for (const comparison of comparisons) {
      const fault = faultOf(comparison, column, dialect);
      if (fault === null) continue;
      return { place, sentence: `The column ${table.schema}.${table.name}.${column.name} ${fault}` };
    }
  }
  return null;
}

/**
 * The inexact comparisons of a rule: one sentence for each column of one of its tables, in the order of the
 * tables. Others may run after each table.
 */
export function* findInexactComparisons(
  condition: Condition,
  tables: readonly KnownTable[],
  by: { dialect: SqlDialect; work: Work },
): Generator<never[], string[]> {
  const byColumn = new Map<string, Comparison[]>();
  for (const comparison of comparisonsOf(condition)) {
    const known = byColumn.get(comparison.column);
    if (known) known.push(comparison);
    else byColumn.set(comparison.column, [comparison]);
  }
  const found: Inexact[] = [];
  for (const comparisons of byColumn.values()) {
    const inexact = yield* findInexact(comparisons, tables, by);
    if (inexact !== null) found.push(inexact);
  }
  return found.toSorted((a, b) => a.place - b.place).map(({ sentence }) => sentence);
}
