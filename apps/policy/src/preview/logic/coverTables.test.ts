import type { Catalog, RlsMatcher } from '@gatehouse/contract';
import { expect, it } from 'vitest';
import { indexCatalog } from '../../sql/logic/catalogIndex.js';
import { createTableMatcher } from '../../sql/logic/matchTables.js';
import { coverTables } from './coverTables.js';
import type { ResolvedRule } from '../../sql/logic/restriction.js';

const table = (name: string, ...columns: string[]) => ({
  name,
  kind: 'table' as const,
  columns: columns.map((column) => ({ name: column, type: 'text' })),
});
const CATALOG: Catalog = {
  schemas: [
    { name: 'sales', tables: [table('orders', 'id', 'tenant_id'), table('rates', 'id')] },
    { name: 'other', tables: [table('orders', 'id', 'tenant_id'), table('unread')] },
  ],
};
const rule = (name: string, matcher: RlsMatcher): ResolvedRule => ({
  name,
  definitionId: 'd',
  assignmentId: 'a',
  source: 'persisted',
  matcher,
  expression: 'true',
  values: {},
  missing: [],
});
const index = indexCatalog(CATALOG, 'postgres');
const cover = (...rules: ResolvedRule[]) =>
  coverTables({
    actor: { kind: 'ALL_TENANTS' },
    isGoverned: true,
    tables: index.tables,
    matchTables: createTableMatcher(index),
    rules,
  });

it('separates governed tables with their rules from the others', () => {
  const { totalTables, governed, ungoverned } = cover(
    rule('one', { type: 'TABLE_LIST', tables: [{ table: 'ORDERS', schema: 'sales' }] }),
    rule('two', { type: 'SCHEMA', schema: 'sales' }),
  );
  expect(totalTables).toBe(4);
  expect(governed).toEqual([
    { schema: 'sales', table: 'orders', rules: ['one', 'two'] },
    { schema: 'sales', table: 'rates', rules: ['two'] },
  ]);
  expect(ungoverned).toEqual([
    { schema: 'other', table: 'orders' },
    { schema: 'other', table: 'unread' },
  ]);
});

it('counts a table of unknown columns as governed by a rule about a column', () => {
  const { governed, ungoverned } = cover(
    rule('own', { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' }),
  );
  expect(governed.map(({ schema, table: name }) => `${schema}.${name}`)).toEqual([
    'sales.orders',
    'other.orders',
    'other.unread',
  ]);
  expect(ungoverned).toEqual([{ schema: 'sales', table: 'rates' }]);
});

it('leaves every table ungoverned without rules', () => {
  const { governed, ungoverned, isGoverned } = cover();
  expect([governed.length, ungoverned.length, isGoverned]).toEqual([0, 4, true]);
});
