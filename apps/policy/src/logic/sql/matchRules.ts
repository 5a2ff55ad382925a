import type { RlsMatcher, SqlDialect } from '@gatehouse/contract';
import type { ResolvedRule } from '../model.js';
import type { KnownTable, TableName } from './catalogIndex.js';
import { isSameName } from './names.js';

type Answer = 'covers' | 'mayCover' | 'no';

/** The rules that govern a table of the catalog, in their order. */
export function rulesOf(
  table: KnownTable,
  rules: readonly ResolvedRule[],
  dialect: SqlDialect,
): ResolvedRule[] {
  return rules.filter((rule) => judgeMatcher(rule.matcher, table, dialect) === 'covers');
}

/**
 * The rules that might govern a table. Of one that the catalog does not list, or lists without columns, nobody can say
 * whether it has a column, so a rule about a column might govern it: reading it is then to be denied.
 */
export function rulesInDoubt(
  table: KnownTable | TableName,
  rules: readonly ResolvedRule[],
  dialect: SqlDialect,
): ResolvedRule[] {
  if ('columns' in table) {
    return rules.filter((rule) => judgeMatcher(rule.matcher, table, dialect) === 'mayCover');
  }
  const unlisted = { ...table, name: table.table, columns: [] };
  return rules.filter((rule) => judgeMatcher(rule.matcher, unlisted, dialect) !== 'no');
}

/**
 * True where a table's schema, as the catalog writes it, may be read. A table whose schema is not known may be read only where
 * every one may. Unlike in a rule, which may cover too much, names stand for themselves alone: schemas are often named by
 * tenant, and an id that differs in case is another tenant's.
 */
export function isSchemaAllowed(schema: string | null, allowedSchemas: readonly string[] | null): boolean {
  return allowedSchemas === null || (schema !== null && allowedSchemas.includes(schema));
}

interface JudgedTable {
  database: string | null;
  schema: string | null;
  name: string;
  columns: readonly string[];
}

function judgeMatcher(matcher: RlsMatcher, table: JudgedTable, dialect: SqlDialect): Answer {
  switch (matcher.type) {
    case 'ALL_TABLES_WITH_COLUMN':
      return judgeColumn(matcher.column, table, dialect);
    case 'TABLE_LIST':
      return matcher.tables.some(
        (entry) =>
          isSameName(entry.table, table.name, dialect) &&
          isCovered(entry.schema, table.schema, dialect) &&
          isCovered(entry.database, table.database, dialect),
      )
        ? 'covers'
        : 'no';
    case 'SCHEMA':
      if (!isCovered(matcher.schema, table.schema, dialect)) return 'no';
      if (!isCovered(matcher.database, table.database, dialect)) return 'no';
      return matcher.column === undefined ? 'covers' : judgeColumn(matcher.column, table, dialect);
  }
}

function judgeColumn(column: string, table: JudgedTable, dialect: SqlDialect): Answer {
  if (table.columns.length === 0) return 'mayCover';
  return table.columns.some((name) => isSameName(column, name, dialect)) ? 'covers' : 'no';
}

/** A qualifier that is left out covers every one, and one that the table's own name leaves open has to be met by it. */
function isCovered(qualifier: string | undefined, actual: string | null, dialect: SqlDialect): boolean {
  return qualifier === undefined || actual === null || isSameName(qualifier, actual, dialect);
}
