import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { introspectDatabase } from './introspectDatabase.js';
import type { IntrospectionOutcome } from './logic/outcome.js';

const run = promisify(execFile);

const NO_SUCH_FILE = {
  ok: false,
  reason: 'notAllowed',
  message: 'The folder o_1 in SQLITE_DIR has no such file.',
};

let root: string;
/** The value of SQLITE_DIR. */
let allowed: string;
/** The folder of the organization in it. */
let folder: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatehouse-sqlite-test-'));
  allowed = join(root, 'allowed');
  folder = join(allowed, 'o_1');
  await mkdir(join(folder, 'below'), { recursive: true });
  write(join(root, 'outside.db'), 'CREATE TABLE secret (a INT)');
});

afterAll(() => rm(root, { recursive: true }));

function write(path: string, sql: string): void {
  const database = new sqlite.Database(path);
  database.exec(sql);
  database.close();
}

function read(file: string, sqliteDir = allowed, timeoutMs = 20_000): Promise<IntrospectionOutcome> {
  const limits = { organizationId: 'o_1', timeoutMs, allowedHosts: '', sqliteDir };
  return introspectDatabase({ type: 'sqlite', config: { file } }, limits);
}

describe('introspectDatabase, on a SQLite file', () => {
  it('reads tables and views with exact names, declared types and generated columns', async () => {
    write(
      join(folder, 'below', 'shop.db'),
      `CREATE TABLE orders (id INTEGER PRIMARY KEY, amount DECIMAL(10, 2), free, doubled INT AS (id * 2), twice INT AS (id * 2) STORED);
       CREATE TABLE "Größe ""ß"" 表" ("Mixed Case" TEXT, [数量] INT) STRICT;
       CREATE TABLE keyed (a TEXT PRIMARY KEY) WITHOUT ROWID;
       CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE sqlitefan (a INT);
       CREATE INDEX by_amount ON orders (amount);
       CREATE VIEW totals AS SELECT sum(amount) AS total, amount FROM orders;
       CREATE TABLE gone (a INT); CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone;
       CREATE VIRTUAL TABLE search USING fts5(words);`,
    );
    expect(await read('below/shop.db')).toEqual({
      ok: true,
      catalog: {
        defaultSchema: 'main',
        schemas: [
          {
            name: 'main',
            tables: [
              {
                name: 'Größe "ß" 表',
                kind: 'table',
                columns: [
                  { name: 'Mixed Case', type: 'TEXT' },
                  { name: '数量', type: 'INT' },
                ],
              },
              { name: 'keyed', kind: 'table', columns: [{ name: 'a', type: 'TEXT' }] },
              { name: 'numbered', kind: 'table', columns: [{ name: 'id', type: 'INTEGER' }] },
              {
                name: 'orders',
                kind: 'table',
                columns: [
                  { name: 'id', type: 'INTEGER' },
                  { name: 'amount', type: 'DECIMAL(10, 2)' },
                  { name: 'free', type: '' },
                  { name: 'doubled', type: 'INT' },
                  { name: 'twice', type: 'INT' },
                ],
              },
              { name: 'search', kind: 'table', columns: [{ name: 'words', type: '' }] },
              { name: 'sqlitefan', kind: 'table', columns: [{ name: 'a', type: 'INT' }] },
              {
                name: 'totals',
                kind: 'view',
                columns: [
                  { name: 'total', type: '' },
                  { name: 'amount', type: 'DECIMAL(10, 2)' },
                ],
              },
            ],
          },
        ],
      },
    });
  });

  it('leaves out the shadow tables of virtual tables, also of unknown modules', async () => {
    const path = join(folder, 'virtual.db');
    write(
      path,
      `CREATE VIRTUAL TABLE orders USING fts5(secret); CREATE VIRTUAL TABLE places USING fts5(at);
       CREATE TABLE Vectors_chunks (a INT); CREATE TABLE vectors (a INT); CREATE TABLE vectorsfan (a INT);
       PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE vectors USING vec0(a)', rootpage = 0 WHERE name = 'vectors';`,
    );
    const outcome = await read('virtual.db');
    const tables = outcome.ok && 'schemas' in outcome.catalog ? outcome.catalog.schemas[0]?.tables : [];
    expect(tables?.map(({ name }) => name)).toEqual(['orders', 'places', 'vectorsfan']);
  });

  it.each([
    ['refers to itself', 'CREATE VIEW v AS SELECT * FROM w; CREATE VIEW w AS SELECT * FROM v'],
    ['has a column that is ambiguous since a table changed', 'CREATE VIEW v AS SELECT b FROM t, u'],
    ['calls a function with too few values', 'CREATE VIEW v AS SELECT substr() AS x FROM t'],
    ['joins tables by a column that they lack', 'CREATE VIEW v AS SELECT * FROM t JOIN u USING (c)'],
    ['combines queries of different widths', 'CREATE VIEW v AS SELECT a FROM t UNION SELECT a, b FROM t'],
    ['reads two columns as one value', 'CREATE VIEW v AS SELECT (SELECT a, b FROM t) AS x'],
    ['aggregates where rows are chosen', 'CREATE VIEW v AS SELECT sum(a) FROM t WHERE sum(a) > 1'],
    ['sorts by a collation that does not exist', 'CREATE VIEW v AS SELECT a FROM t ORDER BY a COLLATE none'],
    [
      'reads a view that cannot be queried',
      'CREATE VIEW v AS SELECT a FROM w; CREATE VIEW w AS SELECT a FROM t WHERE (a, b) IN t AND a IN t',
    ],
  ])('leaves out a view that %s, and reads the other tables', async (_what, view) => {
    const path = join(folder, 'views.db');
    write(path, `CREATE TABLE t (a INT, b INT); CREATE TABLE u (b INT); CREATE TABLE z (c INT); ${view}`);
    const outcome = await read('views.db');
    await rm(path);
    const tables = outcome.ok && 'schemas' in outcome.catalog ? outcome.catalog.schemas[0]?.tables : [];
    expect(tables?.map(({ name }) => name)).toEqual(['t', 'u', 'z']);
  });

  it('writes nothing into the file or beside it, and leaves no temporary files', async () => {
    const quiet = join(root, 'quiet', 'o_1');
    await mkdir(quiet, { recursive: true });
    write(join(quiet, 'a.db'), 'CREATE TABLE t (a INT)');
    const digest = async () =>
      createHash('sha256')
        .update(await readFile(join(quiet, 'a.db')))
        .digest('hex');
    const before = await digest();
    expect(await read('a.db', join(root, 'quiet'))).toMatchObject({ ok: true });
    expect(await digest()).toBe(before);
    expect(await readdir(quiet)).toEqual(['a.db']);
  });

  it('reads a file that another process has locked the way this engine does', async () => {
    write(join(folder, 'locked.db'), 'CREATE TABLE t (a INT)');
    await mkdir(join(folder, 'locked.db.lock'));
    expect(await read('locked.db')).toMatchObject({ ok: true });
  });

  it('reads a file in write-ahead mode with its log', async () => {
    const writer = new sqlite.Database(join(root, 'wal.db'));
    writer.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
    writer.exec('CREATE TABLE merged (a INT); PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE pending (b INT)');
    await copyFile(join(root, 'wal.db'), join(folder, 'wal.db'));
    await copyFile(join(root, 'wal.db-wal'), join(root, 'kept-wal'));
    writer.close();
    expect(await read('wal.db')).toMatchObject({ catalog: { schemas: [{ tables: [{ name: 'merged' }] }] } });
    await copyFile(join(root, 'kept-wal'), join(folder, 'wal.db-wal'));
    expect(await read('wal.db')).toMatchObject({
      catalog: { schemas: [{ tables: [{ name: 'merged' }, { name: 'pending' }] }] },
    });
  });

  it('rejects a file whose journal holds an unfinished change', async () => {
    write(join(folder, 'busy.db'), 'CREATE TABLE t (a INT)');
    await writeFile(join(folder, 'busy.db-journal'), 'pages');
    expect(await read('busy.db')).toMatchObject({ ok: false, reason: 'unreadable' });
  });

  it('reads 2,000 tables', async () => {
    const tables = Array.from(
      { length: 2000 },
      (_, i) => `CREATE TABLE t${i} (a INT, b TEXT, c, d, e, f, g, h);`,
    );
    write(join(folder, 'wide.db'), `BEGIN; ${tables.join('')} COMMIT`);
    const outcome = await read('wide.db');
    if (!outcome.ok || !('schemas' in outcome.catalog)) throw new Error('There is no catalog');
    expect(outcome.catalog.schemas[0]?.tables).toHaveLength(2000);
  });

  it.each([
    ['columns', 101, 'c', '200000 columns'],
    ['text', 22, 'c'.repeat(190), '8 MiB of names and types'],
  ])('reports a file with more %s than a catalog may have', async (what, tableCount, prefix, limit) => {
    const columns = Array.from({ length: 2000 }, (_, i) => `${prefix}${i}`).join();
    const tables = Array.from({ length: tableCount }, (_, i) => `CREATE TABLE t${i} (${columns});`);
    write(join(folder, `${what}.db`), `BEGIN; ${tables.join('')} COMMIT`);
    const message = `The database holds more than ${limit}.`;
    expect(await read(`${what}.db`)).toMatchObject({ ok: false, reason: 'tooLarge', message });
  });

  it('ends the read of a file whose views never finish', async () => {
    const views = Array.from(
      { length: 40 },
      (_, i) => `CREATE VIEW v${i + 1} AS SELECT a.x FROM v${i} a, v${i} b;`,
    );
    write(join(folder, 'endless.db'), `CREATE VIEW v0 AS SELECT 1 AS x; ${views.join('')}`);
    expect(await read('endless.db', allowed, 1000)).toMatchObject({ ok: false, reason: 'timeout' });
  });

  it('reports a name that a catalog cannot represent', async () => {
    write(join(folder, 'nameless.db'), 'CREATE TABLE t ("" INT)');
    expect(await read('nameless.db')).toMatchObject({ ok: false, reason: 'unreadable' });
  });

  it.each([
    ['garbage', Buffer.alloc(8192, 7)],
    ['text', Buffer.from('no database')],
    ['a header alone', Buffer.from('SQLite format 3\0')],
  ])('rejects %s', async (_what, content) => {
    await writeFile(join(folder, 'garbage.db'), content);
    expect(await read('garbage.db')).toMatchObject({ ok: false, reason: 'unreadable' });
  });

  it('rejects a file with damaged pages', async () => {
    write(join(folder, 'damaged.db'), 'CREATE TABLE t (a INT)');
    const content = await readFile(join(folder, 'damaged.db'));
    content.fill(0xff, 100);
    await writeFile(join(folder, 'damaged.db'), content);
    expect(await read('damaged.db')).toMatchObject({ ok: false, reason: 'unreadable' });
  });
});

describe('introspectDatabase, for a file that is not allowed', () => {
  beforeAll(async () => {
    write(join(folder, 'good.db'), 'CREATE TABLE t (a INT)');
    await symlink(join(root, 'outside.db'), join(folder, 'link.db'));
    await symlink(root, join(folder, 'linked'));
    await symlink(join(folder, 'good.db'), join(folder, 'inner.db'));
    await link(join(folder, 'good.db'), join(folder, 'hard.db'));
    await run('mkfifo', [join(folder, 'pipe')]);
    await symlink('/dev/zero', join(folder, 'zero'));
  });

  it.each([
    ['../outside.db'],
    ['below/../../outside.db'],
    ['below/../good.db'],
    ['..'],
    ['.'],
    ['below'],
    ['/etc/passwd'],
    ['link.db'],
    ['linked/outside.db'],
    ['pipe'],
    ['zero'],
    ['file:good.db'],
    ['file:good.db?mode=rw'],
    ['good.db\0.txt'],
    ['good.db\0'],
    ['..\\outside.db'],
    [':memory:'],
    ['missing.db'],
    ['good.db/'],
    ['good.db/below'],
    ['x'.repeat(1000)],
  ])('rejects %j like a missing file', async (file) => {
    expect(await read(file)).toMatchObject(NO_SUCH_FILE);
  });

  it('rejects an absolute path into the folder', async () => {
    expect(await read(join(folder, 'good.db'))).toMatchObject(NO_SUCH_FILE);
  });

  it('rejects a socket', async () => {
    const server = createServer().listen(join(folder, 'socket'));
    await once(server, 'listening');
    expect(await read('socket')).toMatchObject(NO_SUCH_FILE);
    server.close();
  });

  it.each(['inner.db', 'hard.db', './good.db'])('reads %s, which is inside the folder', async (file) => {
    expect(await read(file)).toMatchObject({ ok: true });
  });

  it('reads nothing from a folder whose name starts with that of the organization', async () => {
    await mkdir(`${folder}-2`);
    write(join(`${folder}-2`, 'a.db'), 'CREATE TABLE t (a INT)');
    await symlink(join(`${folder}-2`, 'a.db'), join(folder, 'sibling.db'));
    expect(await read('sibling.db')).toMatchObject(NO_SUCH_FILE);
  });

  it('reads no file of another organization, in any spelling, and none beside the folders', async () => {
    const other = join(allowed, 'o_2');
    await mkdir(other);
    write(join(other, 'secret.db'), 'CREATE TABLE secret (a INT)');
    write(join(allowed, 'common.db'), 'CREATE TABLE common (a INT)');
    await symlink(join(other, 'secret.db'), join(folder, 'stolen.db'));
    await symlink(other, join(folder, 'stolen'));
    await symlink('../o_2', join(folder, 'relative'));
    for (const file of [
      'common.db',
      'secret.db',
      'o_2/secret.db',
      '../o_2/secret.db',
      './../o_2/secret.db',
      'below/../../o_2/secret.db',
      join(other, 'secret.db'),
      'stolen.db',
      'stolen/secret.db',
      'relative/secret.db',
    ]) {
      expect([file, await read(file)]).toMatchObject([file, NO_SUCH_FILE]);
    }
    const limits = { organizationId: 'o_2', timeoutMs: 20_000, allowedHosts: '', sqliteDir: allowed };
    expect(await introspectDatabase({ type: 'sqlite', config: { file: 'secret.db' } }, limits)).toMatchObject(
      {
        ok: true,
      },
    );
  });

  it('reads nothing for an organization without a folder, or with a link in its place', async () => {
    await symlink(folder, join(allowed, 'o_link'));
    for (const organizationId of ['o_none', 'o_link', '..', '.', '', 'o_1/..', 'o_1/../o_1']) {
      const limits = { organizationId, timeoutMs: 20_000, allowedHosts: '', sqliteDir: allowed };
      const outcome = await introspectDatabase({ type: 'sqlite', config: { file: 'o_1/good.db' } }, limits);
      expect([organizationId, outcome]).toMatchObject([organizationId, { ok: false, reason: 'notAllowed' }]);
      const direct = await introspectDatabase({ type: 'sqlite', config: { file: 'good.db' } }, limits);
      expect([organizationId, direct]).toMatchObject([organizationId, { ok: false, reason: 'notAllowed' }]);
    }
  });

  it('accepts an SQLITE_DIR that is a link', async () => {
    await symlink(allowed, join(root, 'alias'));
    expect(await read('good.db', join(root, 'alias'))).toMatchObject({ ok: true });
  });

  it('reads nothing while SQLITE_DIR is unset or missing', async () => {
    const limits = { organizationId: 'o_1', timeoutMs: 20_000, allowedHosts: '', sqliteDir: undefined };
    expect(await introspectDatabase({ type: 'sqlite', config: { file: 'good.db' } }, limits)).toMatchObject({
      reason: 'notAllowed',
      message: expect.stringContaining('SQLITE_DIR'),
    });
    expect(await read('good.db', join(root, 'nowhere'))).toMatchObject(NO_SUCH_FILE);
  });
});
