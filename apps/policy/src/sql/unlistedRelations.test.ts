import type { Catalog, RlsMatcher } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgres } from './compiler/localEngines.js';
import { coverTables } from '../testing/runSteps.js';
import { indexCatalog } from './logic/catalogIndex.js';
import { createTableMatcher } from './logic/matchTables.js';
import type { ResolvedRule, Restriction, SqlEngine } from './logic/restriction.js';
import { ParserThread } from '../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './polyglot/dialectEngine.js';
import { ruleOf } from '../testing/restrictions.js';

const columns = ['id', 'tenant_id'].map((name) => ({ name, type: '' }));
const table = (name: string) => ({ name, kind: 'table' as const, columns });

/**
 * The result of introspection: `child` inherits from `orders`, whose partitions and shadow tables are
 * excluded. The user may not read all columns of `hiding`.
 */
function catalogOf(schema: string): Catalog {
  const part = { name: 'part', type: '' };
  const child = { ...table('child'), columns: [...columns, part], partOf: [{ schema, table: 'orders' }] };
  const hiding = { ...table('hiding'), unreadableColumns: ['Secret'] };
  return {
    defaultSchema: schema,
    schemas: [{ name: schema, tables: [table('orders'), child, table('free'), hiding] }],
  };
}

const SCHEMAS = {
  postgres: 'public',
  mysql: 'shop',
  sqlite: 'main',
  bigquery: 'main',
  mssql: 'dbo',
} as const;
type Dialect = keyof typeof SCHEMAS;

const ofTable = (matcher: RlsMatcher): ResolvedRule[] => [ruleOf('tenant_id = 1', {}, matcher)];
const LISTED = ofTable({ type: 'TABLE_LIST', tables: [{ table: 'orders' }] });

const thread = new ParserThread();
const polyglot = new PolyglotEngine(thread);
let postgres: SqlEngine;
beforeAll(async () => {
  postgres = await createPostgres();
});
afterAll(() => thread.close());

interface Changes {
  rules?: ResolvedRule[];
  isGoverned?: boolean;
  entity?: string;
}

function restrict(dialect: Dialect, sql: string | null, changes: Changes = {}): Promise<Restriction> {
  const engine = dialect === 'postgres' ? postgres : polyglot;
  return engine.restrict({
    dialect,
    sql,
    entities: changes.entity === undefined ? [] : [{ table: changes.entity }],
    catalog: catalogOf(SCHEMAS[dialect]),
    pinnedSchema: null,
    allowedSchemas: null,
    isGoverned: changes.isGoverned ?? true,
    rules: changes.rules ?? LISTED,
    rowBarrier: false,
  });
}

/** Expects that a statement on a table, and an entity, are denied because of a rule in doubt. */
async function expectDoubt(name: string, rule: ResolvedRule): Promise<void> {
  const rules = [rule];
  const { status, reasons } = await restrict('postgres', `select id from ${name}`, { rules });
  expect([status, reasons[0]?.code, reasons[0]?.rule]).toEqual(['denied', 'UNKNOWN_TABLE', rule.name]);
  const entity = await restrict('postgres', null, { rules, entity: name });
  expect([entity.status, entity.reasons[0]?.code]).toEqual(['denied', 'UNKNOWN_TABLE']);
}

const UNLISTED: [Dialect, string, string][] = [
  ['postgres', 'orders_2026', 'a partition'],
  ['postgres', 'orders_id_seq', 'a sequence'],
  ['postgres', 'orders_pkey', 'an index'],
  ['postgres', 'elsewhere.orders_2026', 'a table of a schema that is not listed'],
  ['sqlite', 'orders_content', 'an FTS5 shadow table'],
  ['sqlite', 'main.orders_data', 'an FTS5 shadow table with its schema'],
  ['mysql', 'orders_numbers', 'a sequence'],
  ['mysql', 'warehouse.orders', 'a table of another database'],
  ['bigquery', 'orders_2026', 'a table without a rewriter'],
  ['mssql', 'orders_2026', 'a table without a rewriter'],
];

describe('on a governed connection', () => {
  test.each(UNLISTED)('a relation outside the catalog is refused: %s, %s, %s', async (dialect, name) => {
    const sql = `select * from ${name}`;
    const asked = [restrict(dialect, sql), restrict(dialect, sql, { rules: [] })];
    // An entity has the schema in a field of its own.
    if (!name.includes('.')) asked.push(restrict(dialect, null, { entity: name }));
    for (const { status, reasons } of await Promise.all(asked)) {
      expect([status, reasons[0]?.code]).toEqual(['denied', 'UNKNOWN_TABLE']);
    }
  });

  test.each(Object.keys(SCHEMAS) as Dialect[])('a listed table is read on %s', async (dialect) => {
    expect((await restrict(dialect, 'select * from free')).reasons).toEqual([]);
  });

  test.each([
    LISTED,
    ofTable({ type: 'TABLE_LIST', tables: [{ table: 'orders', schema: 'public' }] }),
    ofTable({ type: 'SCHEMA', schema: 'public' }),
  ])('a table that inherits was read past the rules of its parent', async (rules) => {
    const { inlineSql } = await restrict('postgres', 'select * from child', { rules: [rules].flat() });
    expect(inlineSql).toContain('WHERE child.tenant_id = 1');
  });

  const PART = [
    ofTable({ type: 'TABLE_LIST', tables: [{ table: 'child' }] }),
    ofTable({ type: 'ALL_TABLES_WITH_COLUMN', column: 'part' }),
  ];
  test.each(PART)('a table showed rows of one that inherits from it past the rules of that', async (rule) => {
    const rules = [rule];
    await expectDoubt('orders', rule);
    expect((await restrict('postgres', 'select * from free', { rules })).status).toBe('compiled');
    expect((await restrict('postgres', 'select * from child', { rules })).status).toBe('compiled');
  });

  const HIDDEN = [
    ofTable({ type: 'ALL_TABLES_WITH_COLUMN', column: 'Secret' }),
    ofTable({ type: 'SCHEMA', schema: SCHEMAS.postgres, column: 'Secret' }),
  ];
  test.each(HIDDEN)('a table was read past a rule on a column that the user may not read', async (rule) => {
    const rules = [rule];
    await expectDoubt('hiding', rule);
    expect((await restrict('postgres', 'select * from free', { rules })).status).toBe('compiled');
  });

  test('a table with an unreadable column is read under rules on others', async () => {
    const rules = ofTable({ type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' });
    const { inlineSql } = await restrict('postgres', 'select * from hiding', { rules });
    expect(inlineSql).toContain('WHERE hiding.tenant_id = 1');
    expect(inlineSql).not.toContain('Secret');
  });

  test('coverage shows a table that inherits as governed', () => {
    const actor = { kind: 'ALL_TENANTS' } as const;
    const index = indexCatalog(catalogOf('public'), 'postgres');
    const on = { tables: index.tables, matchTables: createTableMatcher(index) };
    const { governed, ungoverned } = coverTables({ actor, isGoverned: true, rules: LISTED, ...on });
    expect(governed.map((each) => each.table)).toEqual(['orders', 'child']);
    expect(ungoverned.map((each) => each.table)).toEqual(['free', 'hiding']);
  });
});

test.each(['postgres', 'mysql', 'sqlite'] as const)(
  'an ungoverned connection accepts unlisted tables on %s',
  async (dialect) => {
    const { status } = await restrict(dialect, 'select * from orders_2026', { rules: [], isGoverned: false });
    expect(status).toBe('compiled');
  },
);
