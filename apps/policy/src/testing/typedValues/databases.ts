import { PGlite } from '@electric-sql/pglite';
import { rowCount, storedIn, type TypedColumn, type TypedDatabase } from './typedColumns.js';
import type { Stored } from './exactOracle.js';
import { BIG, DATES, DECIMALS, FLOATS, MOMENTS, SMALL, TEXTS, TIMES, UUIDS } from './sampleValues.js';

function isWithin(text: string, highest: number): boolean {
  return Array.from(text).every((letter) => (letter.codePointAt(0) ?? 0) <= highest);
}

const UNPADDED = TEXTS.filter((text) => !text.endsWith(' '));
const LATIN = TEXTS.filter((text) => isWithin(text, 0xff));
const ASCII = TEXTS.filter((text) => isWithin(text, 0x7f));
const TRUTHS = [true, false];

type Row = readonly [
  declared: string,
  kind: TypedColumn['kind'],
  stored: readonly Stored[],
  catalogType?: string,
];

function columnsOf(rows: readonly Row[]): TypedColumn[] {
  return rows.map(([declared, kind, stored, catalogType], index) => ({
    name: `c${index}`,
    declared,
    kind,
    stored,
    ...(catalogType !== undefined && { catalogType }),
  }));
}

const POSTGRES: readonly Row[] = [
  ['text', 'text', TEXTS],
  ['varchar(60)', 'text', TEXTS, 'character varying(60)'],
  ['char(60)', 'text', UNPADDED, 'character(60)'],
  ['name', 'text', TEXTS],
  ['"char"', 'text', ['a', 'e', '0', '1', ''], '"char"'],
  ['smallint', 'decimal', SMALL],
  ['integer', 'decimal', [...SMALL, '1000', '2147483647']],
  ['bigint', 'decimal', BIG],
  ['numeric', 'decimal', DECIMALS],
  ['numeric(40,20)', 'decimal', DECIMALS],
  ['real', 'single', ['0', '1', '-1', '0.1', '1.5']],
  ['double precision', 'float', FLOATS],
  ['boolean', 'boolean', TRUTHS],
  ['date', 'date', DATES],
  ['timestamp', 'timestamp', MOMENTS, 'timestamp without time zone'],
  ['timestamptz', 'timestamp', MOMENTS, 'timestamp with time zone'],
  ['time', 'time', TIMES, 'time without time zone'],
  ['uuid', 'uuid', UUIDS],
  ['mood', 'text', ['sad', 'acme', 'e', '1', '0']],
];

const MYSQL: readonly Row[] = [
  ['varchar(60) COLLATE utf8mb4_general_ci', 'text', TEXTS, 'varchar(60)'],
  ['varchar(60) COLLATE utf8mb4_unicode_ci', 'text', TEXTS, 'varchar(60)'],
  ['varchar(60) COLLATE utf8mb4_bin', 'text', TEXTS, 'varchar(60)'],
  ['varchar(60) COLLATE utf8mb4_nopad_bin', 'text', TEXTS, ''],
  ['varchar(60) CHARACTER SET latin1', 'text', LATIN, 'varchar(60)'],
  ['char(60) COLLATE utf8mb4_general_ci', 'text', UNPADDED, 'char(60)'],
  ['longtext COLLATE utf8mb4_general_ci', 'text', TEXTS, 'longtext'],
  [
    `enum('acme','é','0','1','E') COLLATE utf8mb4_bin`,
    'text',
    ['acme', 'é', '0', '1', 'E'],
    `enum('acme','é','0','1','E')`,
  ],
  ['tinyint(1)', 'flag', ['0', '1', '2']],
  ['bit(1)', 'flag', TRUTHS],
  ['smallint', 'decimal', SMALL, 'smallint(6)'],
  ['int unsigned', 'decimal', ['0', '1', '2', '1000', '4294967295'], 'int(10) unsigned'],
  ['bigint', 'decimal', BIG, 'bigint(20)'],
  [
    'bigint unsigned',
    'decimal',
    ['0', '1', '9007199254740992', '9007199254740993', '18446744073709551615'],
    'bigint(20) unsigned',
  ],
  ['decimal(40,20)', 'decimal', DECIMALS],
  ['double', 'float', FLOATS],
  ['float', 'single', ['0', '1', '-1', '0.1', '1.5']],
  ['year', 'decimal', ['2024', '1999'], 'year(4)'],
  ['date', 'date', DATES],
  ['datetime(6)', 'timestamp', MOMENTS],
  ['timestamp(6)', 'timestamp', MOMENTS.slice(0, 3)],
  ['time(6)', 'time', TIMES],
  ['uuid', 'uuid', UUIDS],
  ['varbinary(60)', 'bytes', ASCII],
  ['json', 'opaque', ['{"a": 1}', '"acme"', '1'], 'json'],
  ['bigint', 'text', BIG, ''],
];

const SQLITE: readonly Row[] = [
  ['TEXT', 'text', TEXTS],
  ['VARCHAR(60)', 'text', TEXTS],
  ['TEXT COLLATE NOCASE', 'text', TEXTS, 'TEXT'],
  ['TEXT COLLATE RTRIM', 'text', TEXTS, 'TEXT'],
  ['INTEGER', 'decimal', BIG],
  ['BIGINT', 'decimal', BIG],
  ['REAL', 'float', FLOATS],
  ['NUMERIC', 'numeric', [0, 1, -1, 2, 255, 1000, 0.1, 2 ** 53 - 1, 2 ** 53, 'acme', 'ACME']],
  ['BOOLEAN', 'flag', ['0', '1']],
  ['DATE', 'numeric', [...DATES, 'acme', 'ACME', 1]],
  ['STRING COLLATE NOCASE', 'numeric', ['acme', 'ACME', 'é', '2024-01-15', 1, 1000], 'STRING'],
  ['BLOB', 'any', ['acme', '1', 1, '0', 0], 'BLOB'],
  ['', 'any', ['acme', 'ACME', '1', 1, '', 0], ''],
];

function insertions(
  columns: readonly TypedColumn[],
  literal: (value: Stored, column: TypedColumn) => string,
): string[] {
  const rows = rowCount(columns);
  return Array.from({ length: rows }, (_, row) => {
    const values = columns.map((column) => literal(storedIn(column, row, rows), column));
    return `INSERT INTO things VALUES (${[row, ...values].join(', ')})`;
  });
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function isOfNumbers({ kind }: TypedColumn): boolean {
  return ['decimal', 'float', 'single', 'flag'].includes(kind);
}

function creation(columns: readonly TypedColumn[]): string {
  return `CREATE TABLE things (id integer, ${columns.map(({ name, declared }) => `${name} ${declared}`).join(', ')})`;
}

export async function openPostgres(): Promise<TypedDatabase & { close(): Promise<void> }> {
  const columns = columnsOf(POSTGRES);
  const database = await PGlite.create();
  const literal = (value: Stored): string => (typeof value === 'string' ? quoted(value) : String(value));
  await database.exec(
    `SET TIME ZONE 'UTC'; CREATE TYPE mood AS ENUM ('sad', 'acme', 'e', '1', '0'); ${creation(columns)};`,
  );
  await database.exec(insertions(columns, literal).join(';\n'));
  return {
    dialect: 'postgres',
    schema: 'public',
    columns,
    readIds: async (sql, values) =>
      (await database.query<{ id: number }>(sql, [...values])).rows.map(({ id }) => id),
    close: () => database.close(),
  };
}

type Parameter = string | number | boolean;

/** The used parts of a MySQL connection. */
interface MysqlConnection {
  query(sql: string): Promise<unknown>;
  execute(sql: string, values: Parameter[]): Promise<unknown>;
  unprepare(sql: string): unknown;
}

export async function openMysql(connection: MysqlConnection): Promise<TypedDatabase> {
  const columns = columnsOf(MYSQL);
  const literal = (value: Stored): string =>
    typeof value === 'string' ? quoted(value.replaceAll('\\', '\\\\')) : String(value);
  await connection.query(`SET time_zone = '+00:00'`);
  await connection.query('CREATE DATABASE shop CHARACTER SET utf8mb4');
  await connection.query('USE shop');
  for (const statement of [creation(columns), ...insertions(columns, literal)])
    await connection.query(statement);
  return {
    dialect: 'mysql',
    schema: 'shop',
    columns,
    async readIds(sql, values) {
      const [found] = (await (values.length > 0
        ? connection.execute(sql, values as Parameter[])
        : connection.query(sql))) as [{ id: number }[]];
      if (values.length > 0) connection.unprepare(sql);
      return found.map(({ id }) => id);
    },
  };
}

/** The used parts of a SQLite database. */
interface SqliteDatabase {
  exec(sql: string): void;
  all(sql: string, values: Parameter[]): object[];
}

export function openSqlite(database: SqliteDatabase): TypedDatabase {
  const columns = columnsOf(SQLITE);
  const literal = (value: Stored, column: TypedColumn): string =>
    typeof value === 'string' && !isOfNumbers(column) ? quoted(value) : String(value);
  for (const statement of [creation(columns), ...insertions(columns, literal)]) database.exec(statement);
  return {
    dialect: 'sqlite',
    schema: 'main',
    columns,
    readIds: async (sql, values) =>
      database.all(sql, values as Parameter[]).map((row) => Number(Object.values(row)[0])),
  };
}
