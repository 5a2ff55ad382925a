import type { SqlDialect } from '@gatehouse/contract';

/** The kind of values of a type, derived from its name in a catalog. */
export type TypeFamily =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'float'
  | 'boolean'
  /** A whole number used as true and false, such as MySQL's `tinyint(1)`. */
  | 'flag'
  /** SQLite: a text that looks like a number becomes one, any other text stays text. */
  | 'numeric'
  /** MySQL: reads 1 as 2001. */
  | 'year'
  | 'date'
  | 'timestamp'
  | 'timestampWithZone'
  | 'time'
  | 'uuid'
  | 'binary'
  /** A type of which only the name is known. */
  | 'other'
  /** Nothing is known. */
  | 'unknown';

/** The type of a column or an expression. */
export interface SqlType {
  family: TypeFamily;
  /** The name in the catalog; empty for an expression. */
  declared: string;
}

export const UNKNOWN_TYPE: SqlType = { family: 'unknown', declared: '' };

const FAMILIES: Readonly<Partial<Record<TypeFamily, string>>> = {
  text: `char|varchar|text|tinytext|mediumtext|longtext|nchar|nvarchar|ntext|clob|string|character|character varying|
    national character|national varchar|varchar2|nvarchar2|bpchar|name|citext|enum|set`,
  integer: `tinyint|smallint|mediumint|int|integer|bigint|int1|int2|int3|int4|int8|int64|hugeint|utinyint|usmallint|uinteger|
    ubigint|uhugeint|byteint|serial|smallserial|bigserial`,
  decimal: 'numeric|decimal|dec|fixed|number|bignumeric|bigdecimal|money|smallmoney',
  float: 'real|float|float4|float8|float64|double|double precision',
  boolean: 'boolean|bool',
  year: 'year',
  date: 'date',
  timestamp: 'timestamp|timestamp without time zone|datetime|datetime2|smalldatetime|timestamp_ntz',
  timestampWithZone: 'timestamptz|timestamp with time zone|datetimeoffset|timestamp_tz|timestamp_ltz',
  time: 'time|time without time zone',
  uuid: 'uuid|uniqueidentifier',
  binary: 'binary|varbinary|blob|tinyblob|mediumblob|longblob|image',
};

const FAMILY_OF: ReadonlyMap<string, TypeFamily> = new Map(
  Object.entries(FAMILIES).flatMap(([family, names]) =>
    names.split('|').map((name) => [name.replaceAll(/\s+/g, ' ').trim(), family as TypeFamily] as const),
  ),
);

const NOISE = /\b(unsigned|signed|zerofill)\b/g;

/** The family of a type as a catalog of the dialect writes it. */
export function familyOf(declared: string, dialect: SqlDialect): TypeFamily {
  const type = declared.toLowerCase().trim();
  if (type === '') return 'unknown';
  if (dialect === 'sqlite') return sqliteFamily(type);
  if (type.endsWith('[]')) return 'other';
  if (type === '"char"') return 'text';
  const bare = type
    // Labels of an enumeration may contain any text, and the last of a long list may be cut off.
    .replace(/\([^]*(?:\)|$)/, ' ')
    .replaceAll(NOISE, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const family = FAMILY_OF.get(bare.split(' character set ')[0]?.split(' collate ')[0] ?? bare);
  if (dialect === 'mysql') return mysqlFamily(type, family);
  if (dialect === 'mssql' && bare === 'bit') return 'flag';
  // The locale of the server decides how many digits of a fraction count, and whether `.` starts one.
  if (dialect === 'postgres' && bare === 'money') return 'integer';
  if (dialect === 'bigquery' && bare === 'timestamp') return 'timestampWithZone';
  if (dialect === 'bigquery' && bare === 'bytes') return 'binary';
  return family ?? 'other';
}

function mysqlFamily(type: string, family: TypeFamily | undefined): TypeFamily {
  if (family === 'boolean' || /^(tinyint|bit)\(1\)/.test(type) || type === 'bit') return 'flag';
  return type.startsWith('bit(') ? 'integer' : (family ?? 'other');
}

/** Type affinity of SQLite: https://www.sqlite.org/datatype3.html#determination_of_column_affinity */
function sqliteFamily(type: string): TypeFamily {
  if (type.startsWith('bool')) return 'flag';
  if (type.includes('int')) return 'integer';
  if (/char|clob|text/.test(type)) return 'text';
  if (type.includes('blob')) return 'unknown';
  return /real|floa|doub/.test(type) ? 'float' : 'numeric';
}

/** Families whose members an engine compares without converting one side to another kind of value. */
type TypeClass = 'text' | 'number' | 'boolean' | 'moment' | 'other' | 'unknown';

const CLASS_OF: Readonly<Record<TypeFamily, TypeClass>> = {
  text: 'text',
  uuid: 'other',
  binary: 'other',
  integer: 'number',
  decimal: 'number',
  float: 'number',
  flag: 'number',
  year: 'number',
  boolean: 'boolean',
  date: 'moment',
  timestamp: 'moment',
  timestampWithZone: 'moment',
  time: 'moment',
  numeric: 'unknown',
  other: 'other',
  unknown: 'unknown',
};

export function classOf({ family }: SqlType): TypeClass {
  return CLASS_OF[family];
}
