import { hasSqlDetails, loadModule, parseSync, scanSync, type ScanToken } from 'libpg-query';
import type { SelectStmt } from '@pgsql/types';
import { Refusal } from '../sql/denials.js';
import { measureNesting } from './nesting.js';
import { isDeeperThan } from './trees.js';

/** Longest statement in UTF-16 units, most tokens, and deepest tree that is worked on. */
const LENGTH_MAX = 1_048_576;
const TOKENS_MAX = 60_000;
const DEPTH_MAX = 700;

/** A NUL would end the text for the parser, silently; half a surrogate pair would become another character. */
const UNREADABLE = /[\0\p{Surrogate}]/u;
/** About what the lexer takes for one thing, white space included. */
const WORD = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[\w$.]+|\s+|[^]/y;
/** What has to be in a text for `faultOf` to find a fault in a statement. A name that only begins with TABLE is another word. */
const TELLING_WORD = /table(?![\w\u0080-\uffff])|u&|\$/i;
const ESCAPED_UNICODE = /^u&["']/i;

/** Loads the parser, once in a process. */
export async function loadParser(): Promise<void> {
  await loadModule();
}

/** What a text may hold: a rule may not hold what would be dropped in silence, and holds its values' markers. */
export type TextKind = 'statement' | 'expression';

/**
 * Parses one SELECT.
 * @throws {Refusal} with `position` in UTF-16 units, whatever is wrong with the text
 */
export function parseSelect(text: string, kind: TextKind): SelectStmt {
  if (text.length > LENGTH_MAX) throw new Refusal('TOO_LARGE', `longer than ${LENGTH_MAX} characters`);
  const unreadable = UNREADABLE.exec(text);
  if (unreadable) {
    throw new Refusal('SYNTAX_ERROR', 'a NUL or half a character', { position: unreadable.index });
  }
  if (text.trim() === '') throw new Refusal('SYNTAX_ERROR', 'there is no statement');
  const tokens = mayNeedTokens(text, kind) ? scanTokens(text) : [];
  if (tokens.length > TOKENS_MAX) throw tooLarge();
  if (measureNesting(tokens) > DEPTH_MAX) throw tooDeep();
  const tree = parseTree(text);
  checkTokens(text, tokens, kind);
  if (isDeeperThan(DEPTH_MAX, tree)) throw tooDeep();
  return tree;
}

/** Parses what this program printed: the same grammar, without the questions asked of other people's text. */
export function parsePrinted(text: string): SelectStmt {
  return parseTree(text);
}

/** Most statements are short and hold nothing that only their words tell: reading those would take as long as parsing. */
function mayNeedTokens(text: string, kind: TextKind): boolean {
  return text.length > DEPTH_MAX || kind === 'expression' || TELLING_WORD.test(text);
}

function scanTokens(text: string): ScanToken[] {
  if (countWords(text) > 2 * TOKENS_MAX) throw tooLarge();
  try {
    return scanSync(text).tokens;
  } catch {
    // The lexer's errors say less than those of the parser, which comes to the same place.
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

/** Roughly, so that no text is scanned that is far too large: that takes seconds. */
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
  // The tree of `TABLE x` is that of `SELECT * FROM x`: only the word tells them apart.
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
 * Runs work on the tree of a text, which says where something is in bytes of UTF-8, and says it in UTF-16 units instead.
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

/** The tree counts bytes of UTF-8; positions are given in UTF-16 units. */
export function positionOfByte(text: string, byte: number): number {
  let bytes = 0;
  let position = 0;
  for (const character of text) {
    if (bytes >= byte) break;
    bytes += Buffer.byteLength(character);
    position += character.length;
  }
  return position;
}

/** Syntax errors count characters, of which some are two UTF-16 units. */
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
