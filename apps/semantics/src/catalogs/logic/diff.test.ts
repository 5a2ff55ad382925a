import type { Catalog, CatalogChange, CatalogTable } from '@gatehouse/contract';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allTablesIn, diffCatalogs, isRename, tablesIn } from './diff.js';
import { canonicalText, databasesIn } from './form.js';
import { NameComparison } from './renames.js';

const NAMES = ['a', 'b', 'orders', 'order_id', 'customer', 'Größe', 'a b', '', '__proto__', 'constructor'];
const name = fc.constantFrom(...NAMES.filter((each) => each !== ''));
const column = fc.record({ name, type: fc.constantFrom('', 'int', 'text') });
const named = <T extends { name: string }>(item: fc.Arbitrary<T>, maxLength: number) =>
  fc.uniqueArray(item, { selector: (each) => each.name, maxLength });
const table = fc.record({
  name,
  kind: fc.constantFrom('table' as const, 'view' as const),
  columns: named(column, 5),
});
const schemas = named(fc.record({ name, tables: named(table, 4) }), 3);
const catalog: fc.Arbitrary<Catalog> = fc.oneof(
  fc.record({ schemas }),
  fc.record({ databases: named(fc.record({ name, schemas }), 2) }),
);

type Columns = Map<string, string>;
/**
 * The content that changes describe: each table by its place, with its column types by name, and each schema.
 */
type Content = Map<string, Columns>;

const keyOf = ({ database, schema, table: tableName }: Omit<CatalogChange, 'kind'>) =>
  JSON.stringify([database ?? null, schema, tableName ?? null]);

function contentOf(given: Catalog): Content {
  const content: Content = new Map();
  for (const { name: database, schemas: each } of databasesIn(given)) {
    for (const { name: schema, tables } of each) {
      const place = { ...(database !== undefined && { database }), schema };
      content.set(keyOf(place), new Map());
      for (const { name: tableName, columns } of tables)
        content.set(keyOf({ ...place, table: tableName }), columnsOf(columns));
    }
  }
  return content;
}

const columnsOf = (columns: CatalogTable['columns']): Columns =>
  new Map(columns.map((each) => [each.name, each.type]));

/** Applies a change to a content. An added table gets the columns of the final catalog. */
function apply(content: Content, change: CatalogChange, end: Content): void {
  const key = keyOf(change);
  const { column: columnName = '', from = '', to = '' } = change;
  const columns = content.get(key) ?? new Map<string, string>();
  const formerKey = keyOf({ ...change, table: from });
  const steps: Record<CatalogChange['kind'], () => void> = {
    schemaAdded: () => content.set(key, new Map()),
    schemaRemoved: () => content.delete(key),
    tableAdded: () => content.set(key, end.get(key) ?? new Map()),
    tableRemoved: () => content.delete(key),
    tableRenamed: () => {
      content.set(key, content.get(formerKey) ?? new Map());
      content.delete(formerKey);
    },
    columnAdded: () => columns.set(columnName, to),
    columnRemoved: () => columns.delete(columnName),
    columnTypeChanged: () => columns.set(columnName, to),
    columnRenamed: () => {
      columns.set(to, columns.get(from) ?? '');
      columns.delete(from);
    },
  };
  steps[change.kind]();
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
const asText = (content: Content) =>
  JSON.stringify([...content].toSorted(byKey).map(([key, columns]) => [key, [...columns].toSorted(byKey)]));

describe('diffCatalogs', () => {
  it('returns nothing for equal catalogs', () => {
    fc.assert(
      fc.property(catalog, (each) => {
        expect(diffCatalogs(each, structuredClone(each))).toEqual([]);
      }),
    );
  });

  it('turns the first catalog into the second', () => {
    fc.assert(
      fc.property(catalog, catalog, (from, to) => {
        const content = contentOf(from);
        const end = contentOf(to);
        for (const change of diffCatalogs(from, to)) apply(content, change, end);
        expect(asText(content)).toBe(asText(end));
      }),
      { numRuns: randomRuns(500) },
    );
  });

  it('returns every schema and table when one catalog is null', () => {
    fc.assert(
      fc.property(catalog, (each) => {
        const added = diffCatalogs(null, each);
        expect(added.map(({ kind }) => kind).every((kind) => /^(schema|table)Added$/.test(kind))).toBe(true);
        expect(tablesIn(added)).toEqual(expect.arrayContaining(allTablesIn(each)));
        expect(diffCatalogs(each, null)).toHaveLength(added.length);
      }),
    );
  });

  it('does not depend on the order of schemas and tables', () => {
    const reversed = (each: Catalog): Catalog =>
      'databases' in each
        ? { ...each, databases: each.databases.toReversed() }
        : {
            ...each,
            schemas: each.schemas
              .toReversed()
              .map((schema) => ({ ...schema, tables: schema.tables.toReversed() })),
          };
    fc.assert(
      fc.property(catalog, (each) => {
        expect(diffCatalogs(each, reversed(each))).toEqual([]);
        expect(canonicalText(reversed(each))).toBe(canonicalText(each));
      }),
    );
  });
});

const oneTable = (...columns: [string, string][]): Catalog => ({
  schemas: [
    {
      name: 'public',
      tables: [
        { name: 'orders', kind: 'table', columns: columns.map(([key, type]) => ({ name: key, type })) },
      ],
    },
  ],
});
const place = { schema: 'public', table: 'orders' };

describe('a renamed column', () => {
  const id: [string, string] = ['id', 'int'];

  it('is recognized by its place', () => {
    expect(diffCatalogs(oneTable(id, ['total', 'numeric']), oneTable(id, ['amount', 'numeric']))).toEqual([
      { kind: 'columnRenamed', ...place, column: 'amount', from: 'total', to: 'amount' },
    ]);
  });

  it.each([
    ['one contains the other', 'name', 'customer_name'],
    ['one letter differs', 'custmer_name', 'customer_name'],
    ['the case differs', 'customerName', 'CUSTOMER_NAME'],
  ])('is recognized by its name at another place: %s', (_, from, to) => {
    const changes = diffCatalogs(oneTable([from, 'text'], id), oneTable(id, [to, 'text']));
    expect(changes).toEqual([{ kind: 'columnRenamed', ...place, column: to, from, to }]);
  });

  const different: [string, [Catalog, Catalog]][] = [
    ['the type differs', [oneTable(['name', 'text']), oneTable(['names', 'int'])]],
    ['neither place nor name match', [oneTable(['email', 'text'], id), oneTable(id, ['phone', 'text'])]],
    ['the types are unknown and the names differ', [oneTable(['email', '']), oneTable(['phone', ''])]],
    ['two are removed', [oneTable(['name_a', 'text'], ['name_b', 'text']), oneTable(['name_c', 'text'])]],
    ['two are added', [oneTable(['name_a', 'text']), oneTable(['name_b', 'text'], ['name_c', 'text'])]],
  ];
  it.each(different)('is a removal and an addition when %s', (_, [from, to]) => {
    const kinds = diffCatalogs(from, to).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['columnRemoved', 'columnAdded']));
  });

  it('is recognized for each type separately, and marks its table as changed', () => {
    const changes = diffCatalogs(
      oneTable(['total', 'numeric'], ['name', 'text']),
      oneTable(['amount', 'numeric'], ['title', 'text']),
    );
    expect(changes.map(({ from, to }) => `${from} ${to}`)).toEqual(['total amount', 'name title']);
    expect(changes.every(isRename)).toBe(true);
    expect(tablesIn(changes)).toEqual([place]);
  });
});

describe('the comparison of names', () => {
  it('finds similar names until its work is spent, and then only parts of each other', () => {
    const names = new NameComparison(2 * 10 * 11);
    expect(names.areSimilar('customer_id', 'custommer_id')).toBe(true);
    expect(names.areSimilar('customer_id', 'custommer_id')).toBe(true);
    expect(names.areSimilar('customer_id', 'custommer_id')).toBe(false);
    expect(names.areSimilar('customer_id', 'old_customer_id')).toBe(true);
  });

  it('spends no work on names of very different lengths', () => {
    const names = new NameComparison(10 * 10);
    expect(names.areSimilar('abcdefghij', 'x'.repeat(200))).toBe(false);
    expect(names.areSimilar('abcdefghij', 'abcdefghix')).toBe(true);
  });
});

describe('a renamed table', () => {
  const tables = (...list: [string, string[]][]): Catalog => ({
    databases: [
      {
        name: 'db',
        schemas: [
          {
            name: 's',
            tables: list.map(([key, columns]) => ({
              name: key,
              kind: 'table',
              columns: columns.map((each) => ({ name: each, type: 'int' })),
            })),
          },
        ],
      },
    ],
  });
  const at = { database: 'db', schema: 's' };

  it('is the only removed one with its columns, and the only added one', () => {
    const changes = diffCatalogs(
      tables(['a', ['x', 'y']], ['b', ['z']]),
      tables(['c', ['x', 'y']], ['d', []]),
    );
    expect(changes).toEqual([
      { kind: 'tableRenamed', ...at, table: 'c', from: 'a', to: 'c' },
      { kind: 'tableRemoved', ...at, table: 'b' },
      { kind: 'tableAdded', ...at, table: 'd' },
    ]);
    expect(tablesIn(changes).map(({ table: each }) => each)).toEqual(['c', 'a', 'b', 'd']);
  });

  it.each([
    ['two have the same columns', tables(['a', ['x']], ['b', ['x']]), tables(['c', ['x']])],
    ['there are no columns', tables(['a', []]), tables(['c', []])],
    ['a column differs', tables(['a', ['x']]), tables(['c', ['X']])],
  ])('is not recognized when %s', (_, from, to) => {
    expect(diffCatalogs(from, to).some(isRename)).toBe(false);
  });
});
