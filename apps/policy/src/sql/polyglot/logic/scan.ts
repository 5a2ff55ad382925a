import { markPlaceholders } from '../../logic/markPlaceholders.js';
import { LEXICONS, type Lexicon, type PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';

export interface Token {
  /**
   * `name` is a quoted name, one with letters that no keyword has, or one after a period, where servers take
   * keywords for names. `word` is anything else made of letters.
   */
  kind: 'word' | 'name' | 'string' | 'number' | 'symbol' | 'placeholder';
  /** The text between the quotes with its escapes resolved; for other tokens the text itself. */
  text: string;
  /** In UTF-16 units from the start of the text. */
  position: number;
}

/** The maximum number of tokens. */
const TOKENS_MAX = 200_000;

const SPACE = /[ \t\r\n]+/y;
const WORD = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const HEXADECIMAL = /0x[0-9A-Fa-f]+|[Xx]'(?:[0-9A-Fa-f]{2})*'/y;
const NAME_CHARACTER = /[A-Za-z0-9_$.\u0080-\uffff]/;
const PLAIN_WORD = /^[A-Za-z0-9_]+$/;
/**
 * White space of other scripts, the byte order mark and bidirectional controls: not part of an unquoted name.
 */
const INVISIBLE = /[\p{White_Space}\p{Cf}\p{Cc}]/u;

/** The marker of a placeholder while its text is scanned. */
const MARKER = /\{\{\d+\}\}/y;
/** SQL Server removes both the backslash and the line break. */
const CONTINUED_LINE = /\\[\r\n]/;

function matchAt(pattern: RegExp, text: string, position: number): string | null {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? null;
}

/** Reads a text once from its start to its end. */
class Scanner {
  readonly #tokens: Token[] = [];
  #position = 0;

  readonly #text: string;
  readonly #lexicon: Lexicon;
  /** The names of the placeholders by the number of their marker; null if placeholders are not allowed. */
  readonly #placeholders: readonly string[] | null;

  constructor(text: string, lexicon: Lexicon, placeholders: readonly string[] | null) {
    this.#text = text;
    this.#lexicon = lexicon;
    this.#placeholders = placeholders;
  }

  scan(): Token[] {
    while (this.#position < this.#text.length) {
      if (!this.#skipSpace() && !this.#skipComment()) this.#readToken();
      if (this.#tokens.length > TOKENS_MAX)
        refuse('TOO_LARGE', `more than ${TOKENS_MAX} words and signs are not allowed`);
    }
    return this.#tokens;
  }

  #skipSpace(): boolean {
    const space = matchAt(SPACE, this.#text, this.#position);
    this.#position += space?.length ?? 0;
    return space !== null;
  }

  #skipComment(): boolean {
    const text = this.#text;
    const position = this.#position;
    const lexicon = this.#lexicon;
    if (text.startsWith('/*', position)) return this.#skipBlockComment();
    const isDashed = text.startsWith('--', position);
    if (!isDashed && !(lexicon.hasHashComments && text[position] === '#')) return false;
    const after = text[position + 2];
    if (isDashed && lexicon.needsSpaceAfterDashes && after !== undefined && !/\s/.test(after)) {
      refuse('SYNTAX_ERROR', '"--" without a space after it is no comment in this dialect', position);
    }
    const end = text.indexOf('\n', position);
    this.#position = end === -1 ? text.length : end;
    return true;
  }

  #skipBlockComment(): true {
    const text = this.#text;
    const position = this.#position;
    // MySQL and MariaDB execute the content of these comments.
    if (/^\/\*M?!/.test(text.slice(position, position + 4))) {
      refuse('FORBIDDEN_CONSTRUCT', 'an executable comment is not allowed', position);
    }
    const end = text.indexOf('*/', position + 2);
    if (end === -1) refuse('SYNTAX_ERROR', 'a comment does not end', position);
    // Dialects differ in whether comments nest, so they would disagree on the end of this one.
    if (text.slice(position + 2, end).includes('/*')) {
      refuse('FORBIDDEN_CONSTRUCT', 'a comment within a comment is not allowed', position);
    }
    this.#position = end + 2;
    return true;
  }

  #readToken(): void {
    const text = this.#text;
    const position = this.#position;
    const lexicon = this.#lexicon;
    const character = text[position] ?? '';
    if (lexicon.stringQuotes.includes(character)) return this.#readString(character);
    if (Object.hasOwn(lexicon.nameQuotes, character)) return this.#readName(character);
    const marker = this.#placeholders && matchAt(MARKER, text, position);
    if (marker != null) return this.#readPlaceholder(marker);
    const isStatement = this.#placeholders === null;
    const bytes = lexicon.hasHexadecimals && isStatement ? matchAt(HEXADECIMAL, text, position) : null;
    if (bytes !== null) return this.#readNumber(bytes);
    const word = matchAt(WORD, text, position);
    if (word !== null) return this.#readWord(word);
    const isAfterName = this.#tokens.at(-1)?.kind === 'name' || this.#tokens.at(-1)?.kind === 'word';
    const number = character === '.' && isAfterName ? null : matchAt(NUMBER, text, position);
    if (number !== null) return this.#readNumber(number);
    const operator = lexicon.operators.find((each) => text.startsWith(each, position));
    // MySQL's `||` means OR or a concatenation, depending on the mode of the session.
    const isDoubled = '&|'.includes(character) && text[position + 1] === character;
    if (operator === undefined || (isDoubled && operator.length === 1)) {
      const isParameter = '?:$@'.includes(character);
      const code = isParameter ? 'PARAMETER_IN_STATEMENT' : 'FORBIDDEN_OPERATOR';
      refuse(code, `the character ${JSON.stringify(character)} is not allowed`, position);
    }
    this.#push({ kind: 'symbol', text: operator, position }, position + operator.length);
  }

  #readPlaceholder(marker: string): void {
    const position = this.#position;
    const name = this.#placeholders?.[Number(marker.slice(2, -2))];
    if (name === undefined) refuse('SYNTAX_ERROR', 'a placeholder is malformed', position);
    this.#push({ kind: 'placeholder', text: name, position }, position + marker.length);
  }

  #readWord(word: string): void {
    const position = this.#position;
    if (INVISIBLE.test(word))
      refuse('FORBIDDEN_CONSTRUCT', 'an invisible character is not allowed', position);
    const next = this.#text[position + word.length] ?? '';
    if (this.#lexicon.hasNationalStrings && next === "'" && /^n$/i.test(word)) {
      this.#position += word.length;
      return this.#readString(next);
    }
    // N'…', X'…', _utf8'…', r'…', U&"…": kinds of strings that are not supported.
    if (`'"&`.includes(next) && next !== '') {
      refuse('FORBIDDEN_CONSTRUCT', `${word} directly before a quote is not allowed`, position);
    }
    const previous = this.#tokens.at(-1);
    const isInPath = previous?.kind === 'symbol' && previous.text === '.';
    const kind = isInPath || !PLAIN_WORD.test(word) ? 'name' : 'word';
    this.#push({ kind, text: word, position }, position + word.length);
  }

  #readNumber(number: string): void {
    const position = this.#position;
    const end = position + number.length;
    if (NAME_CHARACTER.test(this.#text[end] ?? ''))
      refuse('SYNTAX_ERROR', 'a number runs into a word', position);
    this.#push({ kind: 'number', text: number, position }, end);
  }

  #readName(open: string): void {
    const text = this.#text;
    const position = this.#position;
    const lexicon = this.#lexicon;
    const close = lexicon.nameQuotes[open] ?? open;
    let name = '';
    let at = position + 1;
    for (;;) {
      const end = text.indexOf(close, at);
      if (end === -1) refuse('SYNTAX_ERROR', 'a quoted name does not end', position);
      name += text.slice(at, end);
      if (text[end + 1] !== close) {
        at = end + 1;
        break;
      }
      name += close;
      at = end + 2;
    }
    checkName(name, position);
    this.#push({ kind: 'name', text: name, position }, at);
  }

  #readString(quote: string): void {
    const text = this.#text;
    const position = this.#position;
    const lexicon = this.#lexicon;
    if (this.#tokens.at(-1)?.kind === 'string') {
      refuse('FORBIDDEN_CONSTRUCT', 'two strings side by side are not allowed', position);
    }
    let value = '';
    let at = position + 1;
    for (;;) {
      const character = text[at];
      if (character === undefined) refuse('SYNTAX_ERROR', 'a string does not end', position);
      if (character === quote && !(lexicon.hasDoubledQuotes && text[at + 1] === quote)) break;
      const isEscape = character === '\\' && lexicon.escapes !== null;
      value += isEscape ? this.#readEscape(at) : character;
      at += isEscape || character === quote ? 2 : 1;
    }
    if (lexicon.escapes === null && CONTINUED_LINE.test(value)) {
      refuse('FORBIDDEN_CONSTRUCT', 'a backslash at the end of a line in a string is not allowed', position);
    }
    this.#push({ kind: 'string', text: value, position }, at + 1);
  }

  #readEscape(position: number): string {
    const escaped = this.#text[position + 1] ?? '';
    const value = this.#lexicon.escapes?.[escaped];
    if (value === undefined)
      refuse('FORBIDDEN_CONSTRUCT', `the escape \\${escaped} is not allowed`, position);
    return value;
  }

  #push(token: Token, end: number): void {
    this.#tokens.push(token);
    this.#position = end;
  }
}

/** A quoted name may contain any character except those that databases do not show unchanged. */
export function checkName(name: string, position: number): void {
  if (name === '') refuse('SYNTAX_ERROR', 'a name is empty', position);
  if (/[\p{Cc}\p{Surrogate}]/u.test(name))
    refuse('FORBIDDEN_CONSTRUCT', 'a control character in a name is not allowed', position);
}

/**
 * The tokens of a statement, without its comments.
 * @throws Refusal for a text that the lexer of the dialect might read differently
 */
export function scanStatement(text: string, dialect: PolyglotDialect): Token[] {
  const nul = text.indexOf('\0');
  if (nul !== -1) refuse('SYNTAX_ERROR', 'a NUL is not allowed', nul);
  return new Scanner(text, statementLexicon(dialect), null).scan();
}

/** The lexicon of statements, with the longest operators first. */
function statementLexicon(dialect: PolyglotDialect, ...added: string[]): Lexicon {
  const lexicon = LEXICONS[dialect];
  const operators = [...added, ...lexicon.operators, ...lexicon.statementOperators];
  return { ...lexicon, operators: operators.toSorted((one, other) => other.length - one.length) };
}

/** The tokens of a statement printed with `?` for its values. */
export function scanPrinted(text: string, dialect: PolyglotDialect): Token[] {
  return new Scanner(text, statementLexicon(dialect, '?'), null).scan();
}

/**
 * The tokens of a rule, which may contain placeholders, but no comments or semicolons.
 * @throws Refusal as `scanStatement`
 */
export function scanExpression(text: string, dialect: PolyglotDialect): Token[] {
  const marked = markPlaceholders(text, dialect, (index) => `{{${index}}}`);
  if (marked.fault) refuse('SYNTAX_ERROR', marked.fault.message, marked.fault.position);
  const tokens = new Scanner(marked.text, LEXICONS[dialect], marked.names).scan();
  return tokens.map((token) => ({ ...token, position: marked.positionOf(token.position) }));
}
