import type { CatalogChange } from '@gatehouse/contract';
import type { CatalogIndex, IndexedTable, TableReference } from './catalogIndex.js';

/** The renames of one catalog in the order in which they happened. */
export type Renames = readonly CatalogChange[];

function isIn(
  change: CatalogChange,
  { database, schema }: { database?: string | null; schema: string },
): boolean {
  return change.schema === schema && (change.database ?? null) === (database ?? null);
}

/** Follows a name through those of the changes that rename it. */
function follow(name: string, changes: Iterable<CatalogChange>): string {
  let current = name;
  for (const { from, to } of changes) {
    if (from === current && to !== undefined) current = to;
  }
  return current;
}

/**
 * The present tables that have once had the name that a reference gives, in each schema that it may mean. Empty when the
 * name was never that of another table.
 */
export function followTable(
  index: CatalogIndex,
  renames: Renames,
  reference: TableReference,
): IndexedTable[] {
  const ofTables = renames.filter(({ kind }) => kind === 'tableRenamed');
  const schemas = new Map(ofTables.map((change) => [`${change.database ?? ''}.${change.schema}`, change]));
  return [...schemas.values()].flatMap((place) => {
    const name = follow(
      reference.table,
      ofTables.filter((change) => isIn(change, place)),
    );
    if (name === reference.table) return [];
    // Found as the reference would be found, so that a table of another schema is none of its successors.
    const table = index.findTable({ ...reference, table: name });
    const isThere = table !== null && table.place.table === name && isIn(place, table.place);
    return isThere ? [table] : [];
  });
}

/** The present name of a column of a table by its former one, through renames of the table itself; null when it has none. */
export function followColumn(table: IndexedTable, renames: Renames, column: string): string | null {
  const { place } = table;
  // What the table was called at each change is known from the end: backwards from its present name.
  let tableName = place.table;
  const ofColumns: CatalogChange[] = [];
  for (const change of renames.toReversed()) {
    if (!isIn(change, place)) continue;
    if (change.kind === 'tableRenamed' && change.to === tableName) tableName = change.from ?? tableName;
    if (change.kind === 'columnRenamed' && change.table === tableName) ofColumns.unshift(change);
  }
  const name = follow(column, ofColumns);
  return name !== column && table.columns.names.includes(name) ? name : null;
}
