import pg from 'pg';
import sqlite from 'node-sqlite3-wasm';
import type { Catalog, SqlDialect } from '@gatehouse/contract';
import { startPostgres, type DatabaseServer } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgres } from './compiler/localEngines.js';
import type { SqlEngine } from './logic/restriction.js';
import { indexCatalog } from './logic/catalogIndex.js';
import { caseKey, isSameName } from './logic/names.js';
import { ParserThread } from '../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './polyglot/dialectEngine.js';
import { disguisesOf, groupBy, IS_FULL, lettersToTry, spellingsOf } from '../testing/letterVariants.js';

const TIMEOUT_MS = IS_FULL ? 3_600_000 : 120_000;

const letters = lettersToTry();
/** The letters in the names of tables: both of a pair that differs in case. */
const tableLetters = [...groupBy(letters, caseKey).values()].filter((group) => group.length > 1).flat();
const columns = [{ name: 'v', type: '' }];

const catalogOf = (schema: string, names: readonly string[]): Catalog => ({
  defaultSchema: schema,
  schemas: [{ name: schema, tables: names.map((name) => ({ name, kind: 'table' as const, columns })) }],
});
const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Restricts a statement on an ungoverned connection. */
async function restrict(engine: SqlEngine, dialect: SqlDialect, of: { sql: string; catalog: Catalog }) {
  const { inlineSql, reasons } = await engine.restrict({
    dialect,
    ...of,
    entities: [],
    pinnedSchema: null,
    allowedSchemas: null,
    isGoverned: false,
    rules: [],
    rowBarrier: false,
  });
  return { sql: inlineSql, code: reasons[0]?.code };
}

describe('names on SQLite', () => {
  const parser = new ParserThread();
  const engine = new PolyglotEngine(parser);
  const database = new sqlite.Database();
  let catalog: Catalog;

  beforeAll(() => {
    database.exec('BEGIN');
    for (const letter of ['orders', ...tableLetters]) {
      const name = `t_${letter}`;
      database.exec(
        `CREATE TABLE IF NOT EXISTS ${quote(name)} AS SELECT '${name.replaceAll("'", "''")}' AS v`,
      );
    }
    database.exec('COMMIT');
    const names = database.all("SELECT name FROM sqlite_schema WHERE type = 'table'") as { name: string }[];
    catalog = catalogOf(
      'main',
      names.map(({ name }) => name),
    );
  });
  afterAll(async () => {
    database.close();
    await parser.close();
  });

  function contentOf(sql: string): string | null {
    try {
      return String((database.get(sql) as { v: unknown } | null)?.v);
    } catch {
      return null;
    }
  }

  test('every letter in the name of a table', { timeout: TIMEOUT_MS }, () => {
    const names = [...letters.map((letter) => `t_${letter}`), ...disguisesOf('t_orders')];
    const index = indexCatalog(catalog, 'sqlite');
    const wrong = names.flatMap((table) => {
      const own = index.resolve({ database: null, schema: null, table }, null).table;
      const ours = own ? contentOf(`SELECT v FROM main.${quote(own.name)}`) : null;
      const server = contentOf(`SELECT v FROM ${quote(table)}`);
      return ours === server ? [] : [{ table, ours, server }];
    });
    expect(wrong).toEqual([]);
  });

  test('a common table and an alias resolve as on the server', { timeout: TIMEOUT_MS }, async () => {
    for (const letter of ['I', 'i', 'İ', 'ı', 'K', 'k', '\u212a', 'å', 'Å', 'é', 'É']) {
      const [plain, other] = [`t_${caseKey(letter)}`, `t_${letter}`].map(quote);
      const statements = [
        `WITH ${plain} AS (SELECT 'common' AS v) SELECT v FROM ${other}`,
        `WITH ${other} AS (SELECT 'common' AS v) SELECT v FROM ${plain}`,
        `SELECT ${other}.v FROM t_orders AS ${plain}`,
      ];
      for (const sql of statements) {
        const restricted = await restrict(engine, 'sqlite', { sql, catalog });
        const [wanted, ours] = [contentOf(sql), restricted.sql === null ? null : contentOf(restricted.sql)];
        expect({ sql, rows: ours ?? wanted }).toEqual({ sql, rows: wanted });
      }
    }
  });

  test(
    "every table of the server's own, in every spelling",
    { timeout: TIMEOUT_MS },
    async ({ annotate }) => {
      const modules = database.all('SELECT name FROM pragma_module_list') as { name: string }[];
      const pragmas = database.all('SELECT name FROM pragma_pragma_list') as { name: string }[];
      const own = [
        'sqlite_schema',
        'sqlite_master',
        'sqlite_temp_schema',
        'sqlite_temp_master',
        'sqlite_sequence',
      ];
      const names = [
        ...own,
        ...modules.map(({ name }) => name),
        ...pragmas.map(({ name }) => `pragma_${name}`),
      ];
      const spelled = own.slice(0, 2).flatMap((name) => [...spellingsOf(name), ...disguisesOf(name)]);
      let read = 0;
      const passed: string[] = [];
      for (const name of [...names, ...spelled]) {
        for (const path of [quote(name), `main.${quote(name)}`, `temp.${quote(name)}`]) {
          const sql = `SELECT 1 AS v FROM ${path}`;
          if (contentOf(sql) === null) continue;
          read += 1;
          if ((await restrict(engine, 'sqlite', { sql, catalog })).code !== 'SYSTEM_CATALOG')
            passed.push(path);
        }
      }
      await annotate(
        `${names.length} names, ${spelled.length} spellings, ${read} of them read by the server`,
      );
      expect(passed).toEqual([]);
      expect(read).toBeGreaterThan(20);
    },
  );
});

describe('names on PostgreSQL', () => {
  let server: DatabaseServer;
  let client: pg.Client;
  let engine: SqlEngine;
  let catalog: Catalog;

  beforeAll(async () => {
    [server, engine] = await Promise.all([startPostgres(), createPostgres()]);
    const { port, user, password } = server;
    client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'postgres' });
    await client.connect();
    // The rows of a statement; null if the server rejects it.
    await client.query(
      `CREATE FUNCTION content_of(sql text) RETURNS text LANGUAGE plpgsql AS
       'DECLARE content text; BEGIN EXECUTE sql INTO content; RETURN coalesce(content, '''');
        EXCEPTION WHEN OTHERS THEN RETURN NULL; END'`,
    );
    const long = ['a'.repeat(63), `${'b'.repeat(62)}é`, `${'c'.repeat(61)}é`];
    for (const name of [...['orders', ...tableLetters].map((letter) => `t_${letter}`), ...long]) {
      const content = client.escapeLiteral(name);
      await client.query(`CREATE TABLE IF NOT EXISTS ${quote(name)} AS SELECT ${content}::text AS v`);
    }
    const { rows } = await client.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
    );
    catalog = catalogOf(
      'public',
      rows.map(({ name }) => name),
    );
  }, TIMEOUT_MS);
  afterAll(async () => {
    await client.end();
    await server[Symbol.asyncDispose]();
  });

  async function contentsOf(statements: readonly (string | null)[]): Promise<(string | null)[]> {
    const { rows } = await client.query<{ content: string | null }>(
      'SELECT content_of(sql) AS content FROM unnest($1::text[]) WITH ORDINALITY AS u (sql, n) ORDER BY n',
      [statements],
    );
    return rows.map(({ content }) => content);
  }

  /**
   * Statements whose restricted form reads other rows, and the number of statements that read rows in both
   * forms.
   */
  async function compare(statements: readonly string[]) {
    const restricted: (string | null)[] = [];
    for (const sql of statements) restricted.push((await restrict(engine, 'postgres', { sql, catalog })).sql);
    const [wanted, ours] = [await contentsOf(statements), await contentsOf(restricted)];
    const wrong = statements.filter((_, at) => ours[at] !== null && ours[at] !== wanted[at]);
    return { wrong, read: ours.filter((content) => content !== null).length };
  }

  test('every letter in the name of a table', { timeout: TIMEOUT_MS }, async ({ annotate }) => {
    const long = ['a', 'b', 'c'].flatMap((letter) =>
      [60, 61, 62, 63, 64, 70].flatMap((count) =>
        ['', 'é', '表', 'x'].map((end) => letter.repeat(count) + end),
      ),
    );
    const own = [...letters.map((letter) => `t_${letter}`), ...long];
    const names = [...own, ...[...own, ...disguisesOf('t_orders')].map(quote)];
    const { wrong, read } = await compare(names.map((name) => `SELECT v FROM ${name}`));
    await annotate(`${names.length} names, ${read} of them of tables`);
    expect(wrong).toEqual([]);
    expect(read).toBeGreaterThan(tableLetters.length);
  });

  test('a policy covers the table that the server creates for a long or quoted name', async () => {
    const names = ['a', 'É', '表', '\u{1F600}'].flatMap((letter) =>
      [61, 62, 63, 64, 70].map((bytes) => `T${letter.repeat(Math.ceil(bytes / Buffer.byteLength(letter)))}`),
    );
    const withQuotes = ['a"b', 'a""b', '"', '""'];
    for (const name of [...names, ...[...names, ...withQuotes].map(quote)]) {
      await client.query(`CREATE TEMPORARY TABLE ${name} ()`);
      const { rows } = await client.query<{ created: string }>(
        'SELECT relname AS created FROM pg_class WHERE relnamespace = pg_my_temp_schema()',
      );
      const [{ created } = { created: '' }] = rows;
      expect({ name, created, isCovered: isSameName(name, created, 'postgres') }).toMatchObject({
        isCovered: true,
      });
      await client.query(`DROP TABLE ${name}`);
    }
  });

  test('a common table and an alias resolve as on the server', { timeout: TIMEOUT_MS }, async () => {
    const statements = ['I', 'i', 'İ', 'ı', 'K', '\u212a', 'Å', 'å', 'É', 'a'.repeat(62)].flatMap(
      (letter) => {
        const [plain, other, quoted] = [`t_${caseKey(letter)}`, `t_${letter}`, quote(`t_${letter}`)];
        return [
          `WITH ${plain} AS (SELECT 'common' AS v) SELECT v FROM ${other}`,
          `WITH ${plain} AS (SELECT 'common' AS v) SELECT v FROM ${quoted}`,
          `WITH ${quoted} AS (SELECT 'common' AS v) SELECT v FROM ${plain}`,
          `SELECT ${other}.v FROM t_orders AS ${quoted}`,
        ];
      },
    );
    const { wrong, read } = await compare(statements);
    expect(wrong).toEqual([]);
    expect(read).toBeGreaterThan(statements.length / 3);
  });

  test("every relation of the server's own", { timeout: TIMEOUT_MS }, async ({ annotate }) => {
    const { rows } = await client.query<{ schema: string; name: string }>(
      `SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname <> 'public'`,
    );
    const relations = rows.flatMap(({ schema, name }) => [`${quote(schema)}.${quote(name)}`, quote(name)]);
    const spelled = ['pg_catalog', 'information_schema']
      .flatMap((schema) => [...spellingsOf(schema), ...disguisesOf(schema)])
      .flatMap((name) => [`${quote(name)}.pg_class`, `${name}.pg_class`, `${name}.tables`]);
    const statements = [...relations, ...spelled].map((path) => `SELECT count(*) AS v FROM ${path}`);
    const contents = await contentsOf(statements);
    const readable = statements.filter((_, at) => contents[at] !== null);
    const passed: string[] = [];
    for (const sql of readable) {
      if ((await restrict(engine, 'postgres', { sql, catalog })).code === undefined) passed.push(sql);
    }
    await annotate(`${statements.length} paths, ${readable.length} of them read by the server`);
    expect(passed).toEqual([]);
    expect(readable.length).toBeGreaterThan(200);
  });
});
