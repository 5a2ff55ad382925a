import { startMariaDb, type DatabaseServer } from '@gatehouse/testing';
import type { Catalog } from '@gatehouse/contract';
import { spawnSync } from 'node:child_process';
import { createConnection, type Connection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { indexCatalog } from './logic/catalogIndex.js';
import { createColumnLookup, caseKey, widestKey } from './logic/names.js';
import { ParserThread } from '../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './polyglot/dialectEngine.js';
import {
  disguisesOf,
  groupBy,
  IS_FULL,
  lettersToTry,
  spellingsOf,
  variantsOf,
} from '../testing/letterVariants.js';

const isInstalled = ['mariadbd', '/usr/sbin/mariadbd'].some(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined,
);
const TIMEOUT_MS = IS_FULL ? 3_600_000 : 180_000;
/** Letters in the names of databases. */
const SCHEMA_LETTERS = ['i', 'k', 's', 'å', 'ω', 'ß'];
const SYSTEM_SCHEMAS = ['information_schema', 'mysql', 'performance_schema', 'sys'];

const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
const letters = lettersToTry();
const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

/** The resolution of a name on the server and here; null if it refers to nothing. */
interface Resolved {
  name: string;
  server: string | null;
  ours: string | null;
}

/** Names that resolve here but not on the server. */
const wrong = (all: readonly Resolved[]): Resolved[] =>
  all.filter(({ server, ours }) => ours !== null && ours !== server);
const found = (all: readonly Resolved[]): number => all.filter(({ ours }) => ours !== null).length;

describe.skipIf(!isInstalled).each([0, 1] as const)(
  `names on MariaDB with lower_case_table_names %s${isInstalled ? '' : ', skipped: none is installed'}`,
  (setting) => {
    let server: DatabaseServer;
    let connection: Connection;
    let catalog: Catalog & { schemas: unknown };

    beforeAll(async () => {
      server = await startMariaDb({ lowerCaseTableNames: setting });
      const { port, user, password } = server;
      connection = await createConnection({
        host: '127.0.0.1',
        port,
        user,
        password,
        charset: 'utf8mb4_bin',
      });
      const groups = groupBy(letters, caseKey);
      // On a case-sensitive server, both letters of a pair that differs in case have a table.
      const tables = [...groups.values()]
        .filter((group) => group.length > 1)
        .flatMap((group) => group.slice(0, 2));
      await connection.query('CREATE DATABASE shop');
      for (const letter of ['orders', ...tables]) await createTable('shop', `t_${letter}`);
      for (const letter of SCHEMA_LETTERS) {
        await connection.query(`CREATE DATABASE ${quote(`d_${letter}`)}`);
        await createTable(`d_${letter}`, 'x');
      }
      await connection.query('USE shop');
      catalog = await readCatalog();
    }, TIMEOUT_MS);
    afterAll(async () => {
      await connection.end();
      await server[Symbol.asyncDispose]();
    });

    /**
     * A table that contains the name that it was created with. Of two names that the server treats as equal,
     * the first one stays.
     */
    async function createTable(schema: string, name: string): Promise<void> {
      const path = `${quote(schema)}.${quote(name)}`;
      const values = `SELECT ${connection.escape(`${schema}.${name}`)} AS v`;
      await connection.query(`CREATE TABLE IF NOT EXISTS ${path} ENGINE = MEMORY ${values}`).catch(() => {});
    }

    async function readCatalog(): Promise<typeof catalog> {
      const [rows] = await connection.query(
        `SELECT table_schema AS s, table_name AS t FROM information_schema.tables
         WHERE table_schema = 'shop' OR table_schema LIKE 'd\\_%'`,
      );
      const columns = [{ name: 'v', type: '' }];
      const bySchema = groupBy(rows as { s: string; t: string }[], ({ s }) => s);
      const schemas = [...bySchema].map(([name, tables]) => ({
        name,
        tables: tables.map(({ t }) => ({ name: t, kind: 'table' as const, columns })),
      }));
      return { defaultSchema: 'shop', lowerCaseTableNames: setting, schemas };
    }

    /** The content of a table; null if the server rejects the statement. */
    async function contentOf(sql: string): Promise<string | null> {
      try {
        const [rows] = await connection.query({ sql, rowsAsArray: true });
        return String((rows as unknown[][])[0]?.[0]);
      } catch {
        return null;
      }
    }

    async function resolveAll(
      paths: readonly { schema: string | null; table: string }[],
      within = catalog,
    ): Promise<Resolved[]> {
      const index = indexCatalog(within, 'mysql');
      const resolved: Resolved[] = [];
      for (const { schema, table } of paths) {
        const own = index.resolve({ database: null, schema, table }, null).table;
        const path = [schema, table]
          .filter((part) => part !== null)
          .map(quote)
          .join('.');
        const ours = own ? await contentOf(`SELECT v FROM ${quote(own.schema)}.${quote(own.name)}`) : null;
        resolved.push({ name: path, server: await contentOf(`SELECT v FROM ${path}`), ours });
      }
      return resolved;
    }

    test('every letter in the name of a table', { timeout: TIMEOUT_MS }, async ({ annotate }) => {
      const names = [...letters.map((letter) => `t_${letter}`), 'T_ORDERS', ...disguisesOf('t_orders')];
      const paths = names.map((table) => ({ schema: null, table }));
      const resolved = await resolveAll(paths);
      expect(wrong(resolved)).toEqual([]);
      const onServer = resolved.filter((each) => each.server !== null).length;
      await annotate(`${resolved.length} names, ${onServer} tables on the server, ${found(resolved)} here`);
      expect(found(resolved)).toBeGreaterThan(onServer * 0.9);
      const { lowerCaseTableNames: _, ...unknown } = catalog as Extract<Catalog, { schemas: unknown }>;
      // If the setting is unknown, a name may refer to the only table of another case, and never to several.
      const guessed = await resolveAll(IS_FULL ? paths.slice(0, 5000) : paths, unknown);
      expect(wrong(guessed).filter((each) => each.server !== null)).toEqual([]);
      // A sound comparison must detect names that are folded although the server does not fold them.
      const folding = await resolveAll([{ schema: null, table: 'T_ORDERS' }], {
        ...catalog,
        lowerCaseTableNames: 1,
      });
      expect(wrong(folding)).toHaveLength(setting === 0 ? 1 : 0);
    });

    test('every letter in the name of a schema', { timeout: TIMEOUT_MS }, async () => {
      const schemas = SCHEMA_LETTERS.flatMap(variantsOf).map((letter) => `d_${letter}`);
      const paths = [...schemas, ...disguisesOf('shop')].map((schema) => ({ schema, table: 'x' }));
      const resolved = await resolveAll(paths);
      expect(wrong(resolved)).toEqual([]);
      expect(found(resolved)).toBeGreaterThanOrEqual(setting === 0 ? SCHEMA_LETTERS.length : 12);
    });

    test(
      'a rule on a column covers every name that the server matches with it',
      { timeout: TIMEOUT_MS },
      async () => {
        const keys = [...new Set(letters.map(caseKey))];
        const wide = [...groupBy(keys, widestKey).values()]
          .flatMap((group) => group.slice(0, 1))
          .slice(0, 800);
        const narrow = Array.from({ length: Math.ceil(keys.length / 20) }, (_, n) =>
          keys.slice(n * 20, n * 20 + 20),
        );
        const missed: [string, string][] = [];
        let count = 0;
        for (const [number, group] of [wide, ...narrow].entries()) {
          const columns = await createColumns(`columns_${number}`, group);
          const find = createColumnLookup(columns, 'mysql');
          const tried = number === 0 ? letters : letters.filter((letter) => group.includes(caseKey(letter)));
          for (const letter of tried) {
            const sql = `SELECT ${quote(`c_${letter}`)} FROM columns_${number} LIMIT 0`;
            const [, fields] = await connection.query(sql).catch(() => [[], []] as const);
            const actual = fields[0]?.orgName;
            if (actual === undefined) continue;
            count += 1;
            const actuals = find(`c_${letter}`).map((place) => columns[place]);
            if (!actuals.includes(actual)) missed.push([letter, actual]);
          }
        }
        expect(missed).toEqual([]);
        expect(count).toBeGreaterThan(letters.length / 2);
      },
    );

    /** Creates a table with the columns that the server accepts, and returns their names. */
    async function createColumns(table: string, keys: readonly string[]): Promise<string[]> {
      const make = (names: readonly string[]) => {
        const list = names.map((name) => `${quote(name)} INT`).join(', ');
        return connection.query(`CREATE TEMPORARY TABLE ${table} (${list})`);
      };
      const allowed: string[] = [];
      for (const key of keys) {
        const isName = await connection.query(`SELECT 1 AS ${quote(`c_${key}`)}`).then(
          () => key.trim() !== '',
          () => false,
        );
        if (isName) allowed.push(`c_${key}`);
      }
      await make(['c_', ...allowed]);
      return allowed;
    }

    /** Restricts a statement on an ungoverned connection, and runs the result. */
    async function runRestricted(sql: string): Promise<{ code: string | undefined; content: string | null }> {
      const { inlineSql, reasons } = await engine.restrict({
        dialect: 'mysql',
        sql,
        entities: [],
        catalog,
        pinnedSchema: null,
        allowedSchemas: null,
        isGoverned: false,
        rules: [],
        rowBarrier: false,
      });
      return { code: reasons[0]?.code, content: inlineSql === null ? null : await contentOf(inlineSql) };
    }

    test('a common table and an alias resolve as on the server', { timeout: TIMEOUT_MS }, async () => {
      for (const letter of ['i', 'I', 'k', 's', 'å'].flatMap(variantsOf)) {
        const [plain, other] = [caseKey(letter), quote(`t_${letter}`)];
        const statements = [
          `WITH ${quote(`t_${plain}`)} AS (SELECT 'common' AS v) SELECT v FROM ${other}`,
          `WITH ${other} AS (SELECT 'common' AS v) SELECT v FROM ${quote(`t_${plain}`)}`,
          `SELECT ${other}.v FROM t_orders AS ${quote(`t_${plain}`)}`,
        ];
        for (const sql of statements) {
          const [wanted, { content }] = [await contentOf(sql), await runRestricted(sql)];
          expect({ sql, content: content ?? wanted }).toEqual({ sql, content: wanted });
        }
      }
    });

    test(
      "every table of the server's own, in every spelling",
      { timeout: TIMEOUT_MS },
      async ({ annotate }) => {
        const own = SYSTEM_SCHEMAS.map((name) => `'${name}'`).join();
        const [rows] = await connection.query(
          `SELECT table_schema AS s, table_name AS t FROM information_schema.tables WHERE table_schema IN (${own})`,
        );
        const tables = (rows as { s: string; t: string }[]).map(({ s, t }) => `${quote(s)}.${quote(t)}`);
        const examples: [string, string][] = [
          ['information_schema', 'TABLES'],
          ['mysql', 'user'],
          ['sys', 'version'],
          ['performance_schema', 'threads'],
        ];
        const spelled = examples.flatMap(([schema, table]) =>
          [...spellingsOf(schema), ...disguisesOf(schema)].map((name) => `${quote(name)}.${quote(table)}`),
        );
        let read = 0;
        const passed: string[] = [];
        for (const path of [...tables, ...spelled]) {
          const sql = `SELECT 1 FROM ${path} LIMIT 0`;
          const isRead = (await contentOf(sql)) !== null;
          if (!isRead && !tables.includes(path)) continue;
          if (isRead) read += 1;
          if ((await runRestricted(sql)).code !== 'SYSTEM_CATALOG') passed.push(path);
        }
        await annotate(
          `${tables.length} tables, ${spelled.length} spellings, ${read} of them read by the server`,
        );
        expect(passed).toEqual([]);
        expect(read).toBeGreaterThan(tables.length * 0.9);
      },
    );
  },
);
