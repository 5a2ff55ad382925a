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
import { introspect, type IntrospectionOutcome } from './index.js';

const run = promisify(execFile);

const NO_SUCH_FILE = {
  ok: false,
  reason: 'notAllowed',
  message: 'The folder of SQLITE_DIR has no such file.',
};

let root: string;
let folder: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatehouse-sqlite-test-'));
  folder = join(root, 'allowed');
  await mkdir(join(folder, 'below'), { recursive: true });
  write(join(root, 'outside.db'), 'CREATE TABLE secret (a INT)');
});

afterAll(() => rm(root, { recursive: true }));

function write(path: string, sql: string): void {
  const database = new sqlite.Database(path);
  database.exec(sql);
  database.close();
}

function read(file: string, sqliteDir = folder, timeoutMs = 20_000): Promise<IntrospectionOutcome> {
  const limits = { organizationId: 'o_1', timeoutMs, allowedHosts: '', sqliteDir };
  return introspect({ type: 'sqlite', config: { file } }, limits);
}

describe('introspect, on a SQLite file', () => {
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

  it('writes nothing, neither into the file nor beside it, and leaves nothing behind', async () => {
    const quiet = join(root, 'quiet');
    await mkdir(quiet);
    write(join(quiet, 'a.db'), 'CREATE TABLE t (a INT)');
    const digest = async () =>
      createHash('sha256')
        .update(await readFile(join(quiet, 'a.db')))
        .digest('hex');
    const before = await digest();
    expect(await read('a.db', quiet)).toMatchObject({ ok: true });
    expect(await digest()).toBe(before);
    expect(await readdir(quiet)).toEqual(['a.db']);
  });

  it('reads a file although another process holds it locked in the manner of this engine', async () => {
    write(join(folder, 'locked.db'), 'CREATE TABLE t (a INT)');
    await mkdir(join(folder, 'locked.db.lock'));
    expect(await read('locked.db')).toMatchObject({ ok: true });
  });

  it('reads a file in write-ahead mode together with its log', async () => {
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

  it('does not read a file whose journal holds an unfinished change', async () => {
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
  ])('names a file with more %s than a catalog holds', async (what, tableCount, prefix, limit) => {
    const columns = Array.from({ length: 2000 }, (_, i) => `${prefix}${i}`).join();
    const tables = Array.from({ length: tableCount }, (_, i) => `CREATE TABLE t${i} (${columns});`);
    write(join(folder, `${what}.db`), `BEGIN; ${tables.join('')} COMMIT`);
    const message = `The database holds more than ${limit}.`;
    expect(await read(`${what}.db`)).toMatchObject({ ok: false, reason: 'tooLarge', message });
  });

  it('ends the reading of a file whose views take for ever', async () => {
    const views = Array.from(
      { length: 40 },
      (_, i) => `CREATE VIEW v${i + 1} AS SELECT a.x FROM v${i} a, v${i} b;`,
    );
    write(join(folder, 'endless.db'), `CREATE VIEW v0 AS SELECT 1 AS x; ${views.join('')}`);
    expect(await read('endless.db', folder, 1000)).toMatchObject({ ok: false, reason: 'timeout' });
  });

  it('names a file with a name that a catalog cannot hold', async () => {
    write(join(folder, 'nameless.db'), 'CREATE TABLE t ("" INT)');
    expect(await read('nameless.db')).toMatchObject({ ok: false, reason: 'unreadable' });
  });

  it.each([
    ['garbage', Buffer.alloc(8192, 7)],
    ['text', Buffer.from('no database')],
    ['a header alone', Buffer.from('SQLite format 3\0')],
  ])('does not read %s', async (_what, content) => {
    await writeFile(join(folder, 'garbage.db'), content);
    expect(await read('garbage.db')).toMatchObject({ ok: false, reason: 'unreadable' });
  });

  it('does not read a file whose pages were damaged', async () => {
    write(join(folder, 'damaged.db'), 'CREATE TABLE t (a INT)');
    const content = await readFile(join(folder, 'damaged.db'));
    content.fill(0xff, 100);
    await writeFile(join(folder, 'damaged.db'), content);
    expect(await read('damaged.db')).toMatchObject({ ok: false, reason: 'unreadable' });
  });
});

describe('introspect, asked for a file that it may not read', () => {
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
  ])('refuses %j, as it does a missing one', async (file) => {
    expect(await read(file)).toMatchObject(NO_SUCH_FILE);
  });

  it('refuses an absolute path into the folder', async () => {
    expect(await read(join(folder, 'good.db'))).toMatchObject(NO_SUCH_FILE);
  });

  it('refuses a socket', async () => {
    const server = createServer().listen(join(folder, 'socket'));
    await once(server, 'listening');
    expect(await read('socket')).toMatchObject(NO_SUCH_FILE);
    server.close();
  });

  it.each(['inner.db', 'hard.db', './good.db'])('reads %s, which stays inside', async (file) => {
    expect(await read(file)).toMatchObject({ ok: true });
  });

  it('reads nothing from a folder whose name begins as that of the allowed one does', async () => {
    await mkdir(`${folder}-2`);
    write(join(`${folder}-2`, 'a.db'), 'CREATE TABLE t (a INT)');
    await symlink(join(`${folder}-2`, 'a.db'), join(folder, 'sibling.db'));
    expect(await read('sibling.db')).toMatchObject(NO_SUCH_FILE);
  });

  it('takes a folder that is itself a link', async () => {
    await symlink(folder, join(root, 'alias'));
    expect(await read('good.db', join(root, 'alias'))).toMatchObject({ ok: true });
  });

  it('reads nothing while no folder is set, or a missing one', async () => {
    const limits = { organizationId: 'o_1', timeoutMs: 20_000, allowedHosts: '', sqliteDir: undefined };
    expect(await introspect({ type: 'sqlite', config: { file: 'good.db' } }, limits)).toMatchObject({
      reason: 'notAllowed',
      message: expect.stringContaining('SQLITE_DIR'),
    });
    expect(await read('good.db', join(root, 'nowhere'))).toMatchObject(NO_SUCH_FILE);
  });
});
