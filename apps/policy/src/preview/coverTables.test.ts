import type { Catalog, RlsMatcher } from '@gatehouse/contract';
import { expect, it, vi } from 'vitest';
import { BYTES_MAX, createCoverageBudget, TooLarge } from '../limits/logic/byteBudget.js';
import { indexCatalog } from '../sql/logic/catalogIndex.js';
import { createTableMatcher, type MatchTables } from '../sql/logic/matchTables.js';
import { coverTables } from '../testing/runSteps.js';
import { coverTables as coverInSteps } from './logic/coverTables.js';
import type { ResolvedRule } from '../sql/logic/restriction.js';

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
  const on = { actor: { kind: 'ALL_TENANTS' as const }, isGoverned: true, tables: large.tables };
  const steps = coverInSteps({ ...on, matchTables, rules }, createCoverageBudget());
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  expect(step.value.governed[4999]?.rules).toEqual(['one', 'two', 'three']);
  expect(matchTables).toHaveBeenCalledTimes(3);
  // The matcher is compared with a hundred tables in a step, and the same one is known afterwards.
  expect(count).toBeGreaterThanOrEqual(5000 / 100 + 5000 / 1000);
});

it('rejects the names of rules that fill hundreds of megabytes with those of tables', () => {
  const tables = Array.from({ length: 10_000 }, (_, each) => table(`t${each}`));
  const large = indexCatalog({ schemas: [{ name: 's', tables }] }, 'postgres');
  const rulesOf = (count: number) =>
    Array.from({ length: count }, (_, each) =>
      rule(`${each}`.padEnd(200, 'x'), { type: 'SCHEMA', schema: 's' }),
    );
  const on = { actor: { kind: 'ALL_TENANTS' as const }, isGoverned: true, tables: large.tables };
  const coverBy = (count: number) =>
    coverTables({ ...on, matchTables: createTableMatcher(large), rules: rulesOf(count) });
  expect(() => coverBy(100)).toThrow(TooLarge);
  const { governed } = coverBy(7);
  expect(governed).toHaveLength(10_000);
  expect(Buffer.byteLength(JSON.stringify(governed))).toBeLessThan(BYTES_MAX);
});
