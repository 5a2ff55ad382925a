import type { SqlDialect } from '@gatehouse/contract';

/** The dialects of this engine. PostgreSQL has one of its own. */
export type PolyglotDialect = Exclude<SqlDialect, 'postgres'>;

/** The lexical rules of a dialect. */
export interface Lexicon {
  /** Closing quotes of names by opening quote. A closing quote within a name is doubled. */
  nameQuotes: Readonly<Record<string, string>>;
  /** The opening quote of printed names. */
  nameQuote: '`' | '"' | '[';
  stringQuotes: string;
  /** Whether a string may have the prefix `N`. */
  hasNationalStrings: boolean;
  /** Whether a quote within a string may be doubled. */
  hasDoubledQuotes: boolean;
  /** The escapes that a backslash starts within a string; null if the backslash is an ordinary character. */
  escapes: Readonly<Record<string, string>> | null;
  /** Whether a dash comment requires white space after the dashes, so that `1--1` is a subtraction. */
  needsSpaceAfterDashes: boolean;
  hasHashComments: boolean;
  /** Whether a statement may contain `0x41` and `X'41'`. Rules do not: MySQL takes them for texts. */
  hasHexadecimals: boolean;
  operators: readonly string[];
  /** Further operators of statements. Rules have none of them, because servers differ in their order. */
  statementOperators: readonly string[];
  /** Additional words of the dialect. */
  words: readonly string[];
}

const ESCAPES = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };
// MySQL keeps the backslash of \% and \_ for LIKE. \0 is left out, because no store contains a NUL.
const MYSQL_ESCAPES = { ...ESCAPES, b: '\b', Z: '\u001a', '%': '\\%', _: '\\_' };
const OPERATORS = ['<>', '!=', '<=', '>=', '=', '<', '>', '(', ')', ',', '.', '+', '-', '*', '/', '%', ';'];
const STANDARD: Lexicon = {
  nameQuotes: { '"': '"' },
  nameQuote: '"',
  stringQuotes: "'",
  hasNationalStrings: false,
  hasDoubledQuotes: true,
  escapes: null,
  needsSpaceAfterDashes: false,
  hasHashComments: false,
  hasHexadecimals: false,
  operators: ['||', ...OPERATORS],
  statementOperators: [],
  words: ['ILIKE'],
};

/**
 * MySQL in its default SQL mode, where `"x"` is a string, and MariaDB. `||` is left out: it means OR or a
 * concatenation, depending on the mode of the session. SQLite's names are printed in backticks, because a
 * double-quoted name without a column silently becomes a string.
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
    hasHexadecimals: true,
    operators: ['<=>', ...OPERATORS],
    statementOperators: ['->>', '->', '<<', '>>', '&', '|', '^', '~'],
    words: ['XOR', 'DIV', 'REGEXP', 'RLIKE'],
  },
  sqlite: {
    ...STANDARD,
    nameQuotes: { '"': '"', '`': '`', '[': ']' },
    nameQuote: '`',
    hasHexadecimals: true,
    operators: ['||', '==', ...OPERATORS],
    statementOperators: ['->>', '->', '<<', '>>', '&', '|', '~'],
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
    hasNationalStrings: true,
    operators: OPERATORS,
    words: [],
  },
};

/** Words of the grammar that are names only if they are quoted. */
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
 * Words that start refused constructs, or that no parser may treat as names: reserved in some dialect, with a
 * meaning that this engine does not support.
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

/** The character sets to which `CONVERT(x USING …)` may convert. */
export const CHARACTER_SETS: ReadonlySet<string> = new Set(['ASCII', 'LATIN1', 'UTF8', 'UTF8MB3', 'UTF8MB4']);

/** Functions whose first argument is a unit. */
export const UNIT_CALLS: ReadonlySet<string> = new Set(['TIMESTAMPADD', 'TIMESTAMPDIFF']);

/** The types allowed in casts, with up to two numbers after them. */
export const CAST_TYPES: ReadonlySet<string> = new Set(
  `BIGINT BINARY BLOB BOOL BOOLEAN CHAR DATE DATETIME DECIMAL DOUBLE FLOAT FLOAT64 INT INT64 INTEGER JSON NUMERIC NVARCHAR REAL
  SIGNED SMALLINT STRING TEXT TIME TIMESTAMP TINYINT UNSIGNED UUID VARCHAR YEAR`.split(/\s+/),
);

/** Types that may precede a string literal, as in `DATE '2024-01-31'`. */
export const LITERAL_TYPES: ReadonlySet<string> = new Set(['DATE', 'TIME', 'TIMESTAMP']);

/** Functions that are called without parentheses. */
export const BARE_CALLS: ReadonlySet<string> = new Set(['CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP']);
