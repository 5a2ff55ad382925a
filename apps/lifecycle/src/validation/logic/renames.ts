import type { CatalogChange } from '@gatehouse/contract';
import type { CatalogIndex, IndexedTable, TableReference } from './catalogIndex.js';

/** The renames of one catalog, in chronological order. */
export type Renames = readonly CatalogChange[];

function isIn(
  change: CatalogChange,
  { database, schema }: { database?: string | null; schema: string },
): boolean {
  return change.schema === schema && (change.database ?? null) === (database ?? null);
}

/** Follows a name through renames. */
function follow(name: string, changes: Iterable<CatalogChange>): string {
  let current = name;
  for (const { from, to } of changes) {
    if (from === current && to !== undefined) current = to;
  }
  return current;
}

/**
 * The present tables that formerly had the name of a reference, in each schema to which the reference may
 * resolve. Empty when no table had the name.
 */
export function followTable(
  index: CatalogIndex,
  renames: Renames,
  reference: TableReference,
): IndexedTable[] {
  const ofTables = renames.filter(({ kind }) => kind === 'tableRenamed');
  const schemas = new Map(ofTables.map((change) => [`${change.database ?? ''}.${change.schema}`, change]));
  return [...schemas.values()].flatMap((scope) => {
    const name = follow(
      reference.table,
      ofTables.filter((change) => isIn(change, scope)),
    );
    if (name === reference.table) return [];
    // Resolved as the reference is, so that a table of another schema is no successor.
    const table = index.findTable({ ...reference, table: name });
    const isSuccessor = table !== null && table.qualified.table === name && isIn(scope, table.qualified);
    return isSuccessor ? [table] : [];
  });
}

/**
 * The present name of a column that formerly had a name, also across renames of its table; null when there is
 * none.
 */
export function followColumn(table: IndexedTable, renames: Renames, column: string): string | null {
  const { qualified } = table;
  // Goes backwards from the present name of the table, which gives its name at each change.
  let tableName = qualified.table;
  const ofColumns: CatalogChange[] = [];
  for (const change of renames.toReversed()) {
    if (!isIn(change, qualified)) continue;
    if (change.kind === 'tableRenamed' && change.to === tableName) tableName = change.from ?? tableName;
    if (change.kind === 'columnRenamed' && change.table === tableName) ofColumns.unshift(change);
  }
  const name = follow(column, ofColumns);
  return name !== column && table.columns.names.includes(name) ? name : null;
}
