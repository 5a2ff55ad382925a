import type { RlsMatcher, SqlDialect } from '@gatehouse/contract';
import { describe, expect, test } from 'vitest';
import type { ResolvedRule } from './restriction.js';
import { Budget } from './bounds.js';
import { columnOf, type KnownTable } from './catalogIndex.js';
import { describeDoubt, isSchemaAllowed, rulesInDoubt, rulesOf, TableJudge } from './matchRules.js';
import { createColumnLookup } from './names.js';

const tableOf = (
  columns: readonly string[],
  parents: readonly string[] = [],
  { types = [], dialect = 'postgres' }: { types?: string[]; dialect?: SqlDialect } = {},
): KnownTable => ({
  database: null,
  schema: 'parts',
  name: 'orders_1',
  columns,
  catalogColumns: columns.map((name, index) => ({ name, type: types[index] ?? '' })),
  findColumns: createColumnLookup(columns, dialect),
  findUnreadable: () => [],
  partOf: parents.map((table) => ({ schema: 'sales', table })),
  parts: [],
});
const ruleFor = (matcher: RlsMatcher): ResolvedRule => ({
  name: 'tenants',
  definitionId: null,
  assignmentId: null,
  source: 'persisted',
  matcher,
  expression: 'tenant_id = 1',
  values: {},
  missing: [],
});

describe('a table that is part of another', () => {
  const ofSchema = [ruleFor({ type: 'SCHEMA', schema: 'sales', column: 'tenant_id' })];

  test('is governed by a rule on the schema of the other', () => {
    expect(rulesOf(tableOf(['tenant_id'], ['orders']), ofSchema, 'postgres')).toHaveLength(1);
    expect(rulesOf(tableOf(['id'], ['orders']), ofSchema, 'postgres')).toHaveLength(0);
    expect(rulesOf(tableOf(['tenant_id']), ofSchema, 'postgres')).toHaveLength(0);
  });

  test('is in doubt if the catalog lists no columns of it', () => {
    expect(rulesInDoubt(tableOf([], ['orders']), ofSchema, 'postgres')).toHaveLength(1);
    expect(rulesInDoubt(tableOf([]), ofSchema, 'postgres')).toHaveLength(0);
  });

  test('spends a step for each comparison with the name of another', () => {
    const tables = Array.from({ length: 1000 }, (_, index) => ({ table: `t${index}` }));
    const rules = Array.from({ length: 10 }, () => ruleFor({ type: 'TABLE_LIST', tables }));
    const parents = tables.map(({ table }) => table);
    const judge = (table: KnownTable) => new TableJudge(rules, 'postgres', new Budget()).judge(table);
    expect(judge(tableOf(['id'], parents.slice(0, 10))).covering).toHaveLength(10);
    expect(() => judge(tableOf(['id'], parents))).toThrow('steps of work');
  });
});

describe('a table with parts', () => {
  const ofPart = [ruleFor({ type: 'TABLE_LIST', tables: [{ table: 'orders_1' }] })];
  const whole = (parts: KnownTable[]): KnownTable => ({ ...tableOf(['id']), name: 'orders', parts });

  test('is in doubt if a rule governs a part, by its name or by that of another table of the part', () => {
    const part = tableOf(['id'], ['orders', 'archive']);
    expect(rulesInDoubt(whole([part]), ofPart, 'postgres')).toHaveLength(1);
    expect(rulesInDoubt(whole([]), ofPart, 'postgres')).toHaveLength(0);
    const ofOther = [ruleFor({ type: 'TABLE_LIST', tables: [{ table: 'archive' }] })];
    expect(rulesInDoubt(whole([part]), ofOther, 'postgres')).toHaveLength(1);
    expect(rulesInDoubt(whole([]), ofOther, 'postgres')).toHaveLength(0);
  });

  test('spends a step for each comparison with the name of a part', () => {
    const tables = Array.from({ length: 1000 }, (_, index) => ({ table: `t${index}` }));
    const rules = Array.from({ length: 10 }, () => ruleFor({ type: 'TABLE_LIST', tables }));
    const judge = (parts: number) =>
      new TableJudge(rules, 'postgres', new Budget()).judge(
        whole(Array.from({ length: parts }, () => tableOf(['id']))),
      );
    expect(judge(10).doubts).toHaveLength(0);
    expect(() => judge(1000)).toThrow('steps of work');
  });
});

describe('the column of a name', () => {
  const mixed = tableOf(['id', 'Id'], [], { types: ['integer', 'text'] });

  test('is the one of exactly this name, else the one that the dialect folds it to', () => {
    expect(columnOf(mixed, 'Id')?.type).toBe('text');
    expect(columnOf(mixed, 'id')?.type).toBe('integer');
    expect(columnOf(mixed, 'ID')?.type).toBe('integer');
    expect(columnOf(mixed, 'other')).toBeUndefined();
  });

  test('is found without accents only in a wide table of MySQL', () => {
    const columns = ['Ténant', ...Array.from({ length: 31 }, (_, index) => `c${index}`)];
    const wide = (dialect: SqlDialect) => tableOf(columns, [], { dialect });
    const ofColumn = [ruleFor({ type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant' })];
    const narrow = tableOf(columns.slice(0, 31), [], { dialect: 'mysql' });
    expect(rulesOf(wide('mysql'), ofColumn, 'mysql')).toHaveLength(1);
    expect(rulesOf(narrow, ofColumn, 'mysql')).toHaveLength(0);
    expect(rulesOf(wide('sqlite'), ofColumn, 'sqlite')).toHaveLength(0);
  });
});

describe('a table that the catalog does not list', () => {
  const name = (schema: string | null, database: string | null = null) => ({
    database,
    schema,
    table: 'orders',
  });

  test.each<[RlsMatcher, ReturnType<typeof name>, isInDoubt: boolean]>([
    [{ type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' }, name('sales'), true],
    [{ type: 'TABLE_LIST', tables: [{ table: 'orders' }] }, name('sales'), true],
    [{ type: 'TABLE_LIST', tables: [{ table: 'ORDERS' }] }, name(null), true],
    [{ type: 'TABLE_LIST', tables: [{ table: 'notes' }] }, name('sales'), false],
    [{ type: 'TABLE_LIST', tables: [{ table: 'orders', schema: 'sales' }] }, name('sales'), true],
    [{ type: 'TABLE_LIST', tables: [{ table: 'orders', schema: 'sales' }] }, name(null), true],
    [{ type: 'TABLE_LIST', tables: [{ table: 'orders', schema: 'other' }] }, name('sales'), false],
    [{ type: 'TABLE_LIST', tables: [{ table: 'orders', database: 'shop' }] }, name('sales', 'shop'), true],
    [{ type: 'TABLE_LIST', tables: [{ table: 'orders', database: 'shop' }] }, name('sales', 'hr'), false],
    [{ type: 'SCHEMA', schema: 'sales' }, name('sales'), true],
    [{ type: 'SCHEMA', schema: 'sales' }, name(null), true],
    [{ type: 'SCHEMA', schema: 'sales' }, name('other'), false],
    [{ type: 'SCHEMA', schema: 'sales', column: 'tenant_id' }, name('sales'), true],
    [{ type: 'SCHEMA', schema: 'sales', column: 'tenant_id' }, name('other'), false],
    [{ type: 'SCHEMA', schema: 'sales', database: 'shop' }, name('sales', 'shop'), true],
    [{ type: 'SCHEMA', schema: 'sales', database: 'shop' }, name('sales', 'hr'), false],
  ])('is in doubt if a rule might cover it: %j of %j is %s', (matcher, table, isInDoubt) => {
    const rules = [ruleFor(matcher)];
    expect(rulesInDoubt(table, rules, 'postgres')).toEqual(isInDoubt ? rules : []);
    const { covering, doubts } = new TableJudge(rules, 'postgres', new Budget()).judge(table);
    expect([covering, doubts]).toEqual([[], isInDoubt ? rules : []]);
  });

  test('is judged by its own name after another one', () => {
    const rules = [ruleFor({ type: 'TABLE_LIST', tables: [{ table: 'orders' }] })];
    const judge = new TableJudge(rules, 'postgres', new Budget());
    expect(judge.judge({ ...name('sales'), table: 'notes' }).doubts).toEqual([]);
    expect(judge.judge(name('sales')).doubts).toEqual(rules);
    expect(judge.judge(tableOf(['id'])).doubts).toEqual([]);
    expect(judge.judge({ ...tableOf(['id']), name: 'orders' }).covering).toEqual(rules);
  });

  test('spends steps for its columns, and for each rule on a column, once for each table', () => {
    const wide = tableOf(Array.from({ length: 10_000 }, (_, index) => `c${index}`));
    const judgeTimes = (rules: ResolvedRule[], count: number, nameOf: (index: number) => string) => () => {
      const judge = new TableJudge(rules, 'postgres', new Budget());
      for (let index = 0; index < count; index += 1)
        expect(judge.judge({ ...wide, name: nameOf(index) }).doubts).toEqual([]);
    };
    expect(judgeTimes([], 501, (index) => `t${index}`)).toThrow('steps of work');
    expect(judgeTimes([], 501, () => 't')).not.toThrow();
    const ofColumn = ruleFor({ type: 'ALL_TABLES_WITH_COLUMN', column: 'none' });
    const rules = Array.from({ length: 10_000 }, () => ofColumn);
    expect(judgeTimes(rules, 251, (index) => `t${index}`)).toThrow('steps of work');
  });
});

describe('a rule on a schema', () => {
  const ofSchema = (matcher: Partial<RlsMatcher>) => [
    ruleFor({ type: 'SCHEMA', schema: 'parts', ...matcher } as RlsMatcher),
  ];

  test('covers its tables, or those with the column', () => {
    expect(rulesOf(tableOf(['id']), ofSchema({}), 'postgres')).toHaveLength(1);
    expect(rulesOf(tableOf(['id']), ofSchema({ schema: 'other' }), 'postgres')).toHaveLength(0);
    expect(rulesOf(tableOf(['id']), ofSchema({ column: 'id' }), 'postgres')).toHaveLength(1);
    expect(rulesOf(tableOf(['id']), ofSchema({ column: 'tenant_id' }), 'postgres')).toHaveLength(0);
  });

  test('covers those of its database alone', () => {
    const table = { ...tableOf(['id']), database: 'shop' };
    expect(rulesOf(table, ofSchema({ database: 'shop' }), 'snowflake')).toHaveLength(1);
    expect(rulesOf(table, ofSchema({ database: 'hr' }), 'snowflake')).toHaveLength(0);
  });
});

test('a column that the user of the connection may not read leaves a rule on it in doubt', () => {
  const table = { ...tableOf(['id']), findUnreadable: createColumnLookup(['tenant_id'], 'postgres') };
  const rules = [ruleFor({ type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' })];
  expect(rulesOf(table, rules, 'postgres')).toEqual([]);
  expect(rulesInDoubt(table, rules, 'postgres')).toEqual(rules);
  expect(rulesInDoubt(tableOf(['id']), rules, 'postgres')).toEqual([]);
  expect(describeDoubt('t', table)).toContain('may not read');
  expect(describeDoubt('t', { ...table, columns: [] })).toContain('does not list the columns');
  expect(describeDoubt('t', { ...table, parts: [table] })).toContain('rows of another table');
  expect(describeDoubt('t', undefined)).toContain('does not list the table');
});

test('a schema is allowed if it is listed exactly', () => {
  expect(isSchemaAllowed(null, null)).toBe(true);
  expect(isSchemaAllowed('acme', null)).toBe(true);
  expect(isSchemaAllowed('acme', ['acme'])).toBe(true);
  expect(isSchemaAllowed('ACME', ['acme'])).toBe(false);
  expect(isSchemaAllowed('acme', [])).toBe(false);
  expect(isSchemaAllowed(null, ['acme'])).toBe(false);
});
