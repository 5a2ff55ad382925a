import type { Catalog, LintWarning, RlsMatcher, SlsConfig, SqlDialect } from '@gatehouse/contract';
import { describe, expect, it, vi } from 'vitest';
import type { Condition } from '../../sql/logic/restriction.js';
import { indexCatalog } from '../../sql/logic/catalogIndex.js';
import { lintPolicies } from './findWarnings.js';
import type { LintAssignment, LintDefinition } from './request.js';
import { Work } from './work.js';

const table = (name: string, ...columns: string[]) => ({
  name,
  kind: 'table' as const,
  columns: columns.map((column) => ({ name: column, type: 'text' })),
});
const CATALOG: Catalog = {
  schemas: [
    { name: 's', tables: [table('orders', 'id', 'a', 'b'), table('rates', 'id', 'a'), table('bare')] },
  ],
};
const ON_A: RlsMatcher = { type: 'ALL_TABLES_WITH_COLUMN', column: 'a' };
const ON_S: RlsMatcher = { type: 'SCHEMA', schema: 's' };
const ON_RATES: RlsMatcher = { type: 'TABLE_LIST', tables: [{ table: 'rates' }] };
const ON_ORDERS: RlsMatcher = { type: 'TABLE_LIST', tables: [{ table: 'orders' }] };

const equals = (column: string, literal: number | string): Condition => ({
  kind: 'compare',
  column,
  operator: '=',
  value: { literal },
});
const asks = (column: string, operator: '=' | '<>', placeholder: string): Condition => ({
  kind: 'compare',
  column,
  operator,
  value: { placeholder },
});
const TRUE: Condition = { kind: 'constant', value: true };
const FALSE: Condition = { kind: 'constant', value: false };

interface GivenRule {
  matcher?: RlsMatcher;
  condition: Condition | null;
  expression?: string;
  params?: Record<string, string>;
  enabled?: boolean;
}
const NONE = { clsConfig: null, slsConfig: null, rlsConfig: null, conditions: [] };
const define = (id: string, ...rules: GivenRule[]): LintDefinition => ({
  ...NONE,
  id,
  name: id,
  rlsConfig: {
    rules: rules.map(({ matcher = ON_A, expression = 'x', params, enabled = true }, index) => ({
      name: `rule ${index}`,
      matcher,
      expression,
      enabled,
      ...(params && { params }),
    })),
  },
  conditions: rules.map(({ condition }) => condition),
});
const connect = (id: string, connectionTemplate: string): LintDefinition => ({
  ...NONE,
  id,
  name: id,
  clsConfig: { connectionTemplate },
});
const confine = (id: string, slsConfig: SlsConfig): LintDefinition => ({ ...NONE, id, name: id, slsConfig });
const assign = (
  definitionId: string,
  scopeType: LintAssignment['scopeType'],
  actorKey: string | null = null,
  params: LintAssignment['params'] = {},
): LintAssignment => ({
  id: `${definitionId} to ${actorKey ?? 'all'}`,
  definitionId,
  scopeType,
  actorKey,
  params,
});

function lint(
  definitions: LintDefinition[],
  assignments: LintAssignment[] = [],
  catalog: Catalog | null = CATALOG,
): LintWarning[] {
  const index = catalog && indexCatalog(catalog, 'postgres');
  const policies = { definitions, assignments, hasAllAssignments: true };
  return [...lintPolicies({ dialect: 'postgres', index, ...policies })].flat();
}
const told = (warnings: LintWarning[]) =>
  warnings.map(({ code, definitionId, path }) => `${code} ${definitionId} ${path}`);

describe('a rule', () => {
  it('that restricts causes no warning', () => {
    expect(lint([define('d', { condition: equals('a', 1) }, { condition: equals('a', 1) })])).toEqual([]);
    expect(lint([define('d', { condition: null })])).toEqual([]);
  });

  it('that restricts nothing or everything causes a warning', () => {
    const warnings = lint([define('d', { condition: TRUE }, { condition: FALSE })]);
    expect(told(warnings)).toEqual([
      'ALWAYS_TRUE d rlsConfig.rules[0].expression',
      'ALWAYS_FALSE d rlsConfig.rules[1].expression',
    ]);
  });

  it('that contradicts itself causes a warning', () => {
    const itself: Condition = { kind: 'and', parts: [equals('a', 1), equals('a', 2)] };
    expect(told(lint([define('d', { condition: itself })]))).toEqual([
      'CONTRADICTION d rlsConfig.rules[0].expression',
    ]);
  });

  it('that is disabled is skipped, and the others keep their numbers', () => {
    expect(
      told(
        lint([define('d', { condition: TRUE, enabled: false, expression: '{{ x }}' }, { condition: TRUE })]),
      ),
    ).toEqual(['ALWAYS_TRUE d rlsConfig.rules[1].expression']);
  });

  it('that matches no table causes a warning if a catalog is known', () => {
    const nowhere = define('d', { matcher: { type: 'SCHEMA', schema: 'gone' }, condition: equals('a', 1) });
    expect(told(lint([nowhere]))).toEqual(['MATCHES_NO_TABLE d rlsConfig.rules[0].matcher']);
    expect(lint([nowhere], [], null)).toEqual([]);
  });

  it('that names a column that one of its tables lacks causes a warning', () => {
    const warnings = lint([
      define('d', { matcher: ON_S, condition: { kind: 'and', parts: [equals('B', 1), equals('gone', 1)] } }),
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      's.rates has no column B, so reading it is denied.',
      's.orders, s.rates have no column gone, so reading them is denied.',
    ]);
    expect(lint([define('d', { matcher: ON_S, condition: equals('ID', 1) })])).toEqual([]);
  });

  it('is also checked by the columns of parts that are not understood', () => {
    const other: Condition = { kind: 'not', part: { kind: 'other', columns: ['gone'] } };
    expect(told(lint([define('d', { condition: other })]))).toEqual([
      'UNKNOWN_COLUMN d rlsConfig.rules[0].expression',
    ]);
  });
});

describe('an inexact comparison', () => {
  const catalog: Catalog = {
    schemas: [
      {
        name: 's',
        tables: [
          {
            name: 'orders',
            kind: 'table',
            columns: [
              { name: 'a', type: 'varchar(40)', collation: 'utf8mb4_general_ci' },
              { name: 'b', type: 'varchar(40)' },
              { name: 'n', type: 'int' },
              { name: 'c', type: 'public.citext' },
            ],
          },
        ],
      },
    ],
  };
  const messagesOf = (condition: Condition, dialect: SqlDialect): string[] =>
    [
      ...lintPolicies({
        dialect,
        index: indexCatalog(catalog, dialect),
        definitions: [define('d', { condition, matcher: ON_ORDERS })],
        assignments: [],
        hasAllAssignments: true,
      }),
    ]
      .flat()
      .flatMap(({ code, message }) => (code === 'INEXACT_COMPARISON' ? [message] : []));
  const CASE = 'which takes texts that differ in case for equal.';

  it('compares a text with a number on a server that converts the text', () => {
    const [message] = messagesOf(equals('b', 0), 'mysql');
    expect(message).toContain('s.orders.b is text and is compared with a number');
    expect(messagesOf(equals('b', 0), 'postgres')).toEqual([]);
    expect(messagesOf(equals('n', 0), 'mysql')).toEqual([]);
    expect(messagesOf(equals('n', '1abc'), 'mysql')).toEqual([
      expect.stringContaining('s.orders.n is a number'),
    ]);
    expect(messagesOf(equals('n', '15'), 'mysql')).toEqual([]);
  });

  it('compares a literal in a case-insensitive collation, or a value that is not made exact', () => {
    expect(messagesOf(equals('a', 'acme'), 'mysql')).toEqual([
      `The column s.orders.a is compared by utf8mb4_general_ci, ${CASE}`,
    ]);
    expect(messagesOf(equals('b', 'acme'), 'mysql')).toEqual([]);
    expect(messagesOf(asks('a', '=', 't'), 'mysql')).toEqual([]);
    expect(messagesOf(asks('a', '=', 't'), 'mssql')).toEqual([expect.stringContaining(CASE)]);
    expect(messagesOf(asks('c', '<>', 't'), 'postgres')).toEqual([
      `The column s.orders.c is compared by citext, ${CASE}`,
    ]);
    const within: Condition = { kind: 'not', part: { kind: 'or', parts: [TRUE, equals('a', 'acme')] } };
    expect(messagesOf(within, 'mysql')).toHaveLength(1);
  });
});

describe('a rule with a subquery', () => {
  it('is not checked by the columns of the tables in the subquery', () => {
    const other: Condition = { kind: 'other', columns: ['id', 'order_id'] };
    const condition: Condition = { kind: 'and', parts: [other, equals('gone', 1)] };
    const expression = 'id IN (SELECT order_id FROM access) AND gone = 1';
    const warnings = lint([define('d', { condition, expression })]);
    expect(warnings.map(({ message }) => message)).toEqual([
      's.orders, s.rates have no column gone, so reading them is denied.',
    ]);
  });
});

describe('two rules', () => {
  const one = { condition: equals('a', 1) };
  const two = { condition: equals('a', 2) };

  it('of one definition that never both hold cause a warning at the second', () => {
    const [warning, ...rest] = lint([define('d', one, two)]);
    expect(rest).toEqual([]);
    expect(warning).toMatchObject({
      code: 'CONTRADICTION',
      path: 'rlsConfig.rules[1].expression',
      definitionId: 'd',
    });
    expect(warning?.message).toContain('the rule "rule 0"');
    expect(warning?.message).toContain('s.orders');
  });

  it('on different tables or columns do not contradict', () => {
    expect(lint([define('d', { ...one, matcher: ON_RATES }, { ...two, matcher: ON_ORDERS })])).toEqual([]);
    expect(lint([define('d', one, { condition: equals('id', 2) })])).toEqual([]);
  });

  it('share tables without a catalog only if their matchers are equal', () => {
    expect(lint([define('d', one, two)], [], null)).toHaveLength(1);
    expect(lint([define('d', one, { ...two, matcher: ON_S })], [], null)).toEqual([]);
  });

  it('are not compared by placeholders, whose values may differ between rules', () => {
    const apart = [asks('a', '=', 'x'), asks('a', '<>', 'x')].map((condition) => ({ condition }));
    expect(lint([define('d', ...apart)])).toEqual([]);
    const builtIn = [asks('a', '=', 'actor.id'), asks('a', '<>', 'actor.id')].map((condition) => ({
      condition,
    }));
    expect(lint([define('d', ...builtIn)])).toHaveLength(1);
  });

  it('of two definitions are compared if an actor has both', () => {
    const definitions = [define('d', one), define('e', two)];
    const pairs: [LintAssignment, LintAssignment, boolean][] = [
      [assign('d', 'ALL_TENANTS'), assign('e', 'ALL_TENANTS'), true],
      [assign('d', 'ALL_TENANTS'), assign('e', 'TENANT', 't1'), true],
      [assign('d', 'TENANT_USER', 'u1'), assign('e', 'ALL_TENANTS'), true],
      [assign('d', 'TENANT', 't1'), assign('e', 'TENANT', 't1'), true],
      [assign('d', 'ORG_USER', 'o1'), assign('e', 'ORG_USER', 'o1'), true],
      [assign('d', 'ALL_TENANTS'), assign('e', 'ORG_USER', 'o1'), false],
      [assign('d', 'TENANT', 't1'), assign('e', 'TENANT', 't2'), false],
      [assign('d', 'TENANT', 'k1'), assign('e', 'TENANT_USER', 'k1'), false],
    ];
    for (const [first, second, meets] of pairs) {
      expect(told(lint(definitions, [first, second]))).toEqual(
        meets ? ['CONTRADICTION e rlsConfig.rules[0].expression'] : [],
      );
    }
    expect(lint(definitions)).toEqual([]);
  });

  it('cause no warning as a pair if one never holds by itself', () => {
    expect(told(lint([define('d', one, { condition: FALSE })]))).toEqual([
      'ALWAYS_FALSE d rlsConfig.rules[1].expression',
    ]);
  });
});

describe('a placeholder', () => {
  const asking = define('d', { condition: null, expression: 'a = {{ x }} AND b = {{ actor.tenantId }}' });

  it('causes no warning before the first assignment', () => {
    expect(lint([asking])).toEqual([]);
  });

  it('causes a warning if neither params nor the assignment fill it', () => {
    const [warning, ...rest] = lint(
      [asking],
      [assign('d', 'TENANT', 't1'), assign('d', 'TENANT', 't2', { x: 1 })],
    );
    expect(rest).toEqual([]);
    expect(warning).toMatchObject({
      code: 'UNFILLED_PLACEHOLDER',
      path: 'rlsConfig.rules[0].expression',
      assignmentId: 'd to t1',
    });
    expect(warning?.message).toBe(
      'Neither the params beside it nor 1 of 2 assignments give a value to x: unless a token or a request brings a value, what depends on it is denied.',
    );
    const own = define('d', { condition: null, expression: 'a = {{ x }}', params: { x: '1' } });
    expect(lint([own], [assign('d', 'TENANT', 't1')])).toEqual([]);
  });

  it('counts at least those that were read, where a definition has more assignments', () => {
    const request = { dialect: 'postgres' as const, index: null, definitions: [asking] };
    const messagesOf = (assignments: LintAssignment[]) =>
      [...lintPolicies({ ...request, assignments, hasAllAssignments: false })]
        .flat()
        .map(({ message, assignmentId }) => [message.split(':')[0], assignmentId]);
    const some = [assign('d', 'TENANT', 't1'), assign('d', 'TENANT', 't2', { x: 1 })];
    const atLeast = 'Neither the params beside it nor at least 1 of the assignments give a value to x';
    expect(messagesOf(some)).toEqual([[atLeast, null]]);
    expect(messagesOf([assign('d', 'TENANT', 't1')])).toEqual([[atLeast, null]]);
  });

  it('for a tenant causes a warning for an org user, whatever the params are', () => {
    const toOrgUser = assign('d', 'ORG_USER', 'o1', { x: 1, 'actor.tenantId': 't1' });
    expect(lint([asking], [toOrgUser]).map(({ message }) => message)).toEqual([
      'Neither the params beside it nor the assignment give a value to actor.tenantId: unless a token or a request brings a value, what depends on it is denied.',
    ]);
  });

  it('is checked in connections, file paths and schemas', () => {
    const definitions: LintDefinition[] = [
      { ...NONE, id: 'c', name: 'c', clsConfig: { connectionTemplate: '{{ x }}{{ y }}', params: { y: 1 } } },
      { ...NONE, id: 'f', name: 'f', clsConfig: { filePathTemplates: { orders: '{{ x }}' } } },
      confine('s', { schemaTemplate: '{{ x }}' }),
    ];
    const assignments = ['c', 'f', 's'].map((id) => assign(id, 'TENANT', `t-${id}`));
    expect(told(lint(definitions, assignments))).toEqual([
      'UNFILLED_PLACEHOLDER c clsConfig.connectionTemplate',
      'UNFILLED_PLACEHOLDER f clsConfig.filePathTemplates.orders',
      'UNFILLED_PLACEHOLDER s slsConfig.schemaTemplate',
    ]);
  });

  it('for a secret causes a warning where secrets are not allowed', () => {
    const secret = define('d', {
      condition: null,
      expression: 'a = {{ x@secret }}',
      params: { 'x@secret': 'y' },
    });
    expect(told(lint([secret]))).toEqual(['UNFILLED_PLACEHOLDER d rlsConfig.rules[0].expression']);
  });
});

describe('two configs for the same actor', () => {
  const both = (...ids: string[]) => ids.map((id) => assign(id, 'TENANT', 't1'));

  it('that are equal leave one without effect', () => {
    expect(
      told(
        lint([connect('c', 'db://a/{{ actor.id }}'), connect('d', 'db://a/{{ actor.id }}')], both('c', 'd')),
      ),
    ).toEqual(['SHADOWED_ASSIGNMENT d clsConfig']);
  });

  it('that differ deny everything', () => {
    expect(told(lint([connect('c', 'db://a'), connect('d', 'db://b')], both('c', 'd')))).toEqual([
      'CONTRADICTION d clsConfig',
    ]);
    expect(
      told(lint([confine('c', { schema: 'a' }), confine('d', { schema: 'b' })], both('c', 'd'))),
    ).toEqual(['CONTRADICTION d slsConfig']);
    const lists = [
      confine('c', { allowedSchemas: ['a', 'b'] }),
      confine('d', { allowedSchemas: ['b', 'a'] }),
    ];
    expect(told(lint(lists, both('c', 'd')))).not.toContain('CONTRADICTION d slsConfig');
  });

  it('are skipped if values decide', () => {
    const templates = [connect('c', 'db://a/{{ x }}'), connect('d', 'db://b/{{ x }}')];
    const given = [assign('c', 'TENANT', 't1', { x: '1' }), assign('d', 'TENANT', 't1', { x: '1' })];
    expect(lint(templates, given)).toEqual([]);
    const same = [connect('c', 'db://a/{{ x }}'), connect('d', 'db://a/{{ x }}')];
    const differing = [assign('c', 'TENANT', 't1', { x: '1' }), assign('d', 'TENANT', 't1', { x: '2' })];
    expect(lint(same, differing)).toEqual([]);
  });

  it('of different actors or ranks do not compete', () => {
    const definitions = [connect('c', 'db://a'), connect('d', 'db://b')];
    expect(lint(definitions, [assign('c', 'TENANT', 't1'), assign('d', 'TENANT', 't2')])).toEqual([]);
    expect(lint(definitions, [assign('c', 'ALL_TENANTS'), assign('d', 'TENANT', 't2')])).toEqual([]);
    expect(lint(definitions, [assign('c', 'ORG_USER', 'k'), assign('d', 'TENANT_USER', 'k')])).toEqual([]);
  });
});

describe('a schema', () => {
  it('outside its own list causes a warning, assigned or not', () => {
    expect(told(lint([confine('d', { schema: 'z', allowedSchemas: ['a'] })]))).toEqual([
      'DEFAULT_SCHEMA_NOT_ALLOWED d slsConfig.schema',
    ]);
  });

  it('of a tenant outside the list for all tenants causes a warning', () => {
    const wide = confine('wide', { allowedSchemas: ['a', 'b'] });
    const warnedOf = (slsConfig: SlsConfig, scope: LintAssignment['scopeType']) =>
      told(lint([wide, confine('d', slsConfig)], [assign('wide', 'ALL_TENANTS'), assign('d', scope, 'k')]));
    expect(warnedOf({ defaultSchema: 'z' }, 'TENANT')).toEqual([
      'DEFAULT_SCHEMA_NOT_ALLOWED d slsConfig.defaultSchema',
    ]);
    expect(warnedOf({ schema: 'z' }, 'TENANT_USER')).toEqual([
      'DEFAULT_SCHEMA_NOT_ALLOWED d slsConfig.schema',
    ]);
    expect(warnedOf({ allowedSchemas: ['y', 'z'] }, 'TENANT')).toEqual([
      'CONTRADICTION d slsConfig.allowedSchemas',
    ]);
    expect(warnedOf({ schema: 'a' }, 'TENANT')).toEqual([]);
    expect(warnedOf({ schema: 'z' }, 'ORG_USER')).toEqual([]);
    expect(warnedOf({ schemaTemplate: '{{ actor.id }}', defaultSchema: 'z' }, 'TENANT')).toEqual([]);
  });
});

it('does not look at all pairs of very many definitions', () => {
  const ids = Array.from({ length: 2000 }, (_, index) => `d${index}`);
  const definitions = ids.map((id) => define(id, { condition: asks('a', '=', id) }));
  const assignments = ids.map((id, index) => assign(id, 'TENANT', `t${index}`));
  const lookups = vi.spyOn(Set.prototype, 'has');
  try {
    lint(definitions, assignments);
    // A pair takes three. There are two million pairs.
    expect(lookups.mock.calls.length).toBeLessThan(1_000_000);
  } finally {
    lookups.mockRestore();
  }
});

it('handles many assignments and rules without comparing all pairs', () => {
  const rules = Array.from({ length: 400 }, (_, index) => ({ condition: asks('a', '=', `p${index}`) }));
  const assignments = Array.from({ length: 10_000 }, (_, index) => assign('d', 'TENANT', `t${index}`));
  expect(lint([define('d', ...rules)], assignments)).toEqual([]);
});

describe('the work of a lint', () => {
  const differs = (column: string, literal: number): Condition => ({
    kind: 'compare',
    column,
    operator: '<>',
    value: { literal },
  });
  const chain = (count: number): Condition => ({
    kind: 'and',
    parts: Array.from({ length: count }, (_, index) => differs('a', index)),
  });
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => prefix + index);
  const lists = names('s', 300);
  const rules = (id: string, count: number) =>
    define(id, ...names('r', count).map(() => ({ condition: chain(500) })));
  const definitions = [
    ...names('d', 8).map((id) => rules(id, 4)),
    ...names('l', 40).map((id) => confine(id, { allowedSchemas: lists })),
  ];
  const assignments = [
    ...names('d', 8).flatMap((id) => names('t', 200).map((actor) => assign(id, 'TENANT', actor))),
    ...names('l', 40).map((id) => assign(id, 'ALL_TENANTS')),
    ...names('u', 300).map((actor) => assign('l0', 'TENANT_USER', actor)),
  ];
  const tables = names('table', 2000).map((name) => table(name, 'id', 'a'));
  const index = indexCatalog({ schemas: [{ name: 's', tables }] }, 'mysql');
  const policies = { definitions, assignments, hasAllAssignments: true };
  const request = { dialect: 'mysql' as const, index, ...policies };

  it('is done in short steps', () => {
    const work = new Work();
    let [before, most] = [work.left, 0];
    for (const _ of lintPolicies(request, work)) {
      most = Math.max(most, before - work.left);
      before = work.left;
    }
    expect(most).toBeLessThan(60_000);
  });

  it('ends, and what it does not suffice for has no warning', () => {
    const all = told([...lintPolicies(request)].flat());
    expect(all.length).toBeGreaterThan(0);
    for (const steps of [0, 1000, 100_000]) {
      const work = new Work(steps);
      const some = told([...lintPolicies(request, work)].flat());
      expect(work.left).toBe(0);
      expect(all).toEqual(expect.arrayContaining(some));
      expect(some.length).toBeLessThan(all.length);
    }
  });

  it('includes matching a list of tables, which is skipped when the work is over', () => {
    const listed: RlsMatcher = {
      type: 'TABLE_LIST',
      tables: names('x', 1000).map((name) => ({ table: name })),
    };
    const own = ['one', 'two'].map((id) => define(id, { matcher: listed, condition: null }));
    const spentBy = (work: Work) => {
      const before = work.left;
      const found = [...lintPolicies({ ...request, definitions: own, assignments: [] }, work)].flat();
      return { spent: before - work.left, codes: told(found) };
    };
    const { spent, codes } = spentBy(new Work());
    expect(spent).toBeGreaterThanOrEqual(2000);
    expect(codes).toEqual(['one', 'two'].map((id) => `MATCHES_NO_TABLE ${id} rlsConfig.rules[0].matcher`));
    expect(spentBy(new Work(100)).codes).toEqual([]);
  });
});
