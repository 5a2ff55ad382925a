import type { Coverage, LintWarning, RlsMatcher } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { heatRows, nextCell, reasonOf } from './heatMap.js';
import {
  exampleStatement,
  expressionNames,
  faultsOfRule,
  labelOf,
  moved,
  referencesOf,
  statementNames,
  tablesOf,
  warningsOfRule,
} from './policyRules.js';

const column = (name: string) => ({ name, type: 'text' });
const catalog = {
  schemas: [
    {
      name: 'sales',
      tables: [
        { name: 'orders', kind: 'table' as const, columns: [column('id'), column('tenant_id')] },
        { name: 'a.b', kind: 'table' as const, columns: [column('c.d')] },
      ],
    },
    { name: 'hr', tables: [{ name: 'orders', kind: 'table' as const, columns: [column('salary')] }] },
  ],
};

describe('the tables of a rule', () => {
  const known = tablesOf(catalog);

  it('keep their references when a label is ambiguous', () => {
    const former = [{ schema: 'x.y', table: 'z' }, { table: 'x.y.z' }, { database: 'd', table: 't' }];
    for (const reference of former)
      expect(referencesOf([labelOf(reference)], [reference], known)).toEqual([reference]);
  });

  it('are those of the catalog, or what was typed', () => {
    expect(referencesOf(['sales.a.b', 'new', 's.t', '.x', 'x.'], [], known)).toEqual([
      { schema: 'sales', table: 'a.b' },
      { table: 'new' },
      { schema: 's', table: 't' },
      { table: '.x' },
      { table: 'x.' },
    ]);
  });

  it('have a label for each database', () => {
    const databases = [{ name: 'db', schemas: catalog.schemas }];
    expect(tablesOf({ databases }).map(({ label }) => label)).toEqual([
      'db.sales.orders',
      'db.sales.a.b',
      'db.hr.orders',
    ]);
    expect(tablesOf(null)).toEqual([]);
  });
});

describe('the names that are completed', () => {
  const known = tablesOf(catalog);

  it('are tables with and without schema, whose dots are no separators', () => {
    expect(statementNames(known)).toMatchObject({
      'sales.orders': ['id', 'tenant_id'],
      'sales.a\\.b': ['c.d'],
      'hr.orders': ['salary'],
    });
  });

  it.each<[string, RlsMatcher, string[]]>([
    ['a column', { type: 'ALL_TABLES_WITH_COLUMN', column: 'id' }, ['id', 'tenant_id']],
    ['a schema', { type: 'SCHEMA', schema: 'hr' }, ['salary']],
    ['a table', { type: 'TABLE_LIST', tables: [{ schema: 'sales', table: 'orders' }] }, ['id', 'tenant_id']],
    [
      'a table of any schema',
      { type: 'TABLE_LIST', tables: [{ table: 'orders' }] },
      ['id', 'salary', 'tenant_id'],
    ],
    ['an unknown table', { type: 'TABLE_LIST', tables: [{ table: 'none' }] }, []],
  ])('in a rule are the columns of the tables that it matches by %s', (_by, matcher, names) => {
    expect(Object.keys(expressionNames(known, matcher)).toSorted()).toEqual(names);
  });
});

describe('the warnings of a rule', () => {
  const warning = (path: string): LintWarning => ({
    code: 'ALWAYS_TRUE',
    path,
    message: '',
    definitionId: null,
    assignmentId: null,
  });

  it('are not those of another rule whose number begins alike', () => {
    const warnings = [
      'rlsConfig.rules[1].expression',
      'rlsConfig.rules[10].expression',
      'rlsConfig.rules[1].matcher',
    ];
    const { expression, others } = warningsOfRule(warnings.map(warning), 1);
    expect(expression.map(({ path }) => path)).toEqual(['rlsConfig.rules[1].expression']);
    expect(others.map(({ path }) => path)).toEqual(['rlsConfig.rules[1].matcher']);
  });
});

describe('moving a rule', () => {
  it('stays within the list', () => {
    expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
    expect(moved(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'b', 'c']);
    expect(moved(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
  });
});

describe('the heat map', () => {
  const north: Coverage = {
    actor: { kind: 'TENANT', tenantId: 'north' },
    isGoverned: true,
    totalTables: 2,
    governed: [{ schema: 's', table: 'b', rules: ['own'] }],
    ungoverned: [{ schema: 's', table: 'a' }],
  };
  const south: Coverage = {
    ...north,
    isGoverned: false,
    governed: [],
    ungoverned: [{ schema: 's', table: 'a' }],
  };

  it('has a cell for each table and actor, with its reason', () => {
    expect(heatRows([north, south])).toEqual([
      {
        table: 's.a',
        cells: [
          { state: 'unrestricted', rules: [] },
          { state: 'without', rules: [] },
        ],
      },
      {
        table: 's.b',
        cells: [
          { state: 'restricted', rules: ['own'] },
          { state: 'without', rules: [] },
        ],
      },
    ]);
    expect(reasonOf({ state: 'restricted', rules: ['own', 'all'] })).toBe('restricted by “own”, “all”');
  });

  it('is walked with the keyboard, within its edges', () => {
    const size = { rows: 3, columns: 2, isControl: false };
    expect(nextCell('ArrowDown', { row: 2, column: 0 }, size)).toEqual({ row: 2, column: 0 });
    expect(nextCell('ArrowLeft', { row: 1, column: 0 }, size)).toEqual({ row: 1, column: 0 });
    expect(nextCell('End', { row: 1, column: 0 }, size)).toEqual({ row: 1, column: 1 });
    expect(nextCell('End', { row: 0, column: 0 }, { ...size, isControl: true })).toEqual({
      row: 2,
      column: 1,
    });
    expect(nextCell('Tab', { row: 0, column: 0 }, size)).toBeNull();
  });
});

describe('the statement to begin with', () => {
  it('reads the first table whose name needs no quotes', () => {
    const table = (reference: { schema?: string; table: string }) => ({ label: '', reference, columns: [] });
    const quoted = table({ schema: 'sales', table: 'Orders of 2025' });
    expect(exampleStatement([quoted, table({ schema: 'sales', table: 'orders' })], [])).toBe(
      'SELECT * FROM sales.orders',
    );
    expect(exampleStatement([table({ table: 'orders' })], [])).toBe('SELECT * FROM orders');
    expect(exampleStatement([quoted], [])).toBeNull();
  });

  it('reads a table that a rule covers, if there is one', () => {
    const table = (name: string, ...columns: string[]) => ({
      label: '',
      reference: { table: name },
      columns,
    });
    const matcher = { type: 'ALL_TABLES_WITH_COLUMN' as const, column: 'tenant_id' };
    const tables = [table('products', 'id'), table('orders', 'id', 'tenant_id')];
    expect(exampleStatement(tables, [matcher])).toBe('SELECT * FROM orders');
    expect(exampleStatement(tables, [{ ...matcher, column: 'nowhere' }])).toBe('SELECT * FROM products');
  });
});

describe('the field errors of a rule', () => {
  const faults = [
    { field: 'name', message: 'is taken' },
    { field: 'rlsConfig.rules[1].matcher.column', message: 'must not be empty' },
    { field: 'rlsConfig.rules[1].expression', message: 'is not a condition' },
    { field: 'rlsConfig.rules[10].params.x', message: 'is too long' },
  ];

  it('are those of its own place, by the control that shows them', () => {
    expect(faultsOfRule(faults, 1)).toEqual({
      matcher: 'must not be empty',
      expression: 'is not a condition',
    });
    expect(faultsOfRule(faults, 10)).toEqual({ values: { x: 'is too long' } });
    expect(faultsOfRule(faults, 0)).toEqual({});
    expect(faultsOfRule(faults, -1)).toEqual({});
  });
});
