import type { Compiled, CompiledCondition, Preview } from '@gatehouse/contract';
import { describe, expect, it, vi } from 'vitest';
import { canonicalJson, diffPreviews } from './diffPreviews.js';

const condition = (table: string, expression: string, schema: string | null = 's'): CompiledCondition => ({
  table,
  alias: null,
  schema,
  expression,
  rules: [],
});
type Statement = Extract<Compiled, { status: 'compiled' }>;
const COMPILED: Statement = {
  status: 'compiled',
  dialect: 'postgres',
  sql: 'select $1',
  parameters: [1],
  inlineSql: 'select 1',
  conditions: [condition('t', 'a = 1'), condition('u', 'a = 1')],
  reasons: [],
};
const PREVIEW: Preview = {
  actor: { kind: 'TENANT', id: 't', name: 'T', email: null, tenantId: 't', role: null },
  connection: { id: 'c', name: 'C', type: 'static', dialect: 'postgres' },
  assignments: [],
  cls: {
    connectionString: 'db://a',
    filePaths: null,
    params: { x: 1, y: 2 },
    assignmentId: 'a',
    definitionId: 'd',
    source: 'persisted',
  },
  sls: { schema: 'a', allowedSchemas: ['a', 'b'], assignmentId: 'a', definitionId: 'd', source: 'persisted' },
  rls: {
    rules: [
      {
        name: 'r',
        definitionId: 'd',
        assignmentId: 'a',
        source: 'persisted',
        matcher: { type: 'SCHEMA', schema: 's' },
        expression: 'a = {{ x }}',
        resolvedExpression: 'a = 1',
        params: { x: 1 },
      },
    ],
  },
  compiled: COMPILED,
  trace: [],
};
const diff = (change: Partial<Preview>) => diffPreviews(PREVIEW, { ...PREVIEW, ...change });
const compiled = (change: Partial<Statement>): Pick<Preview, 'compiled'> => ({
  compiled: { ...COMPILED, ...change },
});

describe('two previews', () => {
  it('are equal if they enforce the same, whatever the origin', () => {
    const [rule] = PREVIEW.rls.rules;
    if (!PREVIEW.cls || !PREVIEW.sls || !rule) throw new Error('the preview is incomplete');
    const draft = { assignmentId: null, source: 'draft' as const };
    const same = diff({
      cls: { ...PREVIEW.cls, ...draft, params: { y: 2, x: 1 } },
      sls: { ...PREVIEW.sls, ...draft, allowedSchemas: ['b', 'a'] },
      rls: { rules: [{ ...rule, ...draft, name: 'other', expression: 'a = {{ y }}', params: { y: 1 } }] },
    });
    expect(same).toMatchObject({
      isSame: true,
      cls: { isSame: true },
      sls: { isSame: true },
      tables: [],
      sql: { isSame: true },
    });
  });

  it('differ in their connection, their schemas or their rules', () => {
    expect(diff({ cls: null })).toMatchObject({
      isSame: false,
      cls: { isSame: false },
      sls: { isSame: true },
    });
    expect(diff({ sls: null })).toMatchObject({
      isSame: false,
      cls: { isSame: true },
      sls: { isSame: false },
    });
    expect(diff({ rls: { rules: [] } })).toMatchObject({ isSame: false, sql: { isSame: true } });
  });

  it('differ in their refusals', () => {
    const denied = { ...COMPILED, status: 'denied', sql: null, inlineSql: null } as const;
    expect(diff({ compiled: denied }).isSame).toBe(false);
    expect(diff(compiled({ reasons: [{ code: 'UNASSIGNED', message: 'x' }] })).isSame).toBe(false);
  });

  it('differ only in their parameters', () => {
    expect(diff(compiled({ parameters: [2], inlineSql: 'select 2' }))).toMatchObject({
      isSame: false,
      sql: { isSame: false, before: 'select 1', after: 'select 2' },
    });
  });

  it('list the differences by table', () => {
    const { tables, isSame } = diff(
      compiled({ conditions: [condition('u', 'a = 2'), condition('v', 'b'), condition('t', 'c', null)] }),
    );
    expect(isSame).toBe(false);
    expect(tables).toEqual([
      { table: 't', schema: 's', change: 'removed', before: 'a = 1', after: null },
      { table: 'u', schema: 's', change: 'changed', before: 'a = 1', after: 'a = 2' },
      { table: 'v', schema: 's', change: 'added', before: null, after: 'b' },
      { table: 't', schema: null, change: 'added', before: null, after: 'c' },
    ]);
  });

  it('treat a table that is read twice as one', () => {
    const twice = [condition('t', 'a = 1'), condition('t', 'a = 1'), condition('u', 'a = 1')];
    expect(diff(compiled({ conditions: twice })).tables).toEqual([]);
    const both = diff(
      compiled({ conditions: [condition('t', 'b'), condition('t', 'a'), condition('u', 'a = 1')] }),
    );
    expect(both.tables).toEqual([
      { table: 't', schema: 's', change: 'changed', before: 'a = 1', after: 'a\nb' },
    ]);
  });
});

it('writes equal values alike and keeps the order of arrays', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

it('compares a table that is read very often without copying its conditions for each', () => {
  const conditions = Array.from({ length: 500 }, () => condition('t', 'a = 1'));
  const written = vi.spyOn(Map.prototype, 'set');
  try {
    expect(diff(compiled({ conditions })).tables).toHaveLength(1);
    const lists = written.mock.calls.map(([, value]: unknown[]) => (Array.isArray(value) ? value.length : 0));
    // A copy for each condition writes 125,250.
    expect(lists.reduce((sum, length) => sum + length, 0)).toBeLessThan(20_000);
  } finally {
    written.mockRestore();
  }
});
