import type { RlsMatcher, SqlDialect } from '@gatehouse/contract';
import { describe, expect, test } from 'vitest';
import type { ResolvedRule } from './restriction.js';
import { Budget } from './bounds.js';
import { columnOf, type KnownTable } from './catalogIndex.js';
import { rulesInDoubt, rulesOf, TableJudge } from './matchRules.js';
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

  test('is in doubt if a rule governs a part alone, and not by the other tables of that part', () => {
    const part = tableOf(['id'], ['orders', 'archive']);
    expect(rulesInDoubt(whole([part]), ofPart, 'postgres')).toHaveLength(1);
    expect(rulesInDoubt(whole([]), ofPart, 'postgres')).toHaveLength(0);
    const ofOther = [ruleFor({ type: 'TABLE_LIST', tables: [{ table: 'archive' }] })];
    expect(rulesInDoubt(whole([part]), ofOther, 'postgres')).toHaveLength(0);
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
