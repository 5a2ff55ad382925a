import type { SqlDialect } from '@gatehouse/contract';

/** The dialects that this engine reads; PostgreSQL has one of its own. */
export type PolyglotDialect = Exclude<SqlDialect, 'postgres'>;

/** How a dialect is written, character by character. */
export interface Lexicon {
  /** What opens a quoted name, and what closes it; a name holds its closing character doubled. */
  nameQuotes: Readonly<Record<string, string>>;
  /** What names are quoted with when they are printed. */
  nameQuote: '`' | '"' | '[';
  stringQuotes: string;
  /** A quote inside a string is doubled. */
  hasDoubledQuotes: boolean;
  /** A backslash inside a string begins one of these escapes; null where it is a character like any other. */
  escapes: Readonly<Record<string, string>> | null;
  /** A dash comment begins only before white space, so that `1--1` is a subtraction. */
  needsSpaceAfterDashes: boolean;
  hasHashComments: boolean;
  operators: readonly string[];
  /** Words of the dialect's own that are understood. */
  words: readonly string[];
}

const ESCAPES = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };
// MySQL keeps the backslash of \% and \_ for LIKE. \0 is left out: no store holds a NUL.
const MYSQL_ESCAPES = { ...ESCAPES, b: '\b', Z: '\u001a', '%': '\\%', _: '\\_' };
const OPERATORS = ['<>', '!=', '<=', '>=', '=', '<', '>', '(', ')', ',', '.', '+', '-', '*', '/', '%', ';'];
const STANDARD: Lexicon = {
  nameQuotes: { '"': '"' },
  nameQuote: '"',
  stringQuotes: "'",
  hasDoubledQuotes: true,
  escapes: null,
  needsSpaceAfterDashes: false,
  hasHashComments: false,
  operators: ['||', ...OPERATORS],
  words: ['ILIKE'],
};

/**
 * MySQL in its default SQL mode, where `"x"` is a string, and MariaDB. `||` is left out: it is OR or a concatenation,
 * depending on the mode of the session. SQLite's names are printed in backticks, because a double-quoted one that names
 * no column turns into a string without a word.
 */
export const LEXICONS: Readonly<Record<PolyglotDialect, Lexicon>> = {
  mysql: {
    ...STANDARD,
    nameQuotes: { '`': '`' },
    nameQuote: '`',
    stringQuotes: `'"`,
    escapes: MYSQL_ESCAPES,
    needsSpaceAfterDashes: true,
    hasHashComments: true,
    operators: ['<=>', ...OPERATORS],
    words: ['XOR', 'DIV', 'REGEXP', 'RLIKE'],
  },
  sqlite: {
    ...STANDARD,
    nameQuotes: { '"': '"', '`': '`', '[': ']' },
    nameQuote: '`',
    operators: ['||', '==', ...OPERATORS],
    words: ['GLOB'],
  },
  duckdb: STANDARD,
  snowflake: { ...STANDARD, escapes: ESCAPES },
  bigquery: {
    ...STANDARD,
    nameQuotes: { '`': '`' },
    nameQuote: '`',
    stringQuotes: `'"`,
    hasDoubledQuotes: false,
    escapes: ESCAPES,
    hasHashComments: true,
  },
  mssql: {
    ...STANDARD,
    nameQuotes: { '"': '"', '[': ']' },
    nameQuote: '[',
    operators: OPERATORS,
    words: [],
  },
};

/** Words of the grammar that are never names unless they are quoted. */
const GRAMMAR =
  `SELECT DISTINCT ALL FROM WHERE GROUP BY HAVING ORDER ASC DESC LIMIT WITH AS UNION INTERSECT EXCEPT JOIN INNER LEFT RIGHT
  OUTER CROSS NATURAL ON USING AND OR NOT IN IS NULL TRUE FALSE LIKE BETWEEN EXISTS CASE WHEN THEN ELSE END OVER COLLATE`.split(
    /\s+/,
  );
const GRAMMAR_WORDS: ReadonlySet<string> = new Set(GRAMMAR);

const wordsOf = (dialect: PolyglotDialect): ReadonlySet<string> => new Set(LEXICONS[dialect].words);
const DIALECT_WORDS: Readonly<Record<PolyglotDialect, ReadonlySet<string>>> = {
  mysql: wordsOf('mysql'),
  sqlite: wordsOf('sqlite'),
  duckdb: wordsOf('duckdb'),
  snowflake: wordsOf('snowflake'),
  bigquery: wordsOf('bigquery'),
  mssql: wordsOf('mssql'),
};

export function isGrammarWord(word: string, dialect: PolyglotDialect): boolean {
  return GRAMMAR_WORDS.has(word) || DIALECT_WORDS[dialect].has(word);
}

/**
 * Words that begin what is refused, or what no parser may take for a name: reserved in some dialect, with a meaning that
 * this engine does not give them.
 */
const REFUSED =
  `ADD ALTER ANALYZE ATTACH BINARY CALL CONNECT CONVERT CREATE CUBE DELAYED DELETE DESCRIBE DETACH DISTINCTROW DROP
  DUMPFILE EXEC EXECUTE EXPLAIN FETCH FOR FORCE GRANT GROUPING HIGH_PRIORITY IGNORE INDEXED INSERT INTO ISNULL
  KILL LOAD LOCK MATCH MERGE MINUS NOTNULL OPENROWSET OUTFILE PIVOT PRAGMA PROCEDURE QUALIFY REINDEX RETURNING REVOKE ROLLUP
  SAMPLE SET SHOW SOUNDS SQL_BIG_RESULT SQL_BUFFER_RESULT SQL_CACHE SQL_CALC_FOUND_ROWS SQL_NO_CACHE SQL_SMALL_RESULT
  STRAIGHT_JOIN TABLE TABLESAMPLE TOP TRUNCATE UNPIVOT UPDATE USE VACUUM VALUES`.split(/\s+/);
const REFUSED_WORDS: ReadonlySet<string> = new Set(REFUSED);

export function isRefusedWord(word: string): boolean {
  return REFUSED_WORDS.has(word);
}

/** The units of intervals and of `EXTRACT`. */
export const TIME_UNITS: ReadonlySet<string> = new Set([
  'MICROSECOND',
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
]);

/** The types that a cast may name, with up to two numbers after them. */
export const CAST_TYPES: ReadonlySet<string> = new Set(
  `BIGINT BINARY BLOB BOOL BOOLEAN CHAR DATE DATETIME DECIMAL DOUBLE FLOAT FLOAT64 INT INT64 INTEGER JSON NUMERIC NVARCHAR REAL
  SIGNED SMALLINT STRING TEXT TIME TIMESTAMP TINYINT UNSIGNED UUID VARCHAR YEAR`.split(/\s+/),
);

/** Types that a string literal may follow, as in `DATE '2024-01-31'`. */
export const LITERAL_TYPES: ReadonlySet<string> = new Set(['DATE', 'TIME', 'TIMESTAMP']);

/** Functions that are called without parentheses. */
export const BARE_CALLS: ReadonlySet<string> = new Set(['CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP']);
