import type { Catalog, CatalogChange } from '@gatehouse/contract';

/** A table of a catalog, as a row of a list. */
export interface CatalogRow {
  key: string;
  place: string;
  name: string;
  kind: string;
  columns: readonly { name: string; type: string }[];
}

/** The tables of a catalog of one database or of several, in the order of their names. */
export function rowsOf(catalog: Catalog | null): CatalogRow[] {
  if (catalog === null) return [];
  const databases = 'databases' in catalog ? catalog.databases : [{ name: null, schemas: catalog.schemas }];
  const rows = databases.flatMap((database) =>
    database.schemas.flatMap((schema) =>
      schema.tables.map(({ name, kind, columns }) => {
        const place = database.name === null ? schema.name : `${database.name}.${schema.name}`;
        return { key: JSON.stringify([place, name]), place, name, kind, columns };
      }),
    ),
  );
  return rows.toSorted((a, b) => a.place.localeCompare(b.place) || a.name.localeCompare(b.name));
}

/** The columns of a table with their types, as one text. */
export function columnsText({ columns }: CatalogRow): string {
  return columns.map(({ name, type }) => (type === '' ? name : `${name} ${type}`)).join(', ');
}

/** The rows whose table, schema or column contains a text. */
export function searchRows(rows: readonly CatalogRow[], search: string): readonly CatalogRow[] {
  const text = search.toLowerCase();
  if (text === '') return rows;
  const matches = (name: string) => name.toLowerCase().includes(text);
  return rows.filter(
    ({ name, place, columns }) =>
      matches(name) || matches(place) || columns.some((column) => matches(column.name)),
  );
}

const NAMES: Readonly<Record<CatalogChange['kind'], string>> = {
  schemaAdded: 'Schema added',
  schemaRemoved: 'Schema removed',
  tableAdded: 'Table added',
  tableRemoved: 'Table removed',
  columnAdded: 'Column added',
  columnRemoved: 'Column removed',
  columnTypeChanged: 'Type changed',
  columnRenamed: 'Column renamed',
  tableRenamed: 'Table renamed',
};

/** What changed, where, and from what to what. */
export function describeChange(change: CatalogChange): { title: string; place: string; detail: string } {
  const place = [change.database, change.schema, change.table, change.column]
    .filter((part) => part !== undefined)
    .join('.');
  const detail = change.from === undefined ? (change.to ?? '') : `${change.from} → ${change.to ?? ''}`;
  return { title: NAMES[change.kind], place, detail };
}
