import type { RlsMatcher, SqlDialect } from '@gatehouse/contract';
import type { ResolvedRule } from './restriction.js';
import type { KnownTable, TableName } from './catalogIndex.js';
import type { Budget } from './bounds.js';
import { isSameName, type CompareNames, type FindColumns } from './names.js';

type Match = 'covers' | 'mayCover' | 'no';

/** The rules that govern a table of the catalog, or a table that it is part of, in their order. */
export function rulesOf(
  table: KnownTable,
  rules: readonly ResolvedRule[],
  dialect: SqlDialect,
): ResolvedRule[] {
  const judged = toJudged(table);
  const isSame = comparisonOf(dialect);
  return rules.filter(({ matcher }) => judgeMatcher(matcher, judged, isSame) === 'covers');
}

/**
 * The rules that might govern a table. If the catalog lists the table without columns, a rule about a column
 * might govern it; so might one about a column that the user of the connection may not read, because no
 * condition can be on it. A rule that governs only a part of the table does not restrict the rows that the
 * table shows of it. Such a table must not be read, nor one that the catalog does not list.
 */
export function rulesInDoubt(
  table: KnownTable | TableName,
  rules: readonly ResolvedRule[],
  dialect: SqlDialect,
): ResolvedRule[] {
  const isSame = comparisonOf(dialect);
  if ('columns' in table)
    return rules.filter(({ matcher }) => matchTable(matcher, table, isSame) === 'inDoubt');
  const judged = toJudged(table);
  return rules.filter(({ matcher }) => judgeMatcher(matcher, judged, isSame) !== 'no');
}

function comparisonOf(dialect: SqlDialect): CompareNames {
  return (written, actual) => isSameName(written, actual, dialect);
}

/** Whether a matcher governs a table of the catalog, or might: see `rulesOf` and `rulesInDoubt`. */
export function matchTable(
  matcher: RlsMatcher,
  table: KnownTable,
  isSame: CompareNames,
): 'governed' | 'inDoubt' | 'no' {
  const match = judgeMatcher(matcher, toJudged(table), isSame);
  if (match === 'covers') return 'governed';
  return match === 'mayCover' || governsPart(matcher, table, isSame) ? 'inDoubt' : 'no';
}

/** A part may be governed by a rule on another table that it is part of, as by one on itself. */
function governsPart(matcher: RlsMatcher, { parts }: KnownTable, isSame: CompareNames): boolean {
  return parts.some((part) => judgeMatcher(matcher, toJudged(part), isSame) !== 'no');
}

/** Why a table with a rule in doubt must not be read. */
export function describeDoubt(written: string, table: KnownTable | undefined): string {
  if (table === undefined) return `the catalog does not list the table ${written}`;
  if (table.columns.length === 0) return `the catalog does not list the columns of the table ${written}`;
  return table.parts.length === 0
    ? `the user of the connection may not read all columns of the table ${written} that a rule needs`
    : `the table ${written} shows rows of another table, which a rule governs or may govern`;
}

/** The rules that govern a table, and those that might. */
interface JudgedRules {
  covering: readonly ResolvedRule[];
  doubts: readonly ResolvedRule[];
}

/** Matches each table of a statement once, however often the statement names it. */
export class TableJudge {
  readonly #known = new Map<string, JudgedRules>();
  readonly #listedTables: number;
  readonly #columnRules: number;

  readonly #rules: readonly ResolvedRule[];
  readonly #dialect: SqlDialect;
  readonly #budget: Budget;

  constructor(rules: readonly ResolvedRule[], dialect: SqlDialect, budget: Budget) {
    this.#rules = rules;
    this.#dialect = dialect;
    this.#budget = budget;
    this.#listedTables = rules.reduce(
      (sum, { matcher }) => sum + (matcher.type === 'TABLE_LIST' ? matcher.tables.length : 0),
      0,
    );
    this.#columnRules = rules.filter(({ matcher }) => matcher.type !== 'TABLE_LIST').length;
  }

  /** No rule covers a name that is not in the catalog, but rules may be in doubt. */
  judge(table: KnownTable | TableName): JudgedRules {
    const isKnown = 'columns' in table;
    const name = isKnown ? table.name : table.table;
    const key = JSON.stringify([isKnown, table.database, table.schema, name]);
    const known = this.#known.get(key);
    if (known) return known;
    const { names, columns } = toJudged(table);
    const ofParts = isKnown ? table.parts.reduce((sum, { partOf }) => sum + 1 + partOf.length, 0) : 0;
    const compared = names.length + ofParts;
    this.#budget.spendSteps((this.#listedTables + this.#columnRules) * compared + columns.length);
    const judged = {
      covering: isKnown ? rulesOf(table, this.#rules, this.#dialect) : [],
      doubts: rulesInDoubt(table, this.#rules, this.#dialect),
    };
    this.#known.set(key, judged);
    return judged;
  }

  /**
   * Why the schema of a table, or that of a table whose rows it shows, forbids to read it; null if none does.
   */
  describeForbiddenSchema(
    written: string,
    table: KnownTable | TableName,
    allowedSchemas: readonly string[] | null,
  ): string | null {
    if (!isSchemaAllowed(table.schema, allowedSchemas))
      return `the schema of the table ${written} is not allowed`;
    const parts = 'parts' in table && allowedSchemas !== null ? table.parts : [];
    this.#budget.spendSteps(parts.length);
    return parts.every(({ schema }) => isSchemaAllowed(schema, allowedSchemas))
      ? null
      : `the table ${written} shows rows of a table in a schema that is not allowed`;
  }
}

/**
 * Whether the schema of a table may be read, spelled as in the catalog. A table of an unknown schema may be
 * read only if every schema may. Names are compared exactly, unlike in rules, which may cover too much:
 * schemas are often named by tenant, and a name that differs in case belongs to another tenant.
 */
export function isSchemaAllowed(schema: string | null, allowedSchemas: readonly string[] | null): boolean {
  return allowedSchemas === null || (schema !== null && allowedSchemas.includes(schema));
}

interface JudgedTable {
  database: string | null;
  /** The table's own name, then those of the tables that it is part of. */
  names: readonly { schema: string | null; table: string }[];
  columns: readonly string[];
  findColumns: FindColumns;
  findUnreadable: FindColumns;
}

const NO_COLUMNS = { columns: [], findColumns: () => [], findUnreadable: () => [] };

function toJudged(table: KnownTable | TableName): JudgedTable {
  if (!('columns' in table)) return { database: table.database, names: [table], ...NO_COLUMNS };
  const { database, schema, name, columns, findColumns, findUnreadable, partOf } = table;
  const names = [{ schema, table: name }, ...partOf];
  return { database, names, columns, findColumns, findUnreadable };
}

function judgeMatcher(matcher: RlsMatcher, table: JudgedTable, isSame: CompareNames): Match {
  switch (matcher.type) {
    case 'ALL_TABLES_WITH_COLUMN':
      return judgeColumn(matcher.column, table);
    case 'TABLE_LIST':
      return matcher.tables.some(
        (entry) =>
          isCovered(entry.database, table.database, isSame) &&
          table.names.some(
            (name) => isSame(entry.table, name.table) && isCovered(entry.schema, name.schema, isSame),
          ),
      )
        ? 'covers'
        : 'no';
    case 'SCHEMA':
      if (!table.names.some(({ schema }) => isCovered(matcher.schema, schema, isSame))) return 'no';
      if (!isCovered(matcher.database, table.database, isSame)) return 'no';
      return matcher.column === undefined ? 'covers' : judgeColumn(matcher.column, table);
  }
}

function judgeColumn(column: string, { columns, findColumns, findUnreadable }: JudgedTable): Match {
  if (columns.length === 0) return 'mayCover';
  if (findColumns(column).length > 0) return 'covers';
  return findUnreadable(column).length > 0 ? 'mayCover' : 'no';
}

/** An omitted qualifier matches every name. A qualifier also matches a table name that leaves it open. */
function isCovered(qualifier: string | undefined, actual: string | null, isSame: CompareNames): boolean {
  return qualifier === undefined || actual === null || isSame(qualifier, actual);
}
