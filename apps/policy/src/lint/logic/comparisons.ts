import type { CatalogColumn, SqlDialect } from '@gatehouse/contract';
import type { Condition, ConditionValue } from '../../sql/logic/restriction.js';
import { columnOf, type KnownTable } from '../../sql/logic/catalogIndex.js';
import { familyOf } from '../../sql/logic/columnTypes.js';
import { isConverting } from '../../sql/logic/fitValue.js';

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

/** The inexact comparisons of a rule: one sentence for each column of one of its tables. */
export function findInexactComparisons(
  condition: Condition,
  tables: Iterable<KnownTable>,
  dialect: SqlDialect,
): string[] {
  const found = new Map<string, string>();
  const comparisons = comparisonsOf(condition);
  for (const table of tables) {
    const { schema, name } = table;
    for (const { column: written, isOrder, values } of comparisons) {
      const column = columnOf(table, written);
      if (column === undefined || found.has(written)) continue;
      const place = `The column ${schema}.${name}.${column.name}`;
      const conversion = values
        .map((value) => conversionOf(value, column, dialect))
        .find((each) => each !== null);
      const collation = collationOf(column);
      if (conversion !== undefined) found.set(written, `${place} ${conversion}.`);
      else if (collation !== null && values.some((value) => isInexact(value, isOrder, dialect)))
        found.set(
          written,
          `${place} is compared by ${collation}, which takes texts that differ in case for equal.`,
        );
    }
  }
  return [...found.values()];
}
