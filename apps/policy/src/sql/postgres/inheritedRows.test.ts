import { startPostgres, type DatabaseServer } from '@gatehouse/testing';
import type { Catalog, CatalogTable, RlsMatcher } from '@gatehouse/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgres } from '../compiler/localEngines.js';
import type { Restriction, RestrictionRequest, SqlEngine } from '../logic/restriction.js';
import { ruleOf, shopRequest } from '../../testing/restrictions.js';

const SETUP = `
  CREATE SCHEMA acme; CREATE SCHEMA other;
  CREATE TABLE events (id int); CREATE TABLE acme.events () INHERITS (public.events);
  CREATE TABLE other.events (tenant_id text) INHERITS (public.events);
  CREATE TABLE acme.own (id int);
  CREATE TABLE parted (id int) PARTITION BY LIST (id);
  CREATE TABLE other.parted_one PARTITION OF parted FOR VALUES IN (1);
  CREATE TABLE acme.people (id int); CREATE TABLE things (id int);
  CREATE TABLE staff () INHERITS (acme.people, public.things);
  INSERT INTO acme.people VALUES (10); INSERT INTO things VALUES (20); INSERT INTO staff VALUES (30);
  INSERT INTO events VALUES (1); INSERT INTO acme.events VALUES (2); INSERT INTO other.events VALUES (3, 'b');
  INSERT INTO acme.own VALUES (4); INSERT INTO parted VALUES (1);`;

const columns = [{ name: 'id', type: 'integer' }];
const table = (name: string, more: Partial<CatalogTable> = {}): CatalogTable => ({
  name,
  kind: 'table',
  columns,
  ...more,
});
const part = { partOf: [{ schema: 'public', table: 'events' }] };
/** The result of introspection. The user may select nothing from `other.events`. */
const CATALOG: Catalog = {
  defaultSchema: 'public',
  schemas: [
    { name: 'acme', tables: [table('events', part), table('own'), table('people')] },
    {
      name: 'other',
      tables: [table('events', { ...part, columns: [] })],
    },
    {
      name: 'public',
      tables: [
        table('events'),
        table('parted'),
        table('things'),
        table('staff', {
          partOf: [
            { schema: 'acme', table: 'people' },
            { schema: 'public', table: 'things' },
          ],
        }),
      ],
    },
  ],
};

let server: DatabaseServer;
let client: pg.Client;
let engine: SqlEngine;
beforeAll(async () => {
  server = await startPostgres();
  const { port, user, password } = server;
  client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'postgres' });
  await client.connect();
  await client.query(SETUP);
  engine = await createPostgres();
});
afterAll(async () => {
  await client.end();
  await server[Symbol.asyncDispose]();
});

function restrict(of: Partial<RestrictionRequest>): Promise<Restriction> {
  return engine.restrict(shopRequest('SELECT id FROM events ORDER BY id', { catalog: CATALOG, ...of }));
}

async function readIds(of: Partial<RestrictionRequest>): Promise<unknown[]> {
  const { sql, parameters, reasons } = await restrict({ rules: [], ...of });
  if (sql === null) return reasons.map(({ code }) => code);
  const { rows } = await client.query<{ id: number }>(sql, parameters);
  return rows.map(({ id }) => id);
}

describe('a table that others inherit from', () => {
  test('showed the rows of an inheriting table in a schema that is not allowed', async () => {
    expect(await readIds({ allowedSchemas: null })).toEqual([1, 2, 3]);
    expect(await readIds({ allowedSchemas: ['public', 'acme'] })).toEqual(['SCHEMA_NOT_ALLOWED']);
    expect(await readIds({ allowedSchemas: ['public', 'acme', 'other'] })).toEqual([1, 2, 3]);
  });

  test('has no conditions without a statement either', async () => {
    const entities = [{ table: 'events' }];
    const allowedSchemas = ['public', 'acme'];
    const { status, reasons } = await restrict({ sql: null, entities, allowedSchemas, rules: [] });
    expect([status, reasons[0]?.code]).toEqual(['denied', 'SCHEMA_NOT_ALLOWED']);
  });

  test('leaves the inheriting tables, other tables and partitions readable', async () => {
    const allowedSchemas = ['public', 'acme'];
    expect(await readIds({ sql: 'SELECT id FROM acme.events', allowedSchemas })).toEqual([2]);
    expect(await readIds({ sql: 'SELECT id FROM acme.own', allowedSchemas })).toEqual([4]);
    // A partition has no rows of its own: it stores those of its table.
    expect(await readIds({ sql: 'SELECT id FROM parted', allowedSchemas })).toEqual([1]);
  });
});

describe('an inheriting table that the user may not read', () => {
  test.each<RlsMatcher>([
    { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
    { type: 'SCHEMA', schema: 'other' },
    { type: 'TABLE_LIST', tables: [{ schema: 'other', table: 'events' }] },
  ])('was read in the other table past a rule on it: %j', async (matcher) => {
    expect(await readIds({ rules: [ruleOf('false', {}, matcher)] })).toEqual(['UNKNOWN_TABLE']);
  });

  test('is restricted by a rule on the other', async () => {
    const matcher: RlsMatcher = { type: 'ALL_TABLES_WITH_COLUMN', column: 'id' };
    expect(await readIds({ rules: [ruleOf('id < 3', {}, matcher)] })).toEqual([1, 2]);
  });
});

describe('a table that inherits from two others', () => {
  test.each<RlsMatcher>([
    { type: 'SCHEMA', schema: 'acme' },
    { type: 'TABLE_LIST', tables: [{ table: 'people' }] },
  ])('was read in one of them past the rule on the other: %j', async (matcher) => {
    const rules = [ruleOf('id < 30', {}, matcher)];
    expect(await readIds({ rules, sql: 'SELECT id FROM staff' })).toEqual([]);
    expect(await readIds({ rules, sql: 'SELECT id FROM acme.people' })).toEqual([10]);
    expect(await readIds({ rules, sql: 'SELECT id FROM things' })).toEqual(['UNKNOWN_TABLE']);
  });

  test('is restricted in each of them by a rule on both', async () => {
    const rules = [ruleOf('id < 30', {}, { type: 'ALL_TABLES_WITH_COLUMN', column: 'id' })];
    expect(await readIds({ rules, sql: 'SELECT id FROM things' })).toEqual([20]);
    expect(await readIds({ rules: [], sql: 'SELECT id FROM things ORDER BY id' })).toEqual([20, 30]);
  });
});
