import type { Catalog, RlsMatcher } from '@gatehouse/contract';
import { expect, it, vi } from 'vitest';
import { indexCatalog } from '../../sql/logic/catalogIndex.js';
import { createTableMatcher, type MatchTables } from '../../sql/logic/matchTables.js';
import { coverInSteps, coverTables } from './coverTables.js';
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

it('is done in steps: each rule, and a part of the tables', () => {
  const tables = Array.from({ length: 5000 }, (_, each) => table(`t${each}`));
  const large = indexCatalog({ schemas: [{ name: 's', tables }] }, 'postgres');
  const matchTables = vi.fn<MatchTables>(createTableMatcher(large));
  const rules = ['one', 'two', 'three'].map((name) => rule(name, { type: 'SCHEMA', schema: 's' }));
  const steps = coverInSteps({
    actor: { kind: 'ALL_TENANTS' },
    isGoverned: true,
    tables: large.tables,
    matchTables,
    rules,
  });
  for (const [place] of rules.entries()) {
    expect(steps.next().done).toBe(false);
    expect(matchTables).toHaveBeenCalledTimes(place + 1);
  }
  for (let parts = 1; parts < 5; parts += 1) expect(steps.next().done).toBe(false);
  const last = steps.next();
  expect(last.done).toBe(true);
  expect(last.value?.governed[4999]?.rules).toEqual(['one', 'two', 'three']);
});
