import type { Catalog, SqlDialect } from '@gatehouse/contract';

const QUOTED = /^(?:"([^]*)"|`([^]*)`|\[([^]*)\])$/;
const ASCII_UPPER = /[A-Z]+/g;
/** Nearly every name. Lower-casing it is a much faster way to its key. */
const ASCII = /^[ -~]*$/;

/** MySQL's setting of this name. It decides which names of databases, tables and aliases are equal. */
export type LowerCaseTableNames = Extract<Catalog, { schemas: unknown }>['lowerCaseTableNames'];

/**
 * Whether a quoted name matches only itself in the dialect. In the other dialects policies treat names that
 * differ only in case as equal, even if some servers distinguish them: a rule then covers both, never
 * neither.
 */
function isExact(dialect: SqlDialect): boolean {
  return dialect === 'postgres';
}

/** An unquoted name as the dialect folds it. PostgreSQL lower-cases ASCII letters only. */
export function foldName(name: string, dialect: SqlDialect): string {
  return isExact(dialect) ? lowerAscii(name) : caseKey(name);
}

/**
 * The lookup key of a name. Two names share a key if the server may treat them as equal in any of its
 * settings.
 */
export function nameKey(name: string, dialect: SqlDialect): string {
  return isExact(dialect) ? name : caseKey(name);
}

/**
 * Whether a name in a policy refers to a name of the catalog: the exact name, the name as the dialect folds
 * it, or the name within quotes if the policy quotes it.
 */
export function isSameName(written: string, actual: string, dialect: SqlDialect): boolean {
  return writtenKeys(written, dialect).includes(nameKey(actual, dialect));
}

/** Whether a name in a policy refers to a name of the catalog: see `isSameName`. */
export type CompareNames = (written: string, actual: string) => boolean;

/** Creates an `isSameName` that reads each name once: very many tables have the same schema. */
export function createNameComparison(dialect: SqlDialect): CompareNames {
  const byWritten = new Map<string, { keys: readonly string[]; results: Map<string, boolean> }>();
  return (written, actual) => {
    const known = byWritten.get(written) ?? { keys: writtenKeys(written, dialect), results: new Map() };
    byWritten.set(written, known);
    const isSame = known.results.get(actual) ?? known.keys.includes(nameKey(actual, dialect));
    known.results.set(actual, isSame);
    return isSame;
  };
}

/** The keys of the names that a name in a policy refers to. */
export function writtenKeys(written: string, dialect: SqlDialect): string[] {
  const own = nameKey(written, dialect);
  const inner = unquoted(written);
  const other = inner === null ? foldName(written, dialect) : nameKey(inner, dialect);
  const keys = own === other ? [own] : [own, other];
  return isExact(dialect) && isCut(written) ? [...keys, ...keys.map(cutName)] : keys;
}

/** The name within quotes, in which a closing quote is doubled; null if the name is not quoted. */
function unquoted(written: string): string | null {
  const [, double, back, bracket] = QUOTED.exec(written) ?? [];
  return (
    double?.replaceAll('""', '"') ?? back?.replaceAll('``', '`') ?? bracket?.replaceAll(']]', ']') ?? null
  );
}

/** The longest name in PostgreSQL, in bytes of UTF-8: NAMEDATALEN - 1 (pg_config_manual.h). */
const NAME_BYTES_MAX = 63;
/** A UTF-16 unit has this many bytes of UTF-8 at most. */
const UNIT_BYTES_MAX = 3;

/** Whether PostgreSQL cuts the name. */
function isCut(name: string): boolean {
  return name.length * UNIT_BYTES_MAX > NAME_BYTES_MAX && Buffer.byteLength(name) > NAME_BYTES_MAX;
}

/** The start of a name that PostgreSQL keeps. It ends with a whole letter. */
function cutName(name: string): string {
  if (ASCII.test(name)) return name.slice(0, NAME_BYTES_MAX);
  let kept = '';
  for (const letter of name) {
    if (Buffer.byteLength(kept + letter) > NAME_BYTES_MAX) break;
    kept += letter;
  }
  return kept;
}

/**
 * The name of a table as the server compares it. If the rules of the server are not known, names that differ
 * only in case are equal.
 * @param setting of a MySQL server, if it is known
 */
export function serverKey(name: string, dialect: SqlDialect, setting: LowerCaseTableNames): string {
  if (isExact(dialect)) return name;
  if (dialect === 'sqlite') return lowerAscii(name);
  if (dialect !== 'mysql' || setting === undefined) return caseKey(name);
  return setting === 0 ? name : name.replaceAll(MYSQL_UPPER, mysqlLower);
}

/**
 * The capital letters that every version of MySQL and MariaDB lower-cases. `my_casedn` maps single letters by
 * a table of Unicode 3; newer versions know newer letters. A name with one of the newer letters matches only
 * itself.
 */
const MYSQL_UPPER =
  /[A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u021e\u0386-\u03ab\u0400-\u042f\u0460-\u0480\u0531-\u0556\u1e00-\u1e94\u1ea0-\u1ef8\u2126\u212a\u212b\uff21-\uff3a]/g;

/** The server lower-cases İ to i; JavaScript adds a dot above. */
function mysqlLower(letter: string): string {
  return letter === 'İ' ? 'i' : letter.toLowerCase();
}

function lowerAscii(name: string): string {
  return name.replaceAll(ASCII_UPPER, (letters) => letters.toLowerCase());
}

/**
 * A key that two names share if any server, in any setting, may treat them as equal by case: letter by letter
 * the lower case of the upper case, if that is one letter.
 */
export function caseKey(name: string): string {
  return ASCII.test(name) ? name.toLowerCase() : Array.from(name, keyOfLetter).join('');
}

function keyOfLetter(letter: string): string {
  const upper = oneLetter(letter.toUpperCase()) ?? letter;
  return upper === 'İ' ? 'i' : (oneLetter(upper.toLowerCase()) ?? upper);
}

function oneLetter(text: string): string | null {
  return Array.from(text).length === 1 ? text : null;
}

/** Like `caseKey`, but also ignores accents, widths, invisible characters, and spaces around the name. */
export function widestKey(name: string): string {
  const bare = name.normalize('NFKD').replaceAll(/\p{M}|\p{Cf}/gu, '');
  // MySQL compares ß as s.
  return caseKey(bare).replaceAll('ß', 's').trim();
}

/** With this many columns or more, MySQL and MariaDB look a column up by a hash that ignores accents. */
const HASHED_COLUMNS = 32;

/** The indexes of names in a list, by their keys. */
interface Places {
  byKey: ReadonlyMap<string, readonly number[]>;
  /** By their widest keys; null if accents are significant. */
  byWidestKey: ReadonlyMap<string, readonly number[]> | null;
}

/** Returns the indexes of the columns that a name refers to. */
export type FindColumns = (written: string) => readonly number[];

/** The keys by which a name in a policy is looked up in a list of columns. */
interface ColumnKeys {
  keys: readonly string[];
  /** Null if accents are significant. */
  widestKey: string | null;
}

/** Returns the keys of a name. */
export type ReadColumnName = (written: string) => ColumnKeys;

/** Creates a reader of names that keeps the last one: a rule looks up one name in very many tables. */
export function createColumnNameReader(dialect: SqlDialect): ReadColumnName {
  let last: (ColumnKeys & { written: string }) | undefined;
  return (written) => {
    if (last?.written !== written) {
      const widest = dialect === 'mysql' ? widestKey(written) : null;
      last = { written, keys: writtenKeys(written, dialect), widestKey: widest };
    }
    return last;
  };
}

/**
 * Creates the lookup in a list of columns. It returns the indexes of the columns that a name in a policy
 * refers to, or that the server may match it with, in order. The first lookup indexes the list, because a
 * rule may look up thousands of names in it. Except for that, the time grows only with the matches.
 * @param readName a reader that the lookups of several lists share
 */
export function createColumnLookup(
  columns: readonly string[],
  dialect: SqlDialect,
  readName = createColumnNameReader(dialect),
): FindColumns {
  let places: Places | undefined;
  return (written) => {
    const { byKey, byWidestKey } = (places ??= placesOf(columns, dialect));
    const { keys, widestKey: widest } = readName(written);
    const found = keys.flatMap((key) => byKey.get(key) ?? []);
    const hashed = widest === null ? [] : (byWidestKey?.get(widest) ?? []);
    return [...new Set([...found, ...hashed])].toSorted((one, other) => one - other);
  };
}

function placesOf(columns: readonly string[], dialect: SqlDialect): Places {
  const isHashed = dialect === 'mysql' && columns.length >= HASHED_COLUMNS;
  return {
    byKey: groupPlaces(columns, (name) => nameKey(name, dialect)),
    byWidestKey: isHashed ? groupPlaces(columns, widestKey) : null,
  };
}

function groupPlaces(columns: readonly string[], keyOf: (name: string) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [place, name] of columns.entries()) {
    const key = keyOf(name);
    const group = groups.get(key);
    if (group) group.push(place);
    else groups.set(key, [place]);
  }
  return groups;
}
