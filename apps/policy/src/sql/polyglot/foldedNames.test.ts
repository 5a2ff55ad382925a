import type { Catalog } from '@gatehouse/contract';
import { afterAll, describe, expect, test } from 'vitest';
import { restrictShop, rule } from '../../testing/polyglot/shop.js';
import { ParserThread } from '../../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './dialectEngine.js';

const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

const columns = ['id', 'tenant_id'].map((name) => ({ name, type: '' }));
const table = (name: string) => ({ name, kind: 'table' as const, columns });

function catalogOf(setting: 0 | 1 | 2 | undefined, ...more: string[]): Catalog {
  const tables = ['orders', 't_myisam', ...more].map(table);
  const schemas = [
    { name: 'shop', tables },
    { name: 'analytics', tables: [table('orders')] },
  ];
  return { defaultSchema: 'shop', ...(setting !== undefined && { lowerCaseTableNames: setting }), schemas };
}

const BY_TABLE = rule('id = 1', {}, { type: 'TABLE_LIST', tables: [{ table: 't_myisam' }] });
const BY_SCHEMA = rule('id = 1', {}, { type: 'SCHEMA', schema: 'analytics' });

const restrict = (sql: string, catalog: Catalog, isGoverned = true) =>
  restrictShop(engine, sql, {
    dialect: 'mysql',
    catalog,
    isGoverned,
    rules: isGoverned ? [BY_TABLE, BY_SCHEMA] : [],
  });

const CONDITION = '`gatehouse_governed`.`id` = 1';

describe.each([1, 2, undefined] as const)('with lower_case_table_names %s', (setting) => {
  test.each(['t_myİsam', 'T_MYISAM', 'T_MyİSAM'])('the table rule is not bypassed by %s', async (name) => {
    const { inlineSql } = await restrict(`select * from \`${name}\``, catalogOf(setting));
    expect(inlineSql).toContain(`\`shop\`.\`t_myisam\` AS \`gatehouse_governed\` WHERE ${CONDITION}`);
  });

  test('the schema rule is not bypassed by `analytİcs`', async () => {
    const { inlineSql } = await restrict('select * from `analytİcs`.orders', catalogOf(setting));
    expect(inlineSql).toContain(`\`analytics\`.\`orders\` AS \`gatehouse_governed\` WHERE ${CONDITION}`);
  });
});

describe.each([0, 1, 2, undefined] as const)('with lower_case_table_names %s', (setting) => {
  test.each([
    'İnformation_schema',
    'ınformation_schema',
    'MySQL',
    'performance_scheMa',
    'ＳＹＳ',
    '#mysql50#mysql',
  ])('the system schema %s was read', async (schema) => {
    const { status, reasons } = await restrict(`select * from \`${schema}\`.processlist`, catalogOf(setting));
    expect([status, ['SYSTEM_CATALOG', 'UNKNOWN_TABLE'].includes(reasons[0]?.code ?? '')]).toEqual([
      'denied',
      true,
    ]);
  });

  test.each(['İnformation_schema', 'MYSQL', '#mysql50#mysql'])(
    'the system schema %s is refused on an ungoverned connection',
    async (schema) => {
      const sql = `select * from \`${schema}\`.processlist`;
      const { reasons } = await restrict(sql, catalogOf(setting), false);
      expect(reasons[0]?.code).toBe('SYSTEM_CATALOG');
    },
  );
});

test('a case-sensitive server has no table of another case', async () => {
  for (const sql of ['select * from ORDERS', 'select * from SHOP.orders', 'select * from `orderſ`']) {
    expect((await restrict(sql, catalogOf(0))).reasons[0]?.code).toBe('UNKNOWN_TABLE');
  }
});

test('an ambiguous name resolves to no table', async () => {
  const catalog = catalogOf(undefined, 'Orders');
  expect((await restrict('select * from ORDERS', catalog)).reasons[0]?.code).toBe('UNKNOWN_TABLE');
  expect((await restrict('select * from Orders', catalog)).inlineSql).toContain('`shop`.`Orders`');
});

test('letters that only some versions of the server lower-case are not matched', async () => {
  const catalog = catalogOf(1, 't_ⴀ');
  expect((await restrict('select * from `t_ⴀ`', catalog)).status).toBe('compiled');
  expect((await restrict('select * from `t_Ⴀ`', catalog)).reasons[0]?.code).toBe('UNKNOWN_TABLE');
});

test('a reference to a common table in another case may be a table', async () => {
  for (const sql of [
    'with `İ` as (select 1) select * from i',
    'with Orders as (select 1) select * from orders',
  ]) {
    expect((await restrict(sql, catalogOf(0))).reasons[0]?.code).toBe('FORBIDDEN_CONSTRUCT');
  }
});
