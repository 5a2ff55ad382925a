import type { Catalog, CatalogChange, CatalogTable } from '@gatehouse/contract';
import { databasesIn, type CatalogDatabase } from './form.js';
import { findColumnRenames, findTableRenames, NameComparison } from './renames.js';

type Place = Pick<CatalogChange, 'schema'> & { database?: string };
type Schema = CatalogDatabase['schemas'][number];

const EMPTY: Catalog = { schemas: [] };

function indexByName<T extends { name: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.name, item]));
}

/** The items whose names are not in `others`. */
function without<T extends { name: string }>(items: readonly T[], others: ReadonlyMap<string, T>): T[] {
  return items.filter(({ name }) => !others.has(name));
}

/**
 * The changes from one catalog to another; null is an empty catalog. An added or removed schema is followed
 * by each of its tables; the columns of an added or removed table are not listed. A probable rename is one
 * change instead of two.
 */
export function diffCatalogs(from: Catalog | null, to: Catalog | null): CatalogChange[] {
  const [former, present] = [from, to].map((catalog) => schemasByPlace(catalog ?? EMPTY)) as [
    Map<string, PlacedSchema>,
    Map<string, PlacedSchema>,
  ];
  const keys = [...new Set([...former.keys(), ...present.keys()])];
  const names = new NameComparison();
  return keys.flatMap((key) => diffSchema(former.get(key), present.get(key), names));
}

interface PlacedSchema {
  place: Place;
  schema: Schema;
}

function schemasByPlace(catalog: Catalog): Map<string, PlacedSchema> {
  const placed = databasesIn(catalog).flatMap(({ name: database, schemas }) =>
    schemas.map((schema) => ({
      place: { ...(database !== undefined && { database }), schema: schema.name },
      schema,
    })),
  );
  return new Map(placed.map((each) => [JSON.stringify([each.place.database, each.place.schema]), each]));
}

function diffSchema(
  former: PlacedSchema | undefined,
  present: PlacedSchema | undefined,
  names: NameComparison,
): CatalogChange[] {
  const place = present?.place ?? former?.place;
  if (place === undefined) return [];
  const removed = present === undefined ? [{ kind: 'schemaRemoved' as const, ...place }] : [];
  const added = former === undefined ? [{ kind: 'schemaAdded' as const, ...place }] : [];
  return [
    ...removed,
    ...added,
    ...diffTables({ place, names }, former?.schema.tables ?? [], present?.schema.tables ?? []),
  ];
}

function diffTables(
  { place, names }: { place: Place; names: NameComparison },
  former: readonly CatalogTable[],
  present: readonly CatalogTable[],
): CatalogChange[] {
  const [formerByName, presentByName] = [indexByName(former), indexByName(present)];
  const removed = without(former, presentByName);
  const added = without(present, formerByName);
  const renames = findTableRenames(removed, added);
  const renamed = new Set(renames.flatMap(({ from, to }) => [from, to]));
  const changeOf = (kind: 'tableRemoved' | 'tableAdded') => (table: CatalogTable) =>
    renamed.has(table) ? [] : [{ kind, ...place, table: table.name }];
  return [
    ...renames.map(({ from, to }) => ({
      kind: 'tableRenamed' as const,
      ...place,
      table: to.name,
      from: from.name,
      to: to.name,
    })),
    ...removed.flatMap(changeOf('tableRemoved')),
    ...added.flatMap(changeOf('tableAdded')),
    ...present.flatMap((table) =>
      diffColumns({ place: { ...place, table: table.name }, names }, formerByName.get(table.name), table),
    ),
  ];
}

function diffColumns(
  { place, names }: { place: Place & { table: string }; names: NameComparison },
  former: CatalogTable | undefined,
  { columns }: CatalogTable,
): CatalogChange[] {
  if (former === undefined) return [];
  const placed = (list: CatalogTable['columns']) =>
    list.map((column, index) => ({ ...column, place: index }));
  const [formerColumns, presentColumns] = [placed(former.columns), placed(columns)];
  const [formerByName, presentByName] = [indexByName(formerColumns), indexByName(presentColumns)];
  const removed = without(formerColumns, presentByName);
  const added = without(presentColumns, formerByName);
  const renames = findColumnRenames(removed, added, names);
  const renamed = new Set(renames.flatMap(({ from, to }) => [from, to]));
  const retyped = presentColumns.flatMap(({ name, type }) => {
    const formerType = formerByName.get(name)?.type;
    if (formerType === undefined || formerType === type) return [];
    return [{ kind: 'columnTypeChanged' as const, ...place, column: name, from: formerType, to: type }];
  });
  return [
    ...renames.map(({ from, to }) => ({
      kind: 'columnRenamed' as const,
      ...place,
      column: to.name,
      from: from.name,
      to: to.name,
    })),
    ...removed.flatMap((column) =>
      renamed.has(column)
        ? []
        : [{ kind: 'columnRemoved' as const, ...place, column: column.name, from: column.type }],
    ),
    ...added.flatMap((column) =>
      renamed.has(column)
        ? []
        : [{ kind: 'columnAdded' as const, ...place, column: column.name, to: column.type }],
    ),
    ...retyped,
  ];
}

const RENAMES: readonly CatalogChange['kind'][] = ['tableRenamed', 'columnRenamed'];

/** Whether a change is the rename of a table or column. */
export function isRename({ kind }: CatalogChange): boolean {
  return RENAMES.includes(kind);
}

/** A table by its names in a catalog. */
interface TablePlace {
  database?: string;
  schema: string;
  table: string;
}

/** The tables that changes concern, without duplicates; a renamed table is listed under both names. */
export function tablesIn(changes: readonly CatalogChange[]): TablePlace[] {
  const tables = changes.flatMap(({ kind, database, schema, table, from }) => {
    if (table === undefined) return [];
    const names = kind === 'tableRenamed' && from !== undefined ? [table, from] : [table];
    return names.map((name) => ({ ...(database !== undefined && { database }), schema, table: name }));
  });
  return uniqueTables(tables);
}

/** Every table of a catalog. */
export function allTablesIn(catalog: Catalog): TablePlace[] {
  return databasesIn(catalog).flatMap(({ name: database, schemas }) =>
    schemas.flatMap(({ name: schema, tables }) =>
      tables.map(({ name: table }) => ({ ...(database !== undefined && { database }), schema, table })),
    ),
  );
}

/** The tables without duplicates. */
function uniqueTables(tables: readonly TablePlace[]): TablePlace[] {
  const keyed = tables.map(
    (each) => [JSON.stringify([each.database, each.schema, each.table]), each] as const,
  );
  return [...new Map(keyed).values()];
}
