import { startPostgres, type DatabaseServer } from '@gatehouse/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startDatabaseProxy, type ProxyFault } from '../testing/databaseProxy.js';
import { introspectDatabase } from './introspectDatabase.js';
import type { IntrospectionOutcome } from './logic/outcome.js';

const limits = { organizationId: 'o_1', timeoutMs: 20_000, allowedHosts: '127.0.0.1', sqliteDir: undefined };

const SCHEMA = `
  CREATE ROLE reader LOGIN PASSWORD 'reader-secret';
  CREATE ROLE idle LOGIN PASSWORD 'idle-secret';
  CREATE SCHEMA sales; CREATE SCHEMA "Größe ""ß"" 表"; CREATE SCHEMA hidden; CREATE SCHEMA empty;
  CREATE SCHEMA "PG_not_the_server's";
  GRANT USAGE ON SCHEMA sales, "Größe ""ß"" 表", empty, "PG_not_the_server's" TO reader;

  CREATE TYPE sales.mood AS ENUM ('sad', 'glad');
  CREATE TABLE sales.orders (
    id bigint GENERATED ALWAYS AS IDENTITY, dropped int, amount numeric(10, 2), tags text[], placed timestamptz(3),
    label varchar(40), mood sales.mood, "Mixed Case" "char", doubled int GENERATED ALWAYS AS (1) STORED);
  ALTER TABLE sales.orders DROP COLUMN dropped;
  CREATE INDEX ON sales.orders (amount); CREATE SEQUENCE sales.numbers;
  CREATE VIEW sales.totals AS SELECT sum(amount) AS total FROM sales.orders;
  CREATE MATERIALIZED VIEW sales.monthly AS SELECT date_trunc('month', placed) AS month FROM sales.orders;
  CREATE TABLE sales.events (at date, body jsonb) PARTITION BY RANGE (at);
  CREATE TABLE sales.events_2026 PARTITION OF sales.events FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
  CREATE TABLE sales.without_columns ();
  CREATE TABLE sales.forbidden (a int);
  CREATE TABLE sales.partly (open int, closed int, "offen" text);
  CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER nowhere FOREIGN DATA WRAPPER nowhere;
  CREATE FOREIGN TABLE sales.remote (a int) SERVER nowhere;
  GRANT SELECT ON sales.orders, sales.totals, sales.monthly, sales.events, sales.events_2026, sales.without_columns,
    sales.remote TO reader;
  GRANT INSERT ON sales.forbidden TO reader;
  GRANT SELECT (open, "offen") ON sales.partly TO reader; GRANT UPDATE (closed) ON sales.partly TO reader;

  CREATE TABLE "Größe ""ß"" 表"."Tab'le; --" ("spalte ""x""" int, "数量" int);
  GRANT SELECT ON "Größe ""ß"" 表"."Tab'le; --" TO reader;
  CREATE TABLE "PG_not_the_server's".t (a int); GRANT SELECT ON "PG_not_the_server's".t TO reader;
  CREATE TABLE hidden.granted_in_vain (a int); GRANT SELECT ON hidden.granted_in_vain TO reader;
  ALTER ROLE reader SET search_path = missing, sales, public;`;

let server: DatabaseServer;
let admin: pg.Client;

beforeAll(async () => {
  server = await startPostgres();
  admin = await connectAdmin('postgres');
  await admin.query('CREATE DATABASE shop');
  await admin.query('CREATE DATABASE latin ENCODING LATIN1 TEMPLATE template0');
  await runIn('shop', SCHEMA);
});

afterAll(async () => {
  await admin.end();
  await server[Symbol.asyncDispose]();
});

async function connectAdmin(database: string): Promise<pg.Client> {
  const { port, user, password } = server;
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database });
  await client.connect();
  return client;
}

async function runIn(database: string, sql: string): Promise<void> {
  const client = await connectAdmin(database);
  await client.query(sql);
  await client.end();
}

function findSessions(): Promise<pg.QueryResult> {
  return admin.query("SELECT 1 FROM pg_stat_activity WHERE usename = 'reader'");
}

interface Change {
  port?: number;
  user?: string;
  password?: string | undefined;
  database?: string;
  tls?: 'disable' | 'require' | 'verify';
}

function read(change: Change = {}, timeoutMs = limits.timeoutMs): Promise<IntrospectionOutcome> {
  const config = {
    host: '127.0.0.1',
    port: server.port,
    database: 'shop',
    user: 'reader',
    password: 'reader-secret',
    tls: 'disable' as const,
    ...change,
  };
  return introspectDatabase({ type: 'postgres', config }, { ...limits, timeoutMs });
}

describe('introspectDatabase, on PostgreSQL', () => {
  it('reads what the role may select, with exact names and printed types', async () => {
    expect(await read()).toEqual({
      ok: true,
      catalog: {
        defaultSchema: 'sales',
        schemas: [
          {
            name: 'Größe "ß" 表',
            tables: [
              {
                name: "Tab'le; --",
                kind: 'table',
                columns: [
                  { name: 'spalte "x"', type: 'integer' },
                  { name: '数量', type: 'integer' },
                ],
              },
            ],
          },
          {
            name: "PG_not_the_server's",
            tables: [{ name: 't', kind: 'table', columns: [{ name: 'a', type: 'integer' }] }],
          },
          { name: 'empty', tables: [] },
          { name: 'public', tables: [] },
          {
            name: 'sales',
            tables: [
              {
                name: 'events',
                kind: 'table',
                columns: [
                  { name: 'at', type: 'date' },
                  { name: 'body', type: 'jsonb' },
                ],
              },
              {
                name: 'monthly',
                kind: 'materializedView',
                columns: [{ name: 'month', type: 'timestamp with time zone' }],
              },
              {
                name: 'orders',
                kind: 'table',
                columns: [
                  { name: 'id', type: 'bigint' },
                  { name: 'amount', type: 'numeric(10,2)' },
                  { name: 'tags', type: 'text[]' },
                  { name: 'placed', type: 'timestamp(3) with time zone' },
                  { name: 'label', type: 'character varying(40)' },
                  { name: 'mood', type: 'sales.mood' },
                  { name: 'Mixed Case', type: '"char"' },
                  { name: 'doubled', type: 'integer' },
                ],
              },
              {
                name: 'partly',
                kind: 'table',
                columns: [
                  { name: 'open', type: 'integer' },
                  { name: 'offen', type: 'text' },
                ],
                unreadableColumns: ['closed'],
              },
              { name: 'remote', kind: 'table', columns: [{ name: 'a', type: 'integer' }] },
              { name: 'totals', kind: 'view', columns: [{ name: 'total', type: 'numeric' }] },
              { name: 'without_columns', kind: 'table', columns: [] },
            ],
          },
        ],
      },
    });
  });

  it('lists the ancestors of an inheriting table', async () => {
    await runIn(
      'postgres',
      `CREATE SCHEMA base; CREATE TABLE base.top (a int); CREATE TABLE middle () INHERITS (base.top);
       CREATE TABLE other (b int); CREATE TABLE bottom () INHERITS (middle, other);
       CREATE TABLE parted (a int) PARTITION BY LIST (a);
       CREATE TABLE parted_one PARTITION OF parted FOR VALUES IN (1);
       GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;`,
    );
    const outcome = await read({ database: 'postgres' });
    const schemas = outcome.ok && 'schemas' in outcome.catalog ? outcome.catalog.schemas : [];
    const tables = schemas.flatMap((schema) => schema.tables);
    expect(tables.map(({ name, partOf }) => [name, partOf?.map((parent) => parent.table)])).toEqual([
      ['bottom', ['top', 'middle', 'other']],
      ['middle', ['top']],
      ['other', undefined],
      ['parted', undefined],
    ]);
  });

  it('lists an inheriting table that the role may not read, because the other shows its rows', async () => {
    await runIn(
      'postgres',
      `CREATE SCHEMA elsewhere; CREATE TABLE events (id int); GRANT SELECT ON events TO reader;
       CREATE TABLE elsewhere.events (tenant_id text) INHERITS (public.events);
       CREATE TABLE elsewhere.late () INHERITS (elsewhere.events); CREATE TABLE elsewhere.alone (a int);
       INSERT INTO elsewhere.late VALUES (1, 'of another tenant');`,
    );
    const outcome = await read({ database: 'postgres' });
    const schemas = outcome.ok && 'schemas' in outcome.catalog ? outcome.catalog.schemas : [];
    const events = { schema: 'public', table: 'events' };
    expect(schemas.find(({ name }) => name === 'elsewhere')?.tables).toEqual([
      { name: 'events', kind: 'table', columns: [], partOf: [events] },
      { name: 'late', kind: 'table', columns: [], partOf: [{ ...events, schema: 'elsewhere' }, events] },
    ]);
  });

  it('reads the names of a database in another encoding than UTF-8', async () => {
    await runIn('latin', 'CREATE TABLE public."Größe" (ähre int); GRANT SELECT ON public."Größe" TO reader');
    expect(await read({ database: 'latin' })).toMatchObject({
      catalog: { schemas: [{ tables: [{ name: 'Größe', columns: [{ name: 'ähre' }] }] }] },
    });
  });

  it('has no default schema for a role with an empty search path', async () => {
    await admin.query('ALTER ROLE idle SET search_path = nowhere');
    expect(await read({ user: 'idle', password: 'idle-secret' })).toMatchObject({
      ok: true,
      catalog: { defaultSchema: null, schemas: [{ name: 'public', tables: [] }] },
    });
  });

  it('requests a read-only session and a time limit, and ends the session', async () => {
    await using proxy = await startDatabaseProxy(server.port);
    expect(await read({ port: proxy.port })).toMatchObject({ ok: true });
    expect(proxy.sent()).toContain('default_transaction_read_only=on');
    expect(proxy.sent()).toContain(`statement_timeout=${limits.timeoutMs}`);
    expect(proxy.sent()).toMatch(/BEGIN [^\0]*READ ONLY/);
    await vi.waitFor(async () => expect((await findSessions()).rows).toEqual([]), { timeout: 120_000 });
  });

  it('reads 2,000 tables', async () => {
    await admin.query('CREATE DATABASE wide');
    await runIn(
      'wide',
      `DO $$ BEGIN FOR i IN 1..2000 LOOP
         EXECUTE format('CREATE TABLE public.t%s (a int, b text, c numeric(10,2), d date, e int, f int, g int, h int)', i);
       END LOOP; END $$;
       GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`,
    );
    const outcome = await read({ database: 'wide' }, 60_000);
    expect(outcome).toMatchObject({ ok: true });
    if (!outcome.ok || !('schemas' in outcome.catalog)) throw new Error('There is no catalog');
    expect(outcome.catalog.schemas[0]?.tables).toHaveLength(2000);
    expect(outcome.catalog.schemas[0]?.tables.every(({ columns }) => columns.length === 8)).toBe(true);
  });

  it.each<[string, Change, string]>([
    ['a wrong password', { password: 'wrong' }, 'The database refused the user or the password.'],
    ['no password', { password: undefined }, 'The database refused the user or the password.'],
    ['an unknown user', { user: 'nobody' }, 'The database refused the user or the password.'],
    ['an unknown database', { database: 'nowhere' }, 'The server has no database of this name.'],
  ])('is refused with %s', async (_what, change, message) => {
    const outcome = await read(change);
    expect(outcome).toMatchObject({ ok: false, reason: 'refused', message });
    expect(JSON.stringify(outcome)).not.toContain('reader-secret');
  });

  it('reports a refusal when the role may not connect', async () => {
    await admin.query('CREATE DATABASE closed');
    await admin.query('REVOKE CONNECT ON DATABASE closed FROM PUBLIC');
    const message = 'The database refused to be read.';
    expect(await read({ database: 'closed' })).toMatchObject({ ok: false, reason: 'refused', message });
  });

  it('reports the server as unreachable when it has too many sessions', async () => {
    await admin.query("CREATE ROLE crowded LOGIN PASSWORD 'secret' CONNECTION LIMIT 0");
    const message = 'The database takes no connections at present.';
    const outcome = await read({ user: 'crowded', password: 'secret' });
    expect(outcome).toMatchObject({ ok: false, reason: 'unreachable', message });
  });

  it.each(['require', 'verify'] as const)(
    'does not fall back to plain text when TLS is set to %s',
    async (tls) => {
      await using proxy = await startDatabaseProxy(server.port);
      const message = 'The server offers no TLS, which the connection requires.';
      expect(await read({ port: proxy.port, tls })).toMatchObject({
        ok: false,
        reason: 'untrusted',
        message,
      });
      expect(proxy.sent()).not.toContain('reader');
    },
  );

  it.each<[string, ProxyFault, string]>([
    ['cut before the session', { cutAfterBytes: 20 }, 'unreachable'],
    ['closed in the middle of the response', { cutAfterBytes: 1200 }, 'unreachable'],
    ['too slow', { byteIntervalMs: 50 }, 'timeout'],
  ])('names a connection that is %s', async (_what, fault, reason) => {
    await using proxy = await startDatabaseProxy(server.port, fault);
    expect(await read({ port: proxy.port }, fault.byteIntervalMs ? 700 : undefined)).toMatchObject({
      ok: false,
      reason,
    });
  });

  it('leaves no session behind when the catalog is locked', async () => {
    // Loads what the server looks up for this statement before the lock.
    await findSessions();
    const blocker = await connectAdmin('shop');
    await blocker.query('BEGIN; LOCK pg_catalog.pg_attribute IN ACCESS EXCLUSIVE MODE');
    try {
      expect(await read({}, 700)).toMatchObject({ ok: false, reason: 'timeout' });
      await vi.waitFor(async () => expect((await findSessions()).rows).toEqual([]), { timeout: 120_000 });
    } finally {
      await blocker.query('ROLLBACK');
      await blocker.end();
    }
  });
});
