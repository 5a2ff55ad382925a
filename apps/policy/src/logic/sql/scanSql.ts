import type { SqlDialect } from '@gatehouse/contract';
import type { ExpressionFault } from '../model.js';

/** What a dialect takes for quotes, comments and parameters. */
interface Lexis {
  /** Each opening quote with its closing one; a doubled closing quote is part of the text. */
  quotes: Readonly<Record<string, string>>;
  /** The quotes in which a backslash escapes the character after it. */
  escapedQuotes: string;
  hasHashComments: boolean;
  hasDollarQuotes: boolean;
  /** A parameter of the dialect at the start of the text. */
  parameter: RegExp;
}

const ANSI: Lexis = {
  quotes: { "'": "'", '"': '"' },
  escapedQuotes: '',
  hasHashComments: false,
  hasDollarQuotes: false,
  parameter: /^(?:\?|\$[\w{]|[@:]{1,2}[\p{L}_]|:\d)/u,
};

const LEXIS: Record<SqlDialect, Lexis> = {
  // `?` is an operator here, `::` a cast and `:` part of an array slice.
  postgres: { ...ANSI, hasDollarQuotes: true, parameter: /^\$\d/ },
  mysql: {
    ...ANSI,
    quotes: { ...ANSI.quotes, '`': '`' },
    escapedQuotes: `'"`,
    hasHashComments: true,
  },
  sqlite: { ...ANSI, quotes: { ...ANSI.quotes, '`': '`', '[': ']' } },
  duckdb: { ...ANSI, hasDollarQuotes: true, parameter: /^(?:\?|\$\w)/ },
  snowflake: {
    ...ANSI,
    escapedQuotes: "'",
    hasDollarQuotes: true,
    parameter: /^(?:\?|\$\w|(?<!:):[\p{L}\d_])/u,
  },
  bigquery: {
    ...ANSI,
    quotes: { ...ANSI.quotes, '`': '`' },
    escapedQuotes: `'"\``,
    hasHashComments: true,
  },
  mssql: { ...ANSI, quotes: { ...ANSI.quotes, '[': ']' } },
};

export type ScannedSql = { atoms: ReadonlySet<number>; fault?: undefined } | { fault: ExpressionFault };

const DOLLAR_QUOTE = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
const ESCAPED_STRING = /e'/iy;
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;

/** What a sticky pattern finds at a position. */
function matchAt(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0];
}

/**
 * Reads over an expression as the dialect's lexer would and finds what an expression may not hold: comments, semicolons,
 * parameters, and quotes that do not end.
 * @param atomAt the end of the atom that begins at a position, if one does; the scan steps over it
 * @returns the starts of the atoms that stand outside quotes
 */
export function scanSql(
  text: string,
  dialect: SqlDialect,
  atomAt: (position: number) => number | undefined,
): ScannedSql {
  const lexis = LEXIS[dialect];
  const atoms = new Set<number>();
  let position = 0;
  while (position < text.length) {
    const atomEnd = atomAt(position);
    if (atomEnd !== undefined) {
      atoms.add(position);
      position = atomEnd;
      continue;
    }
    const message = faultOf(text, position, lexis);
    if (message !== undefined) return { fault: { message, position } };
    const end = endOfElement(text, position, lexis);
    if (end === undefined) return { fault: { message: 'a quote does not end', position } };
    position = end;
  }
  return { atoms };
}

function faultOf(text: string, position: number, lexis: Lexis): string | undefined {
  const character = text.charAt(position);
  if (character === '\0') return 'a NUL is not allowed';
  if (character === ';') return 'a semicolon is not allowed';
  const isComment =
    text.startsWith('--', position) ||
    text.startsWith('/*', position) ||
    (lexis.hasHashComments && character === '#');
  if (isComment) return 'a comment is not allowed';
  // `a::b` is a cast and `x@y` an operator: only what begins a word is a parameter.
  if (!'?$:@'.includes(character) || text.charAt(position - 1) === ':') return undefined;
  if (lexis.hasDollarQuotes && matchAt(DOLLAR_QUOTE, text, position)) return undefined;
  return lexis.parameter.test(text.slice(position, position + 3))
    ? 'a parameter is not allowed: write a placeholder'
    : undefined;
}

/** Where the quoted text, the word or the single character at a position ends; undefined where a quote does not end. */
function endOfElement(text: string, position: number, lexis: Lexis): number | undefined {
  const character = text.charAt(position);
  const dollar = lexis.hasDollarQuotes ? matchAt(DOLLAR_QUOTE, text, position) : undefined;
  if (dollar !== undefined) {
    const end = text.indexOf(dollar, position + dollar.length);
    return end === -1 ? undefined : end + dollar.length;
  }
  const closing = lexis.quotes[character];
  if (closing !== undefined) {
    return endOfQuote(text, position + 1, { closing, isEscaped: lexis.escapedQuotes.includes(character) });
  }
  if (lexis.hasDollarQuotes && matchAt(ESCAPED_STRING, text, position)) {
    return endOfQuote(text, position + 2, { closing: "'", isEscaped: true });
  }
  // A word is taken whole: a `$` in it begins no quote, and its last letter no escaped string.
  return position + (matchAt(WORD, text, position)?.length ?? 1);
}

function endOfQuote(
  text: string,
  start: number,
  quote: { closing: string; isEscaped: boolean },
): number | undefined {
  for (let position = start; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (quote.isEscaped && character === '\\') position += 1;
    else if (character === quote.closing) {
      if (text.charAt(position + 1) !== quote.closing) return position + 1;
      position += 1;
    }
  }
  return undefined;
}
