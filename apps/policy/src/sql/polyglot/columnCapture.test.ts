import sqlite from 'node-sqlite3-wasm';
import { afterAll, expect, test } from 'vitest';
import { restrictShop, rule } from '../../testing/polyglot/shop.js';
import { ParserThread } from '../../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './dialectEngine.js';

const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

/**
 * The shop after `tenant_id` of its tables and `name` of its countries were renamed, so that the catalog is
 * stale.
 */
function openRenamedShop(): sqlite.Database {
  const database = new sqlite.Database();
  database.exec(`
    CREATE TABLE orders (id INT, tenant INT, region TEXT, secret TEXT);
    CREATE TABLE countries (id INT, title TEXT);
    INSERT INTO orders VALUES (1, 1, 'own', 'own'), (2, 2, 'foreign', 'foreign');
    INSERT INTO countries VALUES (1, 'one'), (2, 'two');`);
  return database;
}

const BY_TENANT = rule('tenant_id = {{ tenant }}', { tenant: 1 });
const BY_COUNTRY = rule("id IN (SELECT id FROM countries c WHERE c.name = 'one')");
const BY_BARE_COUNTRY = rule("EXISTS (SELECT 1 FROM countries WHERE name = 'one')");
const BY_DERIVED = rule("EXISTS (SELECT 1 FROM (SELECT name FROM countries) AS d WHERE name = 'one')");
const BY_CORRELATED = rule('EXISTS (SELECT 1 FROM countries WHERE countries.id = tenant_id)');

const SECRETS = '(select group_concat(secret) from orders)';

test.each([
  [`select ${SECRETS} from (select 1 as tenant_id) x`, BY_TENANT],
  [`select ${SECRETS} from (select 1 as tenant_id) as orders`, BY_TENANT],
  [`select ${SECRETS} from (select 1 as tenant_id) as main`, BY_TENANT],
  [`select (select ${SECRETS}) from (select 1 as tenant_id) as orders`, BY_TENANT],
  [`select ${SECRETS} from (select 1 as tenant_id) as orders`, BY_CORRELATED],
  [`select ${SECRETS} from (select 1 as tenant_id) as countries`, BY_CORRELATED],
  [`select ${SECRETS} from (select 'one' as name) as c`, BY_COUNTRY],
  [`select ${SECRETS} from (select 'one' as name) as countries`, BY_BARE_COUNTRY],
  [`select ${SECRETS} from (select 'one' as name) as x`, BY_BARE_COUNTRY],
  [`select ${SECRETS} from (select 'one' as name) as d`, BY_DERIVED],
  [`with x as (select 1 as tenant_id) select ${SECRETS} from x`, BY_TENANT],
  [
    `select 1 from (select 1 as tenant_id) x where exists ${SECRETS.replace('group_concat(secret)', '1')}`,
    BY_TENANT,
  ],
])('a renamed column of a rule is not captured by the query around it: %s', async (sql, own) => {
  const database = openRenamedShop();
  for (const rowBarrier of [false, true]) {
    const { inlineSql } = await restrictShop(engine, sql, { rules: [own], rowBarrier });
    expect(inlineSql).not.toBeNull();
    expect(() => database.all(inlineSql ?? '')).toThrow(/no such column/);
  }
  database.close();
});

test.each(['gatehouse_governed', 'GATEHOUSE_GOVERNED', 'gatehouse_rule_1', 'gatehouse_with_1'])(
  'a statement with the reserved alias %s is refused',
  async (name) => {
    const statements = [
      `select ${SECRETS} from (select 1 as tenant_id) as ${name}`,
      `select 1 from orders as ${name}`,
      `with ${name} as (select 1 as tenant_id) select ${SECRETS} from ${name}`,
      `select 1 from ${name}`,
    ];
    for (const sql of statements) {
      const { status, reasons } = await restrictShop(engine, sql);
      expect({ sql, status, code: reasons[0]?.code }).toMatchObject({ status: 'denied' });
    }
  },
);
