import type { CatalogChange } from '@gatehouse/contract';
import type { CatalogIndex, IndexedTable, TableReference } from './catalogIndex.js';

/** The renames of one catalog, in chronological order. */
export type Renames = readonly CatalogChange[];

function keyOf({ database, schema }: { database?: string | null | undefined; schema: string }): string {
  return JSON.stringify([database ?? null, schema]);
}

function groupBySchema(renames: Renames): Map<string, CatalogChange[]> {
  const groups = new Map<string, CatalogChange[]>();
  for (const change of renames) {
    const key = keyOf(change);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return groups;
}

/** The last name of each name that changed. The last change comes first. */
function lastNames(changes: Iterable<CatalogChange>): Map<string, string> {
  const last = new Map<string, string>();
  for (const { from, to } of changes) {
    if (from !== undefined && to !== undefined) last.set(from, last.get(to) ?? to);
  }
  return last;
}

/** The changes of a table's columns, the last one first. Tables share their common past. */
interface ColumnChanges {
  change: CatalogChange;
  before: ColumnChanges | null;
}

function* listChanges(changes: ColumnChanges | null): Generator<CatalogChange> {
  for (let at = changes; at !== null; at = at.before) yield at.change;
}

/** The changes of the columns of each table by its last name, which includes those before its renames. */
function columnChangesOf(changes: Renames): Map<string, ColumnChanges | null> {
  const byTable = new Map<string, ColumnChanges | null>();
  for (const change of changes) {
    const { kind, table, from, to } = change;
    if (kind === 'tableRenamed' && to !== undefined) byTable.set(to, byTable.get(from ?? to) ?? null);
    if (kind === 'columnRenamed' && table !== undefined)
      byTable.set(table, { change, before: byTable.get(table) ?? null });
  }
  return byTable;
}

/** The names that changed. */
interface FormerNames {
  /** By a former name of a table: its last name in each schema that has such a table. */
  tables: Map<string, { schemaKey: string; name: string }[]>;
  /** By schema and table. */
  columnChanges: Map<string, Map<string, ColumnChanges | null>>;
}

function formerNamesIn(renames: Renames): FormerNames {
  const { tables, columnChanges }: FormerNames = { tables: new Map(), columnChanges: new Map() };
  for (const [schemaKey, changes] of groupBySchema(renames)) {
    columnChanges.set(schemaKey, columnChangesOf(changes));
    const ofTables = changes.filter(({ kind }) => kind === 'tableRenamed');
    for (const [from, name] of lastNames(ofTables.toReversed())) {
      const group = tables.get(from);
      if (group === undefined) tables.set(from, [{ schemaKey, name }]);
      else group.push({ schemaKey, name });
    }
  }
  return { tables, columnChanges };
}

/** The renames of one catalog by name, indexed on first use: a catalog may have hundreds of thousands. */
export class RenameIndex {
  readonly #renames: Renames;
  #formerNames: FormerNames | undefined;
  readonly #columns = new WeakMap<IndexedTable, Map<string, string>>();

  constructor(renames: Renames) {
    this.#renames = renames;
  }

  tablesOf(formerName: string): readonly { schemaKey: string; name: string }[] {
    return this.#indexed().tables.get(formerName) ?? [];
  }

  /** The last names of the columns of a table, by former name. */
  columnsOf(table: IndexedTable): ReadonlyMap<string, string> {
    const before = this.#columns.get(table);
    if (before !== undefined) return before;
    const inSchema = this.#indexed().columnChanges.get(keyOf(table.qualified));
    const columns = lastNames(listChanges(inSchema?.get(table.qualified.table) ?? null));
    this.#columns.set(table, columns);
    return columns;
  }

  #indexed(): FormerNames {
    return (this.#formerNames ??= formerNamesIn(this.#renames));
  }
}

/**
 * The present tables that formerly had the name of a reference, in each schema to which the reference may
 * resolve. Empty when no table had the name.
 */
export function followTable(
  index: CatalogIndex,
  renames: RenameIndex,
  reference: TableReference,
): IndexedTable[] {
  return renames.tablesOf(reference.table).flatMap(({ schemaKey, name }) => {
    if (name === reference.table) return [];
    // Resolved as the reference is, so that a table of another schema is no successor.
    const table = index.findTable({ ...reference, table: name });
    const isSuccessor =
      table !== null && table.qualified.table === name && keyOf(table.qualified) === schemaKey;
    return isSuccessor ? [table] : [];
  });
}

/**
 * The present name of a column that formerly had a name, also across renames of its table; null when there is
 * none.
 */
export function followColumn(table: IndexedTable, renames: RenameIndex, column: string): string | null {
  const name = renames.columnsOf(table).get(column);
  const isPresent = name !== undefined && name !== column && table.columns.names.includes(name);
  return isPresent ? name : null;
}
