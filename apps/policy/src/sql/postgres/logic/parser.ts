import { type ScanToken, hasSqlDetails, loadModule, parseSync, scanSync } from 'libpg-query';
import type { SelectStmt } from '@pgsql/types';
import { Refusal } from '../../logic/denials.js';
import { countRereadSigns, measureNesting } from './nesting.js';
import { isDeeperThan } from './trees.js';

/** The limits of a statement: its length in UTF-16 units, its tokens, and the depth of its tree. */
const LENGTH_MAX = 1_048_576;
const TOKENS_MAX = 60_000;
const DEPTH_MAX = 700;
/** The most signs that the lexer reads again, which takes about 10 ns for each. */
const REREAD_SIGNS_MAX = 4_000_000;

/**
 * The parser would silently end the text at a NUL, and change half a surrogate pair into another character.
 */
const UNREADABLE = /[\0\p{Surrogate}]/u;
/** Approximately one token of the lexer, including white space. */
const WORD = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[\w$.]+|\s+|[^]/y;
/**
 * Matches every statement in which `faultOf` can find a fault. A name that only starts with TABLE is another
 * word.
 */
const TOKEN_DEPENDENT = /table(?![\w\u0080-\uffff])|u&|\$/i;
const ESCAPED_UNICODE = /^u&["']/i;

/** Loads the parser, once per process. */
export async function loadParser(): Promise<void> {
  await loadModule();
}

/**
 * The kind of a text. A rule must not contain anything that would be dropped silently, but contains the
 * markers of its values.
 */
export type TextKind = 'statement' | 'expression';

/**
 * Parses one SELECT.
 * @throws {Refusal} for every fault, with `position` in UTF-16 units
 */
export function parseSelect(text: string, kind: TextKind): SelectStmt {
  if (text.length > LENGTH_MAX) throw new Refusal('TOO_LARGE', `longer than ${LENGTH_MAX} characters`);
  const unreadable = UNREADABLE.exec(text);
  if (unreadable) {
    throw new Refusal('SYNTAX_ERROR', 'a NUL or half a character', { position: unreadable.index });
  }
  if (text.trim() === '') throw new Refusal('SYNTAX_ERROR', 'there is no statement');
  if (countRereadSigns(text) > REREAD_SIGNS_MAX) throw tooDeep();
  const tokens = mayNeedTokens(text, kind) ? scanTokens(text) : [];
  if (tokens.length > TOKENS_MAX) throw tooLarge();
  if (measureNesting(tokens) > DEPTH_MAX) throw tooDeep();
  const tree = parseTree(text);
  checkTokens(text, tokens, kind);
  if (isDeeperThan(DEPTH_MAX, tree)) throw tooDeep();
  return tree;
}

/** Parses a text printed by this program, with the same grammar but without the checks of untrusted text. */
export function parsePrinted(text: string): SelectStmt {
  return parseTree(text);
}

/**
 * Whether the tokens are needed. Most statements are short and contain nothing that only their tokens show.
 * Scanning them takes as long as parsing.
 */
function mayNeedTokens(text: string, kind: TextKind): boolean {
  return text.length > DEPTH_MAX || kind === 'expression' || TOKEN_DEPENDENT.test(text);
}

function scanTokens(text: string): ScanToken[] {
  if (countWords(text) > 2 * TOKENS_MAX) throw tooLarge();
  try {
    return scanSync(text).tokens;
  } catch {
    // The errors of the parser are more precise than those of the lexer.
    parseStatements(text);
    throw new Refusal('SYNTAX_ERROR', 'does not parse');
  }
}

function parseTree(text: string): SelectStmt {
  const statements = parseStatements(text);
  const [first, second] = statements;
  if (!first) throw new Refusal('SYNTAX_ERROR', 'there is no statement');
  if (second) {
    const position = positionOfByte(text, second.stmt_location ?? 0);
    throw new Refusal('SEVERAL_STATEMENTS', 'more than one statement', { position });
  }
  const statement = first.stmt;
  if (!statement || !('SelectStmt' in statement)) throw new Refusal('NOT_A_SELECT', 'not a SELECT');
  return statement.SelectStmt;
}

function parseStatements(text: string) {
  try {
    return parseSync(text).stmts ?? [];
  } catch (error) {
    throw asRefusal(text, error);
  }
}

/** An approximate count, to avoid scanning a far too large text: that takes seconds. */
function countWords(text: string): number {
  let count = 0;
  WORD.lastIndex = 0;
  while (count <= 2 * TOKENS_MAX && WORD.test(text)) count += 1;
  WORD.lastIndex = 0;
  return count;
}

function tooLarge(): Refusal {
  return new Refusal('TOO_LARGE', `more than ${TOKENS_MAX} words and signs`);
}

function tooDeep(): Refusal {
  return new Refusal('TOO_DEEP', 'nested too deeply');
}

function asRefusal(text: string, error: unknown): Refusal {
  if (error instanceof RangeError) return tooDeep();
  if (!hasSqlDetails(error)) return new Refusal('SYNTAX_ERROR', 'does not parse');
  const position = positionOfCharacter(text, error.sqlDetails?.cursorPosition ?? 0);
  return new Refusal('SYNTAX_ERROR', error.message, { position });
}

function checkTokens(text: string, tokens: readonly ScanToken[], kind: TextKind): void {
  for (const token of tokens) {
    const fault = faultOf(token, kind);
    if (fault === undefined) continue;
    const [code, message] = fault;
    throw new Refusal(code, message, { position: positionOfByte(text, token.start) });
  }
}

function faultOf(token: ScanToken, kind: TextKind): ConstructorParameters<typeof Refusal> | undefined {
  if (ESCAPED_UNICODE.test(token.text)) return ['FORBIDDEN_CONSTRUCT', 'an escaped Unicode name or string'];
  // `TABLE x` and `SELECT * FROM x` have the same tree: only the word distinguishes them.
  if (token.keywordKind === 4 && token.text.toLowerCase() === 'table') {
    return ['FORBIDDEN_CONSTRUCT', 'the TABLE command'];
  }
  if (kind === 'statement') {
    return token.tokenName === 'PARAM'
      ? ['PARAMETER_IN_STATEMENT', 'a statement may not bring parameters of its own']
      : undefined;
  }
  if (token.tokenName === 'SQL_COMMENT' || token.tokenName === 'C_COMMENT') {
    return ['SYNTAX_ERROR', 'a comment is not allowed'];
  }
  return token.text === ';' ? ['SYNTAX_ERROR', 'a semicolon is not allowed'] : undefined;
}

/**
 * Runs work on the tree of a text. Converts the position of a Refusal from UTF-8 bytes, as in the tree, to
 * UTF-16 units.
 */
export function locateIn<T>(text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const byte = error instanceof Refusal ? (error.reason.position ?? null) : null;
    if (error instanceof Refusal && byte !== null) error.reason.position = positionOfByte(text, byte);
    throw error;
  }
}

/** Converts a position in UTF-8 bytes to UTF-16 units. */
export function positionOfByte(text: string, byte: number): number {
  return Buffer.from(text).subarray(0, byte).toString().length;
}

/**
 * Converts a position in characters, as in syntax errors, to UTF-16 units. Some characters take two units.
 */
function positionOfCharacter(text: string, index: number): number {
  let left = index;
  let position = 0;
  for (const character of text) {
    if (left <= 0) break;
    left -= 1;
    position += character.length;
  }
  return position;
}
