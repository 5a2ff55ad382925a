import { isExactNumber, type SqlDialect } from '@gatehouse/contract';
import type { SqlType, TypeFamily } from './columnTypes.js';

export type Scalar = string | number | boolean;

/** A value converted for a type: the value itself, or an exact decimal for a number that drivers change. */
type Fitted = { value: Scalar } | { decimal: string };

/** The dialects that convert any text to a number to compare it with a number. */
const CONVERTING: ReadonlySet<SqlDialect> = new Set(['mysql', 'mssql', 'snowflake', 'duckdb']);

export function isConverting(dialect: SqlDialect): boolean {
  return CONVERTING.has(dialect);
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const DECIMAL = /^(?!-0(?:\.0*)?$)-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** Texts that SQLite converts to a number in a column without a text type. */
const LIKE_NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/;
const ZONE = /(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// NUL is ASCII too, but is refused everywhere.
const ASCII = /^[ -~\s]*$/;
/** Some servers round decimals with more digits. */
const DIGITS_MAX = 38;

/** The required form of a value for each family, as the end of a sentence. */
const NEEDS: Readonly<Record<TypeFamily, string>> = {
  text: 'a string',
  integer: 'a number, or a string of its digits',
  decimal: 'a number, or a string of its digits',
  float: 'a number that the type holds exactly, or a string of its digits',
  boolean: 'true or false',
  flag: 'true, false or a whole number',
  numeric: 'a number, or a string that is not written like one',
  year: 'a year from 1901 to 2155',
  date: 'a string YYYY-MM-DD',
  timestamp: 'a string YYYY-MM-DD HH:MM:SS without a time zone',
  timestampWithZone: 'a string YYYY-MM-DD HH:MM:SS, with or without a time zone',
  time: 'a string HH:MM:SS',
  uuid: 'a string of a UUID',
  binary: 'a string of ASCII characters',
  other: 'compared by a function or CAST that states its type',
  unknown: 'a string, or the catalog must state the type',
};

export function needOf({ family }: SqlType): string {
  return NEEDS[family];
}

/**
 * Converts a value for the type that it is compared with. Returns null if the engine would convert it to
 * another value or compare it inexactly.
 */
export function fitValue(value: Scalar, type: SqlType, dialect: SqlDialect): Fitted | null {
  if (typeof value === 'string') return STRING_FITS[type.family](value, type, dialect);
  if (isNameless(type)) return isLenient(value, type, dialect) ? { value } : null;
  if (typeof value === 'number') return fitNumber(value, type, dialect);
  return type.family === 'boolean' || type.family === 'flag' ? { value } : null;
}

function isNameless({ family }: SqlType): boolean {
  return family === 'other' || family === 'unknown';
}

/**
 * PostgreSQL and BigQuery reject comparisons of unlike types. SQLite treats such values as unequal if there
 * is no type.
 */
function isLenient(value: Scalar, { family }: SqlType, dialect: SqlDialect): boolean {
  if (dialect === 'postgres' || dialect === 'bigquery') return true;
  return family === 'unknown' && typeof value === 'number' && !CONVERTING.has(dialect);
}

const NUMBERS: ReadonlySet<TypeFamily> = new Set(['integer', 'float', 'flag', 'numeric'] as const);

function fitNumber(value: number, type: SqlType, dialect: SqlDialect): Fitted | null {
  const { family } = type;
  if (isSingle(type, dialect) && Math.fround(value) !== value) return null;
  if (NUMBERS.has(family)) return exactly(value, dialect);
  if (family === 'year') return isYear(String(value)) ? { value } : null;
  if (family !== 'decimal') return null;
  // Drivers pass a number as a double, and MySQL then compares doubles.
  return dialect === 'mysql' ? decimalOf(String(value)) : exactly(value, dialect);
}

function exactly(value: number, dialect: SqlDialect): Fitted | null {
  const isExact = Math.abs(value) <= Number.MAX_SAFE_INTEGER || dialect === 'postgres';
  return isExact ? { value } : decimalOf(String(value));
}

/** A decimal in plain digits; null if it has too many. */
function decimalOf(text: string): Fitted | null {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (Math.max(digits.length, point) - Math.min(point, 0) > DIGITS_MAX) return null;
  const padded = '0'.repeat(Math.max(0, 1 - point)) + digits.padEnd(point, '0');
  const at = Math.max(point, 1);
  const plain = padded.length > at ? `${padded.slice(0, at)}.${padded.slice(at)}` : padded;
  return { decimal: text.startsWith('-') ? `-${plain}` : plain };
}

type StringFit = (value: string, type: SqlType, dialect: SqlDialect) => Fitted | null;

const fitNumeric: StringFit = (value, _, dialect) => {
  if (!DECIMAL.test(value)) return null;
  return dialect === 'mysql' ? decimalOf(value) : fitDigits(value);
};
const fitForm =
  (hasForm: (value: string, type: SqlType) => boolean): StringFit =>
  (value, type) =>
    hasForm(value, type) ? { value } : null;

const STRING_FITS: Readonly<Record<TypeFamily, StringFit>> = {
  integer: (value) => (INTEGER.test(value) ? fitDigits(value) : null),
  flag: () => null,
  boolean: () => null,
  decimal: fitNumeric,
  float: (value, ...rest) =>
    DECIMAL.test(value) && isFloat(value, ...rest) ? { value: Number(value) } : null,
  numeric: (value, ...rest) => (LIKE_NUMBER.test(value) ? fitNumeric(value, ...rest) : { value }),
  text: fitForm(isWholeText),
  other: (value, _, dialect) => (dialect === 'mysql' ? null : { value }),
  unknown: (value) => ({ value }),
  year: (value) => (isYear(value) ? { value: Number(value) } : null),
  date: fitForm(isDate),
  time: fitForm((value) => TIME.test(value)),
  timestamp: fitForm(isTimestamp),
  timestampWithZone: fitForm((value) => isTimestamp(value) || isTimestamp(value.replace(ZONE, ''), true)),
  uuid: fitForm((value) => UUID.test(value)),
  binary: fitForm((value) => ASCII.test(value)),
};

/**
 * PostgreSQL compares single-precision numbers sometimes exactly, sometimes rounded. MySQL compares them as
 * doubles, so that the stored 0.1 differs from 0.1; its FLOAT is one up to a size of 24.
 */
function isSingle({ declared }: SqlType, dialect: SqlDialect): boolean {
  if (dialect === 'mysql' && /^float\b(?!\((?:2[5-9]|[34]\d|5[0-3])\))/i.test(declared)) return true;
  return /^(real|float4|float\((\d|1\d|2[0-4])\))$/i.test(declared);
}

function isFloat(text: string, type: SqlType, dialect: SqlDialect): boolean {
  return isExactNumber(text) && (!isSingle(type, dialect) || Math.fround(Number(text)) === Number(text));
}

/** Digits that a double represents exactly become a number. */
function fitDigits(text: string): Fitted | null {
  const isSafe = INTEGER.test(text) && Number.isSafeInteger(Number(text));
  return isSafe ? { value: Number(text) } : decimalOf(text);
}

/** Fixed-width types pad with spaces or truncate, and compare the results as equal. */
function isWholeText(value: string, { declared }: SqlType): boolean {
  const type = declared.toLowerCase();
  if (type === '"char"') return value.length === 1 && value.charCodeAt(0) < 0x80;
  if (type === 'name') return Buffer.byteLength(value) < 64;
  return !(
    /^(char|character|nchar|bpchar|national character)\b(?! varying)/.test(type) && value.endsWith(' ')
  );
}

function isYear(text: string): boolean {
  return /^\d{4}$/.test(text) && Number(text) >= 1901 && Number(text) <= 2155;
}

function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || year === 0) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCFullYear(year);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isTimestamp(text: string, hasZone: unknown = false): boolean {
  if (isDate(text)) return hasZone !== true;
  return /^[ T]/.test(text.slice(10)) && isDate(text.slice(0, 10)) && TIME.test(text.slice(11));
}
