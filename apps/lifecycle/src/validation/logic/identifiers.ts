import type { Catalog, SqlDialect } from '@gatehouse/contract';

/** How names compare: `written` folds a name of a template, `stored` a name of the catalog. */
interface Folding {
  written(name: string): string;
  stored(name: string): string;
}

export interface NameRules {
  tables: Folding;
  columns: Folding;
  /** The pairs of quotes. */
  quotes: readonly (readonly [open: string, close: string])[];
  /** Whether quoted names are not folded. */
  isExactWhenQuoted: boolean;
  /** The schema of an unqualified table, if the catalog has no default. */
  defaultSchema: string | null;
}

const asIs = (name: string) => name;
const asciiLower = (name: string) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const asciiUpper = (name: string) => name.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

const EXACT: Folding = { written: asIs, stored: asIs };
const ANY_ASCII_CASE: Folding = { written: asciiLower, stored: asciiLower };
const ANY_CASE: Folding = { written: foldCase, stored: foldCase };
/** Each letter by itself: MySQL does not compare ß with SS, nor ς with σ. */
const ANY_CASE_OF_LETTERS: Folding = { written: foldLetters, stored: foldLetters };
/** Databases that store unquoted names in one case, and match them in that case only. */
const KEPT_LOWER: Folding = { written: asciiLower, stored: asIs };
const KEPT_UPPER: Folding = { written: asciiUpper, stored: asIs };

const DOUBLE = ['"', '"'] as const;
const BACKTICK = ['`', '`'] as const;
const BRACKET = ['[', ']'] as const;

/**
 * The name rules of each dialect. PostgreSQL folds only the letters A to Z with UTF-8. The rules of MySQL are
 * those of a server that ignores the case of table names.
 */
const NAME_RULES: Record<SqlDialect, NameRules> = {
  postgres: {
    tables: KEPT_LOWER,
    columns: KEPT_LOWER,
    quotes: [DOUBLE],
    isExactWhenQuoted: true,
    defaultSchema: 'public',
  },
  snowflake: {
    tables: KEPT_UPPER,
    columns: KEPT_UPPER,
    quotes: [DOUBLE],
    isExactWhenQuoted: true,
    defaultSchema: 'PUBLIC',
  },
  mysql: {
    tables: ANY_CASE_OF_LETTERS,
    columns: ANY_CASE_OF_LETTERS,
    quotes: [BACKTICK],
    isExactWhenQuoted: false,
    defaultSchema: null,
  },
  sqlite: {
    tables: ANY_ASCII_CASE,
    columns: ANY_ASCII_CASE,
    quotes: [DOUBLE, BACKTICK, BRACKET],
    isExactWhenQuoted: false,
    defaultSchema: 'main',
  },
  duckdb: {
    tables: ANY_ASCII_CASE,
    columns: ANY_ASCII_CASE,
    quotes: [DOUBLE],
    isExactWhenQuoted: false,
    defaultSchema: 'main',
  },
  bigquery: {
    tables: EXACT,
    columns: ANY_CASE,
    quotes: [BACKTICK],
    isExactWhenQuoted: false,
    defaultSchema: null,
  },
  mssql: {
    tables: ANY_CASE,
    columns: ANY_CASE,
    quotes: [BRACKET, DOUBLE],
    isExactWhenQuoted: false,
    defaultSchema: 'dbo',
  },
};

/** Of a server whose `lower_case_table_names` is 0, the default of MySQL and MariaDB on Linux. */
const MYSQL_WITH_EXACT_TABLES: NameRules = { ...NAME_RULES.mysql, tables: EXACT };

/** The name rules of a catalog. Without the setting of a MySQL server, both spellings are accepted. */
export function nameRulesOf(catalog: Catalog, dialect: SqlDialect): NameRules {
  const setting = 'schemas' in catalog ? catalog.lowerCaseTableNames : undefined;
  return dialect === 'mysql' && setting === 0 ? MYSQL_WITH_EXACT_TABLES : NAME_RULES[dialect];
}

/** The rules of Gatehouse's own names: no folding and no quotes. */
export const OWN_NAMES: NameRules = {
  tables: EXACT,
  columns: EXACT,
  quotes: [],
  isExactWhenQuoted: false,
  defaultSchema: null,
};

/**
 * Folds the case of a name in any script through upper case, which maps ß to SS. The capital ẞ is its own
 * upper case, so the name is converted to lower case first.
 */
export function foldCase(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}

/** Template and catalog have millions of such names, and no letter of them needs more than its lower case. */
const ASCII = /^[ -~]*$/;

/** The ranges of the capital letters that MySQL and MariaDB know: their tables are of an early Unicode. */
const MYSQL_CAPITALS = /[A-ZÀ-ȞȢ-ȲΆ-ΫϚ-ϮЀ-ҀҌ-ҾӁ-ӃӇӋӐ-ӴӸԱ-ՖḀ-ẔẠ-ỸἈ-ῼⅠ-ⅯⒶ-ⓏＡ-Ｚ]/;

/** Folds the case of each letter that MySQL folds to one letter. */
function foldLetters(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  const foldLetter = (letter: string) => {
    const lower = letter.toLowerCase();
    return lower.length === 1 && MYSQL_CAPITALS.test(letter) ? lower : letter;
  };
  return Array.from(name, foldLetter).join('');
}

/** The name without its quotes; null when it is not quoted. */
function unquote(written: string, { quotes }: NameRules): string | null {
  for (const [open, close] of quotes) {
    const isQuoted = written.length > 2 && written.startsWith(open) && written.endsWith(close);
    if (isQuoted) return written.slice(1, -1).replaceAll(close + close, close);
  }
  return null;
}

type NameKind = 'tables' | 'columns';

/** The canonical form of a name in a template. Equal names have equal forms. */
export function canonicalName(written: string, rules: NameRules, kind: NameKind): string {
  const quoted = unquote(written, rules);
  if (quoted !== null && rules.isExactWhenQuoted) return quoted;
  return rules[kind].written(quoted ?? written);
}

/** Where the part of a qualified name that begins at `start` ends: before a dot outside of quotes. */
function endOfPart(written: string, start: number, { quotes }: NameRules): number {
  const close = quotes.find(([open]) => written[start] === open)?.[1];
  let at = close === undefined ? -1 : written.indexOf(close, start + 1);
  while (close !== undefined && at !== -1 && written[at + 1] === close) at = written.indexOf(close, at + 2);
  if (at !== -1 && (at + 1 === written.length || written[at + 1] === '.')) return at + 1;
  const dot = written.indexOf('.', start);
  return dot === -1 ? written.length : dot;
}

/**
 * No qualified name is longer: a catalog has names of 200 characters, which may be doubled within quotes. A
 * template can have one of a million dots, which thousands of cards would look up.
 */
const QUALIFIED_MAX = 3 * (2 * 200 + 2) + 2;

/** The parts of a qualified name, such as `schema.table`, each with its quotes. */
export function splitName(written: string, rules: NameRules): string[] {
  if (written.length > QUALIFIED_MAX) return [written];
  const parts: string[] = [];
  for (let start = 0; start <= written.length;) {
    const end = endOfPart(written, start, rules);
    parts.push(written.slice(start, end));
    start = end + 1;
  }
  return parts;
}

/** Finds catalog entries by name. */
export interface NameFinder<T> {
  find(written: string): T | null;
}

/** An index of catalog entries by name. */
export class NameIndex<T> implements NameFinder<T> {
  readonly #exact: ReadonlyMap<string, T>;
  /** Null when several names fold to the same text. Such a name matches only exactly. */
  readonly #folded: ReadonlyMap<string, T | null>;
  readonly #rules: NameRules;
  readonly #kind: NameKind;

  constructor(entries: Iterable<readonly [string, T]>, rules: NameRules, kind: NameKind) {
    const exact = new Map(entries);
    this.#exact = exact;
    this.#rules = rules;
    this.#kind = kind;
    this.#folded = rules[kind].stored === asIs ? exact : foldKeys(exact, rules[kind].stored);
  }

  /** Finds the entry of a name: by the exact name, with or without its quotes, else by the folded name. */
  find(written: string): T | null {
    const exact = this.#exact.get(written) ?? this.#exact.get(unquote(written, this.#rules) ?? written);
    if (exact !== undefined) return exact;
    return this.#folded.get(canonicalName(written, this.#rules, this.#kind)) ?? null;
  }

  /** Finds names in the first of several indexes that has them, without a lookup in each. */
  static firstOf<T>(indexes: readonly NameIndex<T>[], rules: NameRules, kind: NameKind): NameFinder<T> {
    const exact = new Map<string, { order: number; value: T }>();
    const folded = new Map<string, { order: number; value: T }>();
    for (const [order, index] of indexes.entries()) {
      for (const [name, value] of index.#exact) if (!exact.has(name)) exact.set(name, { order, value });
      for (const [name, value] of index.#folded)
        if (value !== null && !folded.has(name)) folded.set(name, { order, value });
    }
    const find = (written: string) => {
      const unquoted = exact.get(unquote(written, rules) ?? written);
      const found = [exact.get(written), unquoted, folded.get(canonicalName(written, rules, kind))];
      const orders = found.map((each) => each?.order ?? Infinity);
      // The first of those in the same index is the most exact one.
      return found[orders.indexOf(Math.min(...orders))]?.value ?? null;
    };
    return { find };
  }
}

function foldKeys<T>(exact: ReadonlyMap<string, T>, fold: (name: string) => string): Map<string, T | null> {
  const folded = new Map<string, T | null>();
  for (const [name, value] of exact) {
    const key = fold(name);
    folded.set(key, folded.has(key) ? null : value);
  }
  return folded;
}
