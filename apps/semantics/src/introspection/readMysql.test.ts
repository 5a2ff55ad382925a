import { startMariaDb, type DatabaseServer } from '@gatehouse/testing';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startDatabaseProxy, type ProxyFault } from '../testing/databaseProxy.js';
import { introspectDatabase } from './introspectDatabase.js';
import type { IntrospectionOutcome } from './logic/outcome.js';

const limits = { organizationId: 'o_1', timeoutMs: 20_000, allowedHosts: '127.0.0.1', sqliteDir: undefined };

const SCHEMA = `
  CREATE DATABASE shop CHARACTER SET utf8mb4; CREATE DATABASE SHOP; CREATE DATABASE \`Größe \`\`ß\`\` 表\` CHARACTER SET utf8mb4;
  CREATE USER reader IDENTIFIED BY 'reader-secret'; CREATE USER idle IDENTIFIED BY 'idle-secret';
  USE shop;
  CREATE TABLE orders (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, amount decimal(10, 2), label varchar(40),
    state enum('new', 'it''s'), placed datetime(3), doubled int AS (id * 2) VIRTUAL, \`Mixed Case\` json);
  CREATE TABLE Orders (a int);
  CREATE VIEW totals AS SELECT sum(amount) AS total FROM orders;
  CREATE TABLE versioned (a int) WITH SYSTEM VERSIONING;
  CREATE SEQUENCE numbers;
  CREATE TABLE forbidden (a int); CREATE TABLE partly (open int, closed int, offen text);
  CREATE TABLE long_type (a enum(${Array.from({ length: 60 }, (_, i) => `'value ${i}'`).join(', ')}));
  CREATE TABLE gone (a int); CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone;
  CREATE TABLE SHOP.in_capitals (a int);
  GRANT SELECT ON SHOP.* TO reader;
  GRANT SELECT ON orders TO reader; GRANT SELECT ON Orders TO reader; GRANT SELECT ON totals TO reader;
  GRANT SELECT ON versioned TO reader; GRANT SELECT ON numbers TO reader; GRANT SELECT ON long_type TO reader;
  GRANT SELECT ON broken TO reader; GRANT INSERT ON forbidden TO reader;
  GRANT SELECT (open, offen), UPDATE (closed) ON partly TO reader;
  USE \`Größe \`\`ß\`\` 表\`;
  CREATE TABLE \`Tab'le; --\` (\`spalte \`\`x\`\`\` int, \`数量\` int);
  GRANT SELECT ON \`Größe \`\`ß\`\` 表\`.* TO reader;`;

let server: DatabaseServer;
let admin: mysql.Connection;

beforeAll(async () => {
  server = await startMariaDb();
  const { port, user, password } = server;
  admin = await mysql.createConnection({ host: '127.0.0.1', port, user, password, multipleStatements: true });
  await admin.query(SCHEMA);
});

afterAll(async () => {
  await admin.end();
  await server[Symbol.asyncDispose]();
});

interface Change {
  host?: string;
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
  const resolve = () => Promise.resolve(['127.0.0.1']);
  const allowedHosts = `${limits.allowedHosts} db.example.com`;
  return introspectDatabase({ type: 'mysql', config }, { ...limits, allowedHosts, timeoutMs }, resolve);
}

function findSessions(): Promise<unknown> {
  return admin
    .query("SELECT 1 FROM information_schema.processlist WHERE user = 'reader'")
    .then(([rows]) => rows);
}

describe('introspectDatabase, on MariaDB', () => {
  it('reads what the user may select in one database, with exact names and printed types', async () => {
    const outcome = await read();
    expect(outcome).toEqual({
      ok: true,
      catalog: {
        defaultSchema: 'shop',
        lowerCaseTableNames: 0,
        schemas: [
          {
            name: 'shop',
            tables: [
              { name: 'Orders', kind: 'table', columns: [{ name: 'a', type: 'int(11)' }] },
              {
                name: 'long_type',
                kind: 'table',
                columns: [
                  { name: 'a', type: expect.stringMatching(/^enum.*…$/), collation: 'utf8mb4_general_ci' },
                ],
              },
              {
                name: 'orders',
                kind: 'table',
                columns: [
                  { name: 'id', type: 'bigint(20) unsigned' },
                  { name: 'amount', type: 'decimal(10,2)' },
                  { name: 'label', type: 'varchar(40)', collation: 'utf8mb4_general_ci' },
                  { name: 'state', type: "enum('new','it''s')", collation: 'utf8mb4_general_ci' },
                  { name: 'placed', type: 'datetime(3)' },
                  { name: 'doubled', type: 'int(11)' },
                  { name: 'Mixed Case', type: 'longtext' },
                ],
              },
              {
                name: 'partly',
                kind: 'table',
                columns: [
                  { name: 'open', type: 'int(11)' },
                  { name: 'offen', type: 'text', collation: 'utf8mb4_general_ci' },
                ],
                unreadableColumns: ['closed'],
              },
              { name: 'totals', kind: 'view', columns: [{ name: 'total', type: 'decimal(32,2)' }] },
              { name: 'versioned', kind: 'table', columns: [{ name: 'a', type: 'int(11)' }] },
            ],
          },
        ],
      },
    });
  });

  it('distinguishes databases whose names differ only in case', async () => {
    expect(await read({ database: 'SHOP' })).toEqual({
      ok: true,
      catalog: {
        defaultSchema: 'SHOP',
        lowerCaseTableNames: 0,
        schemas: [
          {
            name: 'SHOP',
            tables: [{ name: 'in_capitals', kind: 'table', columns: [{ name: 'a', type: 'int(11)' }] }],
          },
        ],
      },
    });
  });

  it('reads quoted names and names outside ASCII', async () => {
    expect(await read({ database: 'Größe `ß` 表' })).toMatchObject({
      catalog: {
        defaultSchema: 'Größe `ß` 表',
        schemas: [{ tables: [{ name: "Tab'le; --", columns: [{ name: 'spalte `x`' }, { name: '数量' }] }] }],
      },
    });
  });

  it('leaves out system tables', async () => {
    const outcome = await read({ database: 'information_schema' });
    expect(outcome).toMatchObject({ ok: true, catalog: { schemas: [{ tables: [] }] } });
  });

  it('leaves out the views that the server refuses to read', async () => {
    const many = Array.from({ length: 70 }, (_, index) => `v_${index}`);
    await admin.query(`
      CREATE DATABASE viewed; USE viewed; CREATE TABLE base (a int, b int);
      CREATE USER gone IDENTIFIED BY 'gone'; CREATE USER powerless IDENTIFIED BY 'powerless';
      GRANT ALL ON viewed.* TO gone; GRANT ALL ON viewed.* TO powerless;
      CREATE DEFINER = gone VIEW of_gone AS SELECT a FROM base;
      CREATE VIEW above AS SELECT a FROM of_gone;
      CREATE DEFINER = powerless VIEW of_powerless AS SELECT a FROM base;
      CREATE DEFINER = gone SQL SECURITY INVOKER VIEW of_invoker AS SELECT a FROM base;
      CREATE VIEW \`it's\\ \`\`here\` AS SELECT a, b FROM base; CREATE VIEW partly AS SELECT a, b FROM base;
      ${many.map((name) => `CREATE VIEW ${name} AS SELECT a FROM base;`).join('\n')}
      GRANT SELECT ON viewed.base TO reader; GRANT SELECT (b) ON viewed.partly TO reader;
      ${['of_gone', 'above', 'of_powerless', 'of_invoker', "`it's\\ ``here`", ...many]
        .map((name) => `GRANT SELECT ON viewed.${name} TO reader;`)
        .join('\n')}
      DROP USER gone; DROP USER powerless; CREATE USER powerless; USE shop`);
    const outcome = await read({ database: 'viewed' });
    const [schema] = outcome.ok && 'schemas' in outcome.catalog ? outcome.catalog.schemas : [];
    const names = schema?.tables.map(({ name }) => name);
    expect(names).toEqual(['base', "it's\\ `here", 'of_invoker', 'partly', ...many].toSorted());
    const reader = await mysql.createConnection({
      host: '127.0.0.1',
      port: server.port,
      user: 'reader',
      password: 'reader-secret',
      database: 'viewed',
    });
    for (const name of names ?? []) await reader.query(`SELECT 1 FROM ${reader.escapeId(name)}`);
    for (const name of ['of_gone', 'above', 'of_powerless'])
      await expect(reader.query(`SELECT 1 FROM ${name}`)).rejects.toThrow(/Access denied|lack rights/);
    await reader.end();
  });

  it('requests a read-only session and a time limit, and ends the session', async () => {
    await using proxy = await startDatabaseProxy(server.port);
    expect(await read({ port: proxy.port })).toMatchObject({ ok: true });
    expect(proxy.sent()).toContain('SET SESSION TRANSACTION READ ONLY');
    expect(proxy.sent()).toContain('START TRANSACTION READ ONLY');
    expect(proxy.sent()).toContain(`max_statement_time = ${limits.timeoutMs / 1000}`);
    await vi.waitFor(async () => expect(await findSessions()).toEqual([]), { timeout: 120_000 });
  });

  it('reads 2,000 tables', async () => {
    await admin.query(`CREATE DATABASE wide; GRANT SELECT ON wide.* TO reader; USE wide;
      BEGIN NOT ATOMIC FOR i IN 1..2000 DO
        EXECUTE IMMEDIATE CONCAT('CREATE TABLE t', i, '(a int, b varchar(9), c decimal(10,2), d date, e int, f int, g int, h int) ENGINE=MEMORY');
      END FOR; END`);
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
    [
      'a database without rights',
      { user: 'idle', password: 'idle-secret' },
      'The database refused the user.',
    ],
    [
      'an unknown database',
      { user: 'administrator', password: 'administrator', database: 'nowhere' },
      'The server has no database of this name.',
    ],
  ])('is refused with %s', async (_what, change, message) => {
    const outcome = await read(change);
    expect(outcome).toMatchObject({ ok: false, reason: 'refused', message });
    expect(JSON.stringify(outcome)).not.toContain('reader-secret');
  });

  it('reports the server as unreachable when it has too many sessions', async () => {
    await admin.query("CREATE USER crowded IDENTIFIED BY 'secret' WITH MAX_CONNECTIONS_PER_HOUR 1");
    await admin.query('GRANT SELECT ON shop.orders TO crowded');
    const user = { user: 'crowded', password: 'secret' };
    expect(await read(user)).toMatchObject({ ok: true });
    const message = 'The database takes no connections at present.';
    expect(await read(user)).toMatchObject({ ok: false, reason: 'unreachable', message });
  });

  it.each(['require', 'verify'] as const)(
    'does not fall back to plain text when TLS is set to %s',
    async (tls) => {
      await using proxy = await startDatabaseProxy(server.port);
      const message = 'The server offers no TLS, which the connection requires.';
      const outcome = await read({ host: 'db.example.com', port: proxy.port, tls });
      expect(outcome).toMatchObject({ ok: false, reason: 'untrusted', message });
      expect(proxy.sent()).toBe('');
    },
  );

  it('rejects the verification of a certificate for an address', async () => {
    expect(await read({ tls: 'verify' })).toMatchObject({
      reason: 'untrusted',
      message: 'A certificate is verified for a host name, not for an address.',
    });
  });

  it.each<[string, ProxyFault, string]>([
    ['cut before the session', { cutAfterBytes: 20 }, 'unreachable'],
    ['closed in the middle of the response', { cutAfterBytes: 600 }, 'unreachable'],
    ['too slow', { byteIntervalMs: 50 }, 'timeout'],
  ])('names a connection that is %s', async (_what, fault, reason) => {
    await using proxy = await startDatabaseProxy(server.port, fault);
    expect(await read({ port: proxy.port }, fault.byteIntervalMs ? 700 : undefined)).toMatchObject({
      ok: false,
      reason,
    });
  });
});
