import type { SqlDialect } from '@gatehouse/contract';

/** How names of one sort compare: `written` folds a name of a template, `stored` one of the catalog. */
interface Folding {
  written(name: string): string;
  stored(name: string): string;
}

export interface NameRules {
  tables: Folding;
  columns: Folding;
  /** What encloses a quoted name. */
  quotes: readonly (readonly [open: string, close: string])[];
  /** A quoted name is not folded. */
  isExactWhenQuoted: boolean;
  /** The schema of a table that is named without one, where the catalog does not say. */
  defaultSchema: string | null;
}

const asIs = (name: string) => name;
const asciiLower = (name: string) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const asciiUpper = (name: string) => name.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

const EXACT: Folding = { written: asIs, stored: asIs };
const ANY_ASCII_CASE: Folding = { written: asciiLower, stored: asciiLower };
const ANY_CASE: Folding = { written: foldCase, stored: foldCase };
/** Databases that keep unquoted names in one case, and so find them in that case alone. */
const KEPT_LOWER: Folding = { written: asciiLower, stored: asIs };
const KEPT_UPPER: Folding = { written: asciiUpper, stored: asIs };

const DOUBLE = ['"', '"'] as const;
const BACKTICK = ['`', '`'] as const;
const BRACKET = ['[', ']'] as const;

/**
 * What each dialect says of names. PostgreSQL folds the letters A to Z alone, in any encoding that UTF-8 needs. Whether
 * MySQL tells tables apart by case depends on its file system, which the catalog does not tell: both are accepted.
 */
export const NAME_RULES: Record<SqlDialect, NameRules> = {
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
    tables: ANY_CASE,
    columns: ANY_CASE,
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

/** Names that Gatehouse gives itself: nothing is folded, and quotes are letters like any other. */
export const OWN_NAMES: NameRules = {
  tables: EXACT,
  columns: EXACT,
  quotes: [],
  isExactWhenQuoted: false,
  defaultSchema: null,
};

/**
 * The same text for names that differ in case alone, in any script; by way of upper case, which joins ß with ss. The capital
 * ẞ has no other upper case, and so has to be made small first.
 */
export function foldCase(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}

/** The name inside the quotes of a quoted name; null for one that is not quoted. */
function unquote(written: string, { quotes }: NameRules): string | null {
  for (const [open, close] of quotes) {
    const isQuoted = written.length > 2 && written.startsWith(open) && written.endsWith(close);
    if (isQuoted) return written.slice(1, -1).replaceAll(close + close, close);
  }
  return null;
}

type NameSort = 'tables' | 'columns';

/** A name of a template as it compares with others of the same template. */
export function canonicalName(written: string, rules: NameRules, sort: NameSort): string {
  const quoted = unquote(written, rules);
  if (quoted !== null && rules.isExactWhenQuoted) return quoted;
  return rules[sort].written(quoted ?? written);
}

/** Things of a catalog by their names. */
export class NameIndex<T> {
  readonly #exact: ReadonlyMap<string, T>;
  /** Null where several names differ by folding alone: a name that is none of them exactly means none of them. */
  readonly #folded: ReadonlyMap<string, T | null>;
  readonly #rules: NameRules;
  readonly #sort: NameSort;

  constructor(entries: Iterable<readonly [string, T]>, rules: NameRules, sort: NameSort) {
    const exact = new Map(entries);
    this.#exact = exact;
    this.#rules = rules;
    this.#sort = sort;
    this.#folded = rules[sort].stored === asIs ? exact : foldKeys(exact, rules[sort].stored);
  }

  /** What a name of a template stands for: exactly that name, else the one that it folds to. */
  find(written: string): T | null {
    const exact = this.#exact.get(written);
    if (exact !== undefined) return exact;
    return this.#folded.get(canonicalName(written, this.#rules, this.#sort)) ?? null;
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
