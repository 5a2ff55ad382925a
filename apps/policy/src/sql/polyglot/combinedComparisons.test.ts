import sqlite from 'node-sqlite3-wasm';
import { randomRuns, startMariaDb, type DatabaseServer } from '@gatehouse/testing';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createConnection, type Connection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Catalog, ParamValue } from '@gatehouse/contract';
import { Refusal } from '../logic/denials.js';
import { operandRows, operatorPairs, parenthesize } from '../../testing/polyglot/operatorPairs.js';
import { ParserThread } from '../../testing/polyglot/parserThread.js';
import { Random } from '../../testing/polyglot/random.js';
import { RuleWriter, STORED_TEXTS } from '../../testing/polyglot/randomRules.js';
import { restrictShop, rule } from '../../testing/polyglot/shop.js';
import { PolyglotEngine } from './dialectEngine.js';
import { checkRule } from './logic/checkRule.js';
import { printExpression } from './logic/print.js';
import { beginExpression, finishExpression } from './logic/readText.js';
import type { Expression } from './logic/tree.js';

const { env = {} } = import.meta as ImportMeta & { env?: Partial<Record<string, string>> };
const isFull = env['FUZZ_FULL'] === '1';
const SIGNS = isFull ? ['', 'NOT ', '- '] : [''];
const RULE_COUNT = randomRuns(1_500, 40_000);
const SEED = Number(env['FUZZ_SEED'] ?? 417_003);
const TIMEOUT_MS = isFull ? 3_600_000 : 120_000;

type Dialect = 'mysql' | 'sqlite';
/** The rows of a statement, as lists of values. */
type Read = (sql: string, values?: readonly unknown[]) => Promise<unknown[][]>;

const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

/** The tree of a rule; null if it is refused. */
async function treeOf(expression: string, dialect: Dialect): Promise<Expression | null> {
  try {
    const reading = beginExpression(`(${expression}) = 1`, dialect);
    const tree = finishExpression(reading, await parser.parse(reading.text, dialect));
    checkRule(tree, dialect);
    return tree.kind === 'chain' && tree.first.kind === 'parenthesized' ? tree.first.inner : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The pairs of operators whose tree is not that of the server, and the number of those that agree. */
async function compareTrees(
  dialect: Dialect,
  read: Read,
): Promise<{ agreeing: number; differing: string[] }> {
  const differing: string[] = [];
  let agreeing = 0;
  for (const expression of operatorPairs(dialect, SIGNS)) {
    const tree = await treeOf(expression, dialect);
    if (tree === null) continue;
    const select = (text: string) => read(`SELECT ${text} FROM t ORDER BY a, b, c`).catch(() => null);
    const written = await select(expression);
    if (written === null) continue;
    const understood = await select(printExpression(parenthesize(tree), dialect));
    if (JSON.stringify(written) === JSON.stringify(understood)) agreeing += 1;
    else differing.push(expression);
  }
  return { agreeing, differing };
}

const COLUMNS = [
  { name: 'n', type: 'integer' },
  { name: 'r', type: 'varchar(20)' },
];
const catalogOf = (schema: string): Catalog => {
  const tables = ['t', 'others'].map((name) => ({ name, kind: 'table' as const, columns: COLUMNS }));
  return { defaultSchema: schema, schemas: [{ name: schema, tables }] };
};

async function restrict(expression: string, values: Record<string, ParamValue>, dialect: Dialect) {
  return engine.restrict({
    dialect,
    sql: 'SELECT id FROM t ORDER BY id',
    entities: [],
    catalog: catalogOf(dialect === 'mysql' ? 'shop' : 'main'),
    isGoverned: true,
    pinnedSchema: null,
    allowedSchemas: null,
    rules: [rule(expression, values, { type: 'TABLE_LIST', tables: [{ table: 't' }] })],
    rowBarrier: false,
  });
}

/** Tables with the same rows, in a collation that treats different texts as equal, and in an exact one. */
function createTexts(collation: string, exact: string): string[] {
  const rows = STORED_TEXTS.flatMap((text) => [0, 1, 2, null].map((n) => [text, n] as const));
  const values = rows.map(([text, n], id) => `(${id}, ${text === null ? 'NULL' : `'${text}'`}, ${n})`);
  return ['t', 'others', 'exact_t', 'exact_others'].flatMap((name) => {
    const own = name.startsWith('exact') ? exact : collation;
    return [
      `CREATE TABLE ${name} (id INTEGER, r VARCHAR(20) COLLATE ${own}, n INTEGER)`,
      `INSERT INTO ${name} VALUES ${values.join(', ')}`,
    ];
  });
}

/** Compares the rows that random rules permit with those of the same rules in the exact tables. */
async function compareRules(dialect: Dialect, read: Read) {
  const writer = new RuleWriter(dialect, new Random(SEED));
  const tally = { compared: 0, withRows: 0, refused: 0, differences: [] as string[] };
  for (let count = 0; count < RULE_COUNT; count += 1) {
    const { expression, values, literal } = writer.rule();
    const { inlineSql, sql, parameters } = await restrict(expression, values, dialect);
    if (inlineSql === null || sql === null) {
      tally.refused += 1;
      continue;
    }
    const condition = literal.replaceAll('FROM others', 'FROM exact_others');
    const expected = await read(`SELECT id FROM exact_t AS t WHERE ${condition} ORDER BY id`);
    tally.compared += 1;
    if (expected.length > 0) tally.withRows += 1;
    for (const actual of [await read(inlineSql), await read(sql, parameters)]) {
      if (JSON.stringify(actual) === JSON.stringify(expected)) continue;
      tally.differences.push(
        `${literal} gave ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`,
      );
    }
  }
  return tally;
}

/** The codes of the refusal, or the ids of the permitted rows. */
async function outcomeOf(
  expression: string,
  values: Record<string, ParamValue>,
  on: { dialect: Dialect; read: Read },
): Promise<unknown[]> {
  const { inlineSql, sql, parameters, reasons } = await restrict(expression, values, on.dialect);
  if (inlineSql === null || sql === null) return reasons.map(({ code }) => code);
  const [inline, parameterized] = [await on.read(inlineSql), await on.read(sql, parameters)];
  expect(parameterized).toEqual(inline);
  return inline.flat();
}

test.each(['mysql', 'sqlite'] as const)(
  'the condition of %s is the expression of its rule',
  async (dialect) => {
    const expression = "NOT n = 1 AND NOT r = {{ x }} AND NOT (n = 2 OR NOT r <> 'b')";
    const { conditions } = await restrict(expression, { x: 'a' }, dialect);
    const printed = await engine.printExpression(conditions[0]?.expression ?? '', {}, dialect);
    const written = await engine.printExpression(expression, { x: 'a' }, dialect);
    expect(printed?.replaceAll(/[`"]t[`"]\./g, '')).toBe(written);
  },
);

describe('on SQLite', () => {
  const database = new sqlite.Database();
  afterAll(() => database.close());
  const read: Read = async (sql, values = []) =>
    database.all(sql, values as string[]).map((row) => Object.values(row));
  for (const statement of createTexts('NOCASE', 'BINARY')) database.exec(statement);

  test(
    'operators without parentheses mean what they mean to the server, or are refused',
    async () => {
      const pairs = new sqlite.Database();
      for (const statement of operandRows('sqlite')) pairs.exec(statement);
      const { agreeing, differing } = await compareTrees('sqlite', async (sql) =>
        pairs.all(sql).map((row) => Object.values(row)),
      );
      pairs.close();
      expect(differing).toEqual([]);
      expect(agreeing).toBeGreaterThan(300);
    },
    TIMEOUT_MS,
  );

  test(
    `combined comparisons permit the rows of exact ones, seed ${SEED}`,
    async ({ annotate }) => {
      const tally = await compareRules('sqlite', read);
      await annotate(JSON.stringify({ ...tally, differences: tally.differences.length }));
      expect(tally.differences.slice(0, 10)).toEqual([]);
      expect(tally.withRows).toBeGreaterThan(RULE_COUNT / 10);
    },
    TIMEOUT_MS,
  );

  test('a value that NOT IN would compare as two types is refused, and not permitted every row', async () => {
    const values = { x: '1' };
    for (const expression of ['{{ x }} NOT IN (n, r)', '{{ x }} NOT IN (r, n)', '{{ x }} IN (n, r)']) {
      expect(await outcomeOf(expression, values, { dialect: 'sqlite', read })).toEqual(['UNFIT_VALUE']);
    }
  });

  test('a negative number after IS is compiled', async () => {
    const isNumber = (x: number) => outcomeOf('n IS {{ x }}', { x }, { dialect: 'sqlite', read });
    expect(await isNumber(-1)).toEqual([]);
    expect(await isNumber(1)).toHaveLength(STORED_TEXTS.length);
    const isOther = await outcomeOf('n IS NOT {{ x }}', { x: '-1' }, { dialect: 'sqlite', read });
    expect(isOther).toHaveLength(STORED_TEXTS.length * 4);
  });
});

const isInstalled = ['mariadbd', '/usr/sbin/mariadbd'].some(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined,
);

/** The SQL modes of MariaDB 10.11, in order. */
const SQL_MODES = `
  ALLOW_INVALID_DATES ANSI ANSI_QUOTES DB2 EMPTY_STRING_IS_NULL ERROR_FOR_DIVISION_BY_ZERO
  HIGH_NOT_PRECEDENCE IGNORE_BAD_TABLE_OPTIONS IGNORE_SPACE MAXDB MSSQL MYSQL323 MYSQL40
  NO_AUTO_CREATE_USER NO_AUTO_VALUE_ON_ZERO NO_BACKSLASH_ESCAPES NO_DIR_IN_CREATE
  NO_ENGINE_SUBSTITUTION NO_FIELD_OPTIONS NO_KEY_OPTIONS NO_TABLE_OPTIONS NO_UNSIGNED_SUBTRACTION
  NO_ZERO_DATE NO_ZERO_IN_DATE ONLY_FULL_GROUP_BY ORACLE PAD_CHAR_TO_FULL_LENGTH PIPES_AS_CONCAT
  POSTGRESQL REAL_AS_FLOAT SIMULTANEOUS_ASSIGNMENT STRICT_ALL_TABLES STRICT_TRANS_TABLES
  TIME_ROUND_FRACTIONAL TRADITIONAL`
  .trim()
  .split(/\s+/);

describe.skipIf(!isInstalled)(`on MariaDB${isInstalled ? '' : ', skipped: none is installed'}`, () => {
  let server: DatabaseServer;
  let connection: Connection;
  beforeAll(async () => {
    server = await startMariaDb();
    const { port, user, password } = server;
    connection = await createConnection({
      host: '127.0.0.1',
      port,
      user,
      password,
      charset: 'utf8mb4',
      rowsAsArray: true,
    });
    for (const statement of [
      'CREATE DATABASE pairs',
      'USE pairs',
      ...operandRows('mysql'),
      'CREATE DATABASE shop CHARACTER SET utf8mb4',
      'USE shop',
      // Literals, such as both sides of 'acme' = 'ACME', are compared in this collation.
      "SET collation_connection = 'utf8mb4_nopad_bin'",
      ...createTexts('utf8mb4_general_ci', 'utf8mb4_nopad_bin'),
    ])
      await connection.query(statement);
  });
  afterAll(async () => {
    await connection.end();
    await server[Symbol.asyncDispose]();
  });
  const read: Read = async (sql, values = []) => {
    if (values.length === 0) return (await connection.query(sql))[0] as unknown[][];
    const [rows] = await connection.execute(sql, values as string[]);
    connection.unprepare(sql);
    return rows as unknown[][];
  };

  test(
    'operators without parentheses mean what they mean to the server, or are refused',
    async () => {
      const { agreeing, differing } = await compareTrees('mysql', (sql) =>
        read(sql.replace('FROM t', 'FROM pairs.t')),
      );
      expect(differing).toEqual([]);
      expect(agreeing).toBeGreaterThan(300);
    },
    TIMEOUT_MS,
  );

  test(
    `combined comparisons permit the rows of exact ones, seed ${SEED}`,
    async ({ annotate }) => {
      const tally = await compareRules('mysql', read);
      await annotate(JSON.stringify({ ...tally, differences: tally.differences.length }));
      expect(tally.differences.slice(0, 10)).toEqual([]);
      expect(tally.withRows).toBeGreaterThan(RULE_COUNT / 10);
    },
    TIMEOUT_MS,
  );

  test('a number beside a string in a list is refused, and not excluded from NOT IN', async () => {
    const expressions = ['r NOT IN (n, {{ x }})', 'NOT (r IN ({{ x }}, 0))', 'r NOT IN (TRUE, {{ x }})'];
    for (const expression of expressions) {
      expect(await outcomeOf(expression, { x: 'acme' }, { dialect: 'mysql', read })).toEqual(['UNFIT_VALUE']);
    }
  });

  test.each([
    'EXISTS (SELECT 1 FROM others AS o WHERE o.n = t.n AND t.r = {{ x }})',
    'EXISTS (SELECT 1 FROM others AS o WHERE t.r IN ({{ x }}))',
    'EXISTS (SELECT 1 FROM others AS o WHERE t.r IN (SELECT {{ x }}))',
    'EXISTS (SELECT 1 FROM others AS o WHERE CONCAT(o.n, t.r) = CONCAT(o.n, {{ x }}))',
    'NOT EXISTS (SELECT 1 FROM others AS o WHERE t.r <> {{ x }})',
    '(SELECT t.r) = {{ x }}',
    '(SELECT CONCAT(t.r, o.n) FROM others AS o WHERE o.n = 1) = {{ x }}',
  ])('the subquery cache does not permit the rows of ACME to acme: %s', async (expression) => {
    expect(await outcomeOf(expression, { x: 'acme' }, { dialect: 'mysql', read })).toEqual(['UNFIT_VALUE']);
  });

  test.each([
    'NOT n <> {{ x }}',
    'NOT n = {{ x }}',
    'NOT NOT n = {{ x }}',
    'NOT n NOT IN ({{ x }}, 0)',
    'NOT n NOT IN (SELECT {{ x }})',
    'NOT n NOT BETWEEN 0 AND {{ x }}',
    'NOT n NOT LIKE {{ x }}',
    'NOT n = ANY (SELECT {{ x }})',
    'NOT EXISTS (SELECT {{ x }}) IS TRUE',
  ])('HIGH_NOT_PRECEDENCE does not change a rule: %s', async (expression) => {
    const ids = () => outcomeOf(expression, { x: 1 }, { dialect: 'mysql', read });
    const expected = await ids();
    await connection.query("SET sql_mode = 'HIGH_NOT_PRECEDENCE'");
    expect(await ids()).toEqual(expected);
    await connection.query('SET sql_mode = DEFAULT');
  });

  test('only the documented SQL modes change the rows of an exact comparison', async () => {
    await read('CREATE TABLE codes (id int, c char(5), v varchar(5))');
    await read(
      String.raw`INSERT INTO codes
        VALUES (1, 'v', 'v'), (2, 'V', 'V'), (3, '\\', '\\'), (4, '', ''), (5, 'w', 'v ')`,
    );
    const columns = [
      { name: 'id', type: 'int(11)' },
      { name: 'c', type: 'char(5)' },
      { name: 'v', type: 'varchar(5)' },
    ];
    const catalog = {
      defaultSchema: 'shop',
      schemas: [{ name: 'shop', tables: [{ name: 'codes', kind: 'table' as const, columns }] }],
    };
    const idsOf = async (expression: string, x: ParamValue) => {
      const rules = [rule(expression, { x }, { type: 'TABLE_LIST', tables: [{ table: 'codes' }] })];
      const { inlineSql, sql, parameters } = await restrictShop(engine, 'SELECT id FROM codes ORDER BY 1', {
        dialect: 'mysql',
        catalog,
        rules,
      });
      return [await read(inlineSql ?? ''), await read(sql ?? '', parameters)];
    };
    const rowsOfAll = async () => {
      const rows: unknown[] = [];
      for (const column of ['c', 'v'])
        for (const value of ['v', '\\', ''])
          for (const operator of ['=', '<>', 'IN', 'NOT IN'])
            rows.push(
              await idsOf(`${column} ${operator} {{ x }}`, operator.includes('IN') ? [value] : value),
            );
      return rows;
    };
    const expected = await rowsOfAll();
    const changing: string[] = [];
    for (const mode of SQL_MODES) {
      await connection.query(`SET sql_mode = '${mode}'`);
      const rows = await rowsOfAll();
      if (JSON.stringify(rows) !== JSON.stringify(expected)) changing.push(mode);
    }
    await connection.query('SET sql_mode = DEFAULT');
    const documentation = await readFile(new URL('../../../../../docs/policies.md', import.meta.url), 'utf8');
    const [, documented = ''] =
      /without these SQL modes:\n((?:  - .*\n(?:    .*\n)*)+)/.exec(documentation) ?? [];
    expect(changing).toEqual(Array.from(documented.matchAll(/^  - `(\w+)`/gm), ([, mode]) => mode));
  });

  test('a query compares its own columns with a value', async () => {
    const expression = 'EXISTS (SELECT 1 FROM others AS o WHERE o.n = t.n AND o.r = {{ x }} AND t.n = 1)';
    const ids = await outcomeOf(expression, { x: 'acme' }, { dialect: 'mysql', read });
    expect(ids).toHaveLength(STORED_TEXTS.length);
  });
});
