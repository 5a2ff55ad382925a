import { isKeyword, spellingOf } from './keywords.js';
import type { PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';
import { checkName, type Token } from './scan.js';

/** Deeper parentheses overflow the parser's guard, which stops at 33 levels. */
const NESTING_MAX = 30;

const SYNONYMS: Readonly<Record<string, string>> = { '!=': '<>', '==': '=', RLIKE: 'REGEXP', SOME: 'ANY' };

/** What MySQL takes after IS and IS NOT. */
const TRUTHS: ReadonlySet<string> = new Set(['NULL', 'TRUE', 'FALSE', 'UNKNOWN']);

/** Words without a meaning, with the words that must precede some of them. */
const OPTIONAL: Readonly<Record<string, readonly string[] | null>> = {
  AS: null,
  ASC: null,
  INNER: null,
  OUTER: null,
  ALL: ['SELECT'],
};

/**
 * Normalizes the spelling of tokens: one word for each pair of synonyms, `LIMIT n OFFSET m` for `LIMIT m, n`,
 * no semicolon at the end, NULL for MySQL's UNKNOWN, a name for a string after AS.
 * @throws Refusal for several statements, and for parentheses that do not match or nest too deeply
 */
export function canonicalTokens(scanned: readonly Token[], dialect: PolyglotDialect): Token[] {
  const tokens = scanned.map((token, index) => {
    const isSign = token.kind === 'symbol' || isKeyword(scanned, index, dialect);
    const synonym = isSign ? SYNONYMS[spellingOf(token)] : undefined;
    return synonym === undefined ? token : { ...token, text: synonym };
  });
  while (tokens.at(-1)?.text === ';' && tokens.at(-1)?.kind === 'symbol') tokens.pop();
  const semicolon = tokens.find(({ kind, text }) => kind === 'symbol' && text === ';');
  if (semicolon) refuse('SEVERAL_STATEMENTS', 'more than one statement is not allowed', semicolon.position);
  if (tokens.length === 0) refuse('SYNTAX_ERROR', 'there is nothing to read');
  matchParentheses(tokens);
  for (let index = 0; index < tokens.length; index += 1) {
    swapLimit(tokens, index);
    if (dialect === 'mysql' || dialect === 'sqlite') nameAlias(tokens, index);
    if (dialect === 'mysql') checkTruth(tokens, index);
  }
  return tokens;
}

/** `AS 'x'`: the servers take a string for a name there, and the parser does not. */
function nameAlias(tokens: Token[], index: number): void {
  const alias = tokens[index + 1];
  if (spellingOf(tokens[index]) !== 'AS' || alias?.kind !== 'string') return;
  checkName(alias.text, alias.position);
  tokens[index + 1] = { ...alias, kind: 'name' };
}

/** The parser takes UNKNOWN for a column, and any expression after IS. MySQL has neither. */
function checkTruth(tokens: Token[], index: number): void {
  if (spellingOf(tokens[index]) !== 'IS') return;
  const at = spellingOf(tokens[index + 1]) === 'NOT' ? index + 2 : index + 1;
  const truth = tokens[at];
  if (truth === undefined) return;
  if (truth.kind !== 'word' || !TRUTHS.has(spellingOf(truth)))
    refuse('FORBIDDEN_CONSTRUCT', 'MySQL takes NULL, TRUE, FALSE or UNKNOWN after IS', truth.position);
  if (spellingOf(truth) === 'UNKNOWN') tokens[at] = { ...truth, text: 'NULL' };
}

function swapLimit(tokens: Token[], index: number): void {
  const [limit, offset, comma, count] = tokens.slice(index, index + 4);
  if (spellingOf(limit) !== 'LIMIT' || spellingOf(comma) !== ',') return;
  if (comma === undefined || offset?.kind !== 'number' || count?.kind !== 'number') return;
  tokens.splice(index + 1, 3, count, { ...comma, kind: 'word', text: 'OFFSET' }, offset);
}

/** The closing token of each opening parenthesis, by index. */
export function matchParentheses(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind, text, position }] of tokens.entries()) {
    if (kind !== 'symbol' || (text !== '(' && text !== ')')) continue;
    if (text === '(') open.push(index);
    else {
      const opening = open.pop();
      if (opening === undefined) refuse('SYNTAX_ERROR', 'a parenthesis closes that was not opened', position);
      closings.set(opening, index);
    }
    if (open.length > NESTING_MAX)
      refuse('TOO_DEEP', `more than ${NESTING_MAX} levels of parentheses are not allowed`, position);
  }
  if (open.length > 0) refuse('SYNTAX_ERROR', 'a parenthesis does not close', tokens[open[0] ?? 0]?.position);
  return closings;
}

/** The tokens directly within the parentheses of a call, without those of inner parentheses, by index. */
export function listOwnTokens(opening: number, closings: ReadonlyMap<number, number>): number[] {
  const own: number[] = [];
  const closing = closings.get(opening) ?? opening;
  for (let index = opening + 1; index < closing; index += 1) {
    own.push(index);
    const inner = closings.get(index);
    if (inner !== undefined) own.push((index = inner));
  }
  return own;
}

/** The last token of the operand at `start`: a literal, a column, a call or something in parentheses. */
export function endOfOperand(
  tokens: readonly Token[],
  start: number,
  closings: ReadonlyMap<number, number>,
): number {
  let end = start;
  while (spellingOf(tokens[end + 1]) === '.') end += 2;
  const isNamed = tokens[end]?.kind === 'word' || tokens[end]?.kind === 'name';
  return closings.get(isNamed ? end + 1 : end) ?? end;
}

function isOptional(token: Token, previous: Token | undefined): boolean {
  if (token.kind !== 'word' || !Object.hasOwn(OPTIONAL, token.text.toUpperCase())) return false;
  const after = OPTIONAL[token.text.toUpperCase()];
  return after == null || after.includes(spellingOf(previous));
}

/**
 * Whether two texts have the same words in the same order, except for words without a meaning. An unquoted
 * name may be quoted in the second text, but not the other way round.
 */
export function isSameText(written: readonly Token[], printed: readonly Token[]): boolean {
  const first = written.filter((token, index) => !isOptional(token, written[index - 1]));
  const second = printed.filter((token, index) => !isOptional(token, printed[index - 1]));
  return (
    first.length === second.length &&
    first.every((token, index) => {
      const other = second[index];
      return other !== undefined && isSameToken(token, other);
    })
  );
}

function isSameToken(written: Token, printed: Token): boolean {
  if (written.kind === 'word' && printed.kind === 'name') return written.text === printed.text;
  if (written.kind !== printed.kind) return false;
  const isCaseFree = written.kind === 'word';
  return isCaseFree
    ? written.text.toUpperCase() === printed.text.toUpperCase()
    : written.text === printed.text;
}
