import type { RlsMatcher, SqlDialect } from '@gatehouse/contract';
import type { CatalogIndex, KnownTable } from './catalogIndex.js';
import { nameKey, writtenKeys } from './names.js';

type ListEntry = Extract<RlsMatcher, { type: 'TABLE_LIST' }>['tables'][number];

/** The tables that a list covers, in the order of the catalog. */
export interface ListedTables {
  governed: KnownTable[];
  /** Tables that show rows of a listed part of them, and are not covered themselves. */
  inDoubt: KnownTable[];
  /** A step is a name that is compared or looked up. */
  steps: number;
}

/** Finds the tables that a list covers. */
export type FindListed = (entries: readonly ListEntry[]) => ListedTables;

/** A name by which a list may cover a table: its own, or that of a table that it is part of. */
interface TableAlias {
  /** The position of the table in the catalog. */
  place: number;
  schemaKey: string;
  databaseKey: string | null;
}

/** The names of the tables of a catalog, by the key of the table name. */
interface AliasIndex {
  byTable: ReadonlyMap<string, readonly TableAlias[]>;
  /** The tables that a table is part of, by position. */
  wholes: ReadonlyMap<number, readonly number[]>;
}

/**
 * Reading an entry takes as long as this many steps: its names are folded, and the long ones of PostgreSQL
 * cut.
 */
const STEPS_PER_ENTRY = 10;

/**
 * Creates the lookup of lists in one catalog. The first lookup indexes the names of its tables, because a
 * list may have as many entries as a large catalog has tables. Except for that, the time grows only with the
 * entries and with the tables of their names.
 */
export function createListLookup(index: CatalogIndex): FindListed {
  const { tables, dialect } = index;
  let aliases: AliasIndex | undefined;
  return (entries) => {
    const { byTable, wholes } = (aliases ??= indexAliases(index));
    let steps = entries.length * STEPS_PER_ENTRY;
    const covered = new Set<number>();
    const inDoubt = new Set<number>();
    for (const [tableKey, qualifiers] of indexEntries(entries, dialect)) {
      const named = byTable.get(tableKey) ?? [];
      steps += named.length;
      for (const alias of named) {
        if (!isQualified(alias, qualifiers)) continue;
        covered.add(alias.place);
        const containing = wholes.get(alias.place) ?? [];
        steps += containing.length;
        for (const whole of containing) inDoubt.add(whole);
      }
    }
    const inOrder = (places: Iterable<number>) =>
      [...places].toSorted((one, other) => one - other).flatMap((place) => tables[place] ?? []);
    const doubts = [...inDoubt].filter((place) => !covered.has(place));
    return { governed: inOrder(covered), inDoubt: inOrder(doubts), steps };
  };
}

function indexAliases({ tables, dialect }: CatalogIndex): AliasIndex {
  const byTable = new Map<string, TableAlias[]>();
  const wholes = new Map<number, number[]>();
  const placeOf = new Map(tables.map((table, place) => [table, place]));
  for (const [place, { database, schema, name, partOf, parts }] of tables.entries()) {
    const databaseKey = database === null ? null : nameKey(database, dialect);
    const add = (of: { schema: string; table: string }) =>
      pushTo(byTable, nameKey(of.table, dialect), {
        place,
        schemaKey: nameKey(of.schema, dialect),
        databaseKey,
      });
    add({ schema, table: name });
    for (const whole of partOf) add(whole);
    for (const part of parts) {
      const partPlace = placeOf.get(part);
      if (partPlace !== undefined) pushTo(wholes, partPlace, place);
    }
  }
  return { byTable, wholes };
}

/** The keys of the databases of entries, by the key of their schema. Null: every name, as in an entry. */
type Qualifiers = Map<string | null, Set<string | null>>;

/** The entries of a list by the keys of their table names. */
function indexEntries(entries: readonly ListEntry[], dialect: SqlDialect): Map<string, Qualifiers> {
  const keysOf = (qualifier: string | undefined): (string | null)[] =>
    qualifier === undefined ? [null] : writtenKeys(qualifier, dialect);
  const byTable = new Map<string, Qualifiers>();
  for (const { database, schema, table } of entries) {
    const databaseKeys = keysOf(database);
    const schemaKeys = keysOf(schema);
    for (const tableKey of writtenKeys(table, dialect)) {
      const qualifiers: Qualifiers = byTable.get(tableKey) ?? new Map<string | null, Set<string | null>>();
      byTable.set(tableKey, qualifiers);
      for (const key of schemaKeys) addAll(qualifiers, key, databaseKeys);
    }
  }
  return byTable;
}

function addAll<K, V>(sets: Map<K, Set<V>>, key: K, values: readonly V[]): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set);
  for (const value of values) set.add(value);
}

/** The database of a catalog that has just one has no name, and every entry matches it. */
function isQualified({ schemaKey, databaseKey }: TableAlias, qualifiers: Qualifiers): boolean {
  return [null, schemaKey].some((key) => {
    const databases = qualifiers.get(key);
    if (databases === undefined) return false;
    return databaseKey === null || databases.has(null) || databases.has(databaseKey);
  });
}

function pushTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
