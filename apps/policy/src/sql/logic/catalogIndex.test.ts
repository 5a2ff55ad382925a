import type { Catalog, SqlDialect } from '@gatehouse/contract';
import { describe, expect, test, vi } from 'vitest';
import type { ResolvedRule } from './restriction.js';
import { createCatalogIndexer, indexCatalog, type TableName } from './catalogIndex.js';
import { isSchemaAllowed, rulesInDoubt, rulesOf } from './matchRules.js';

const tables = (...names: string[]) =>
  names.map((name) => ({
    name,
    kind: 'table' as const,
    columns: [
      { name: 'id', type: '' },
      { name: 'Team', type: '' },
    ],
  }));

const ONE: Catalog = {
  defaultSchema: 'app',
  schemas: [
    { name: 'app', tables: tables('orders', 'Orders') },
    { name: 'Sales', tables: tables('orders') },
    { name: 'public', tables: [{ name: 'bare', kind: 'table', columns: [] }] },
  ],
};
const SEVERAL: Catalog = {
  defaultDatabase: 'one',
  databases: [
    { name: 'one', schemas: [{ name: 'public', tables: tables('a') }] },
    { name: 'two', defaultSchema: 's', schemas: [{ name: 's', tables: tables('a') }] },
  ],
};

function resolve(
  catalog: Catalog | null,
  name: Partial<TableName> & { table: string },
  dialect: SqlDialect = 'postgres',
  pinned: string | null = null,
): string {
  const resolved = createCatalogIndexer()(catalog, dialect).resolve(
    { database: null, schema: null, ...name },
    pinned,
  );
  const { database, schema } = resolved.table ?? resolved.name;
  const own = resolved.table ? resolved.table.name : `${resolved.name.table}?`;
  return [database, schema, own].filter((part) => part !== null).join('.');
}

describe('a table name', () => {
  test('is in the pinned schema, else in the default one, else in the one of the dialect', () => {
    expect(resolve(ONE, { table: 'orders' })).toBe('app.orders');
    expect(resolve(ONE, { table: 'orders' }, 'postgres', 'Sales')).toBe('Sales.orders');
    expect(resolve({ schemas: [] }, { table: 'x' })).toBe('public.x?');
    expect(resolve({ schemas: [] }, { table: 'x' }, 'sqlite')).toBe('main.x?');
    expect(resolve({ schemas: [] }, { table: 'x' }, 'mssql')).toBe('dbo.x?');
    expect(resolve({ schemas: [{ name: 'shop', tables: tables('x') }] }, { table: 'x' }, 'mysql')).toBe(
      'shop.x',
    );
    expect(resolve(null, { table: 'x' })).toBe('public.x?');
  });

  test('in a pinned schema never refers to a schema that differs in case', () => {
    const tenants: Catalog = {
      schemas: [
        { name: 'tenant_a', tables: tables('orders') },
        { name: 'tenant_B', tables: tables('orders') },
        { name: 'tenant_b', tables: tables('orders') },
      ],
    };
    for (const dialect of ['postgres', 'mysql', 'sqlite', 'snowflake'] as const) {
      expect(resolve(tenants, { table: 'orders' }, dialect, 'tenant_A')).toBe('tenant_A.orders?');
      expect(resolve(tenants, { table: 'orders' }, dialect, 'tenant_b')).toBe('tenant_b.orders');
    }
    expect(resolve(tenants, { table: 'ORDERS' }, 'mysql', 'tenant_b')).toBe('tenant_b.orders');
  });

  test("is case-sensitive where the dialect's quoted names are, else not", () => {
    expect(resolve(ONE, { table: 'Orders' })).toBe('app.Orders');
    expect(resolve(ONE, { table: 'ORDERS' })).toBe('app.ORDERS?');
    expect(resolve(ONE, { schema: 'sales', table: 'orders' })).toBe('sales.orders?');
    expect(resolve(ONE, { schema: 'SALES', table: 'ORDERS' }, 'sqlite')).toBe('Sales.orders');
    expect(resolve(ONE, { table: 'Orders' }, 'mysql')).toBe('app.Orders');
  });

  test('may have a database if the catalog names some', () => {
    expect(resolve(SEVERAL, { table: 'a' })).toBe('one.public.a');
    expect(resolve(SEVERAL, { database: 'two', table: 'a' })).toBe('two.s.a');
    expect(resolve(SEVERAL, { database: 'three', table: 'a' })).toBe('three.public.a?');
    expect(resolve(ONE, { database: 'x', table: 'orders' })).toBe('x.public.orders?');
  });

  test('uses one index per catalog object', () => {
    const index = createCatalogIndexer();
    expect(index(ONE, 'postgres')).toBe(index(ONE, 'postgres'));
    expect(index(ONE, 'postgres')).not.toBe(index(ONE, 'mysql'));
  });
});

function ruleOf(matcher: ResolvedRule['matcher']): ResolvedRule {
  return {
    name: '',
    definitionId: null,
    assignmentId: null,
    source: 'token',
    matcher,
    expression: 'true',
    values: {},
    missing: [],
  };
}

function covered(
  matcher: ResolvedRule['matcher'],
  catalog: Catalog = ONE,
  dialect: SqlDialect = 'postgres',
): string[] {
  const index = indexCatalog(catalog, dialect);
  return index.tables
    .filter((table) => rulesOf(table, [ruleOf(matcher)], dialect).length > 0)
    .map((table) => [table.database, table.schema, table.name].filter((part) => part !== null).join('.'));
}

describe('a matcher', () => {
  test('of a column covers the tables that have it', () => {
    expect(covered({ type: 'ALL_TABLES_WITH_COLUMN', column: 'ID' })).toEqual([
      'app.orders',
      'app.Orders',
      'Sales.orders',
    ]);
    expect(covered({ type: 'ALL_TABLES_WITH_COLUMN', column: 'team' })).toEqual([]);
    expect(covered({ type: 'ALL_TABLES_WITH_COLUMN', column: 'team' }, ONE, 'mysql')).toHaveLength(3);
    expect(covered({ type: 'ALL_TABLES_WITH_COLUMN', column: '"Team"' })).toHaveLength(3);
  });

  test('of a list covers an unqualified name in every schema', () => {
    expect(covered({ type: 'TABLE_LIST', tables: [{ table: 'orders' }] })).toEqual([
      'app.orders',
      'Sales.orders',
    ]);
    expect(covered({ type: 'TABLE_LIST', tables: [{ table: 'Orders' }] })).toEqual([
      'app.orders',
      'app.Orders',
      'Sales.orders',
    ]);
    expect(covered({ type: 'TABLE_LIST', tables: [{ table: '"Orders"' }] })).toEqual(['app.Orders']);
    expect(covered({ type: 'TABLE_LIST', tables: [{ table: 'orders', schema: 'app' }] })).toEqual([
      'app.orders',
    ]);
    expect(covered({ type: 'TABLE_LIST', tables: [{ table: 'orders' }] }, ONE, 'sqlite')).toHaveLength(3);
  });

  test('of a schema covers its tables, or those with a column', () => {
    expect(covered({ type: 'SCHEMA', schema: 'app' })).toEqual(['app.orders', 'app.Orders']);
    expect(covered({ type: 'SCHEMA', schema: 'public' })).toEqual(['public.bare']);
    expect(covered({ type: 'SCHEMA', schema: 'public', column: 'id' })).toEqual([]);
    expect(covered({ type: 'SCHEMA', schema: 's', database: 'two' }, SEVERAL)).toEqual(['two.s.a']);
    expect(covered({ type: 'SCHEMA', schema: 's', database: 'one' }, SEVERAL)).toEqual([]);
  });

  test('with a database covers a catalog that does not name its database', () => {
    expect(covered({ type: 'SCHEMA', schema: 'app', database: 'any' })).toHaveLength(2);
  });

  test('of a column is in doubt for a table without columns and for an unlisted one', () => {
    const rules = [ruleOf({ type: 'ALL_TABLES_WITH_COLUMN', column: 'id' })];
    const nothing = {
      columns: [],
      catalogColumns: [],
      findColumns: () => [],
      findUnreadable: () => [],
      partOf: [],
      parts: [],
    };
    const bare = { database: null, schema: 'public', name: 'bare', ...nothing };
    expect(rulesInDoubt(bare, rules, 'postgres')).toHaveLength(1);
    expect(rulesInDoubt({ database: null, schema: null, table: 'x' }, rules, 'postgres')).toHaveLength(1);
    const listed = [ruleOf({ type: 'TABLE_LIST', tables: [{ table: 'x', schema: 's' }] })];
    expect(rulesInDoubt({ database: null, schema: null, table: 'x' }, listed, 'postgres')).toHaveLength(1);
    expect(rulesInDoubt({ database: null, schema: 't', table: 'x' }, listed, 'postgres')).toHaveLength(0);
    expect(rulesInDoubt(bare, listed, 'postgres')).toHaveLength(0);
  });
});

test('an unknown schema is allowed only if all are', () => {
  expect(isSchemaAllowed(null, null)).toBe(true);
  expect(isSchemaAllowed(null, ['public'])).toBe(false);
  expect(isSchemaAllowed('public', ['public'])).toBe(true);
  expect(isSchemaAllowed('tenant_a', ['tenant_A'])).toBe(false);
  expect(isSchemaAllowed('tenant_A', ['tenant_a'])).toBe(false);
});

/** The number of items of the lists that were written to maps. */
const itemsIn = (calls: unknown[][]) =>
  calls.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 0), 0);

test('a catalog of names that differ only in case is indexed without copying them for each', () => {
  const letters = 'abcdefghi';
  const variant = (_: unknown, number: number) =>
    Array.from(letters, (letter, bit) => ((number >> bit) & 1 ? letter.toUpperCase() : letter)).join('');
  const names = Array.from({ length: 512 }, variant);
  const catalog: Catalog = { schemas: [{ name: 's', tables: tables(...names) }] };
  const written = vi.spyOn(Map.prototype, 'set');
  try {
    expect(indexCatalog(catalog, 'duckdb').tables).toHaveLength(512);
    // A copy for each name writes 131,328.
    expect(itemsIn(written.mock.calls)).toBeLessThan(20_000);
  } finally {
    written.mockRestore();
  }
});

test('both parts of a name are compared as the server compares them', () => {
  const catalog: Catalog = {
    lowerCaseTableNames: 0,
    schemas: [
      { name: 'App', tables: tables('orders') },
      { name: 'hr', tables: tables('Orders') },
    ],
  };
  expect(resolve(catalog, { schema: 'App', table: 'orders' }, 'mysql')).toContain('App');
  const index = indexCatalog(catalog, 'mysql');
  for (const name of [
    { schema: 'app', table: 'orders' },
    { schema: 'hr', table: 'orders' },
    { schema: 'HR', table: 'Orders' },
  ]) {
    expect(index.resolve({ database: null, ...name }, null).table).toBeUndefined();
  }
});
