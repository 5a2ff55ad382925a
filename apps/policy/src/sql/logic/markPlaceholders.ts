import type { SqlDialect } from '@gatehouse/contract';
import type { ExpressionFault } from './restriction.js';
import { parseTemplate } from '@gatehouse/contract/placeholders';

/** The quotes, comments and parameters of a dialect. */
interface Lexis {
  /** Closing quotes by opening quote. A doubled closing quote is part of the text. */
  quotes: Readonly<Record<string, string>>;
  /** The quotes in which a backslash escapes the character after it. */
  escapedQuotes: string;
  hasHashComments: boolean;
  hasDollarQuotes: boolean;
  /** Matches a parameter of the dialect at the start of the text. */
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

/** The match of a sticky pattern at a position. */
function matchAt(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0];
}

/**
 * Scans an expression as the lexer of the dialect would. Finds what an expression may not contain: comments,
 * semicolons, parameters, and unterminated quotes.
 * @param atomAt returns the end of the atom that starts at a position, if there is one; the scan skips it
 * @returns the starts of the atoms outside quotes
 */
function scanSql(
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
  // `a::b` is a cast and `x@y` an operator: only a character at the start of a word marks a parameter.
  if (!'?$:@'.includes(character) || text.charAt(position - 1) === ':') return undefined;
  if (lexis.hasDollarQuotes && matchAt(DOLLAR_QUOTE, text, position)) return undefined;
  return lexis.parameter.test(text.slice(position, position + 3))
    ? 'a parameter is not allowed: write a placeholder'
    : undefined;
}

/**
 * The end of the quoted text, word or single character at a position; undefined for an unterminated quote.
 */
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
  // A word is scanned as a whole: a `$` in it opens no quote, and its last letter starts no escaped string.
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

/** An expression with markers that the parser of the dialect reads in place of its placeholders. */
export interface MarkedExpression {
  text: string;
  /** The placeholder of each marker, in order. A placeholder that is used twice is listed twice. */
  names: readonly string[];
  /** Converts a position in `text` to a position in the expression. */
  positionOf(position: number): number;
}

export type MarkedOrFault = (MarkedExpression & { fault?: undefined }) | { fault: ExpressionFault };

const IN_KEYWORD = /(?:^|[^\w$."`\]])in\s*$/i;

/**
 * Replaces each `{{ name }}` of a SQL expression by a marker, such as `$1`. After `IN` the marker gets the
 * parentheses that the grammar requires. Refuses a placeholder in quotes or next to a word, a comment, a
 * semicolon, and a parameter in the expression itself.
 * @param markerOf returns the marker of the placeholder with an index, from 0
 */
export function markPlaceholders(
  expression: string,
  dialect: SqlDialect,
  markerOf: (index: number) => string,
): MarkedOrFault {
  const template = parseTemplate(expression);
  if (template.fault) return { fault: template.fault };
  const placeholders = new Map<number, { name: string; end: number }>();
  for (const part of template.parts) {
    if (part.kind !== 'placeholder') continue;
    const end = expression.indexOf('}}', part.position) + 2;
    placeholders.set(part.position, { name: part.name, end });
  }
  const scanned = scanSql(expression, dialect, (position) => placeholders.get(position)?.end);
  if (scanned.fault) return { fault: scanned.fault };
  const names: string[] = [];
  const seams: { text: number; source: number }[] = [{ text: 0, source: 0 }];
  let text = '';
  let read = 0;
  for (const [position, { name, end }] of placeholders) {
    if (!scanned.atoms.has(position)) return faultAt('a placeholder may not stand within quotes', position);
    if (touchesWord(expression, position, end)) {
      return faultAt('a placeholder stands for a whole value and may not touch a word', position);
    }
    text += expression.slice(read, position);
    const marker = markerOf(names.length);
    text += IN_KEYWORD.test(text) ? ` (${marker}) ` : ` ${marker} `;
    names.push(name);
    read = end;
    seams.push({ text: text.length, source: end });
  }
  text += expression.slice(read);
  const positionOf = (at: number): number => {
    const seam = seams.findLast((candidate) => candidate.text <= at) ?? { text: 0, source: 0 };
    return Math.min(expression.length, seam.source + at - seam.text);
  };
  return { text, names, positionOf };
}

function faultAt(message: string, position: number): { fault: ExpressionFault } {
  return { fault: { message, position } };
}

function touchesWord(expression: string, start: number, end: number): boolean {
  const before = expression[start - 1] ?? ' ';
  const after = expression[end] ?? ' ';
  return /[\p{L}\p{N}_$@'"`.]/u.test(before) || /[\p{L}\p{N}_$@'"`.(]/u.test(after);
}
