import { listOwnTokens, matchParentheses } from './canonical.js';
import { endsOperand, spellingOf } from './keywords.js';
import { CHARACTER_SETS } from './lexicon.js';
import { refuse } from './refuse.js';
import type { Token } from './scan.js';

/** A call that is being rewritten: `call[index]` is a word before a parenthesis. */
interface Rewriting {
  tokens: Token[];
  index: number;
  /** The tokens directly within its parentheses, by index. */
  own: readonly number[];
}

function replace({ tokens }: Rewriting, index: number, text: string): void {
  const token = tokens[index];
  if (token) tokens[index] = { ...token, kind: text === ',' ? 'symbol' : 'word', text };
}

const placesOf = ({ tokens, own }: Rewriting, word: string): number[] =>
  own.filter((index) => spellingOf(tokens[index]) === word);

/** `CONVERT(x, type)` is `CAST(x AS type)`. `CONVERT(x USING utf8mb4)` stays. */
function rewriteConvert(call: Rewriting): void {
  if (CHARACTER_SETS.has(spellingOf(call.tokens[call.own.at(-1) ?? 0]))) return;
  const comma = placesOf(call, ',').at(-1);
  if (comma === undefined)
    return refuse(
      'FORBIDDEN_CONSTRUCT',
      'CONVERT without a type is not allowed',
      call.tokens[call.index]?.position,
    );
  replace(call, call.index, 'CAST');
  replace(call, comma, 'AS');
}

/** `SUBSTRING(x FROM a FOR b)` is `SUBSTRING(x, a, b)`. */
function rewriteSubstring(call: Rewriting): void {
  const [from, ...otherStarts] = placesOf(call, 'FROM');
  const [length, ...otherLengths] = placesOf(call, 'FOR');
  if (from === undefined || otherStarts.length > 0 || otherLengths.length > 0) return;
  if (length !== undefined && length < from) return;
  replace(call, from, ',');
  if (length !== undefined) replace(call, length, ',');
}

/** `POSITION(a IN b)` is `LOCATE(a, b)`. */
function rewritePosition(call: Rewriting): void {
  const [place, ...others] = placesOf(call, 'IN');
  if (place === undefined || others.length > 0) return;
  replace(call, call.index, 'LOCATE');
  replace(call, place, ',');
}

const REWRITINGS: ReadonlyMap<string, (call: Rewriting) => void> = new Map([
  ['CONVERT', rewriteConvert],
  ['SUBSTRING', rewriteSubstring],
  ['SUBSTR', rewriteSubstring],
  ['POSITION', rewritePosition],
]);

const JSON_ARROWS: Readonly<Record<string, readonly string[]>> = {
  '->': ['JSON_EXTRACT'],
  '->>': ['JSON_UNQUOTE', 'JSON_EXTRACT'],
};

/**
 * `column -> path` is `JSON_EXTRACT(column, path)`, and `->>` also unquotes the result. MariaDB has the
 * functions only.
 */
function rewriteArrow(written: Token[], arrow: Token, path: Token | undefined): void {
  const functions = JSON_ARROWS[arrow.text] ?? [];
  let start = written.length - 1;
  while (spellingOf(written[start - 1]) === '.' && start >= 2) start -= 2;
  const isColumn =
    ['word', 'name'].includes(written[start]?.kind ?? '') && endsOperand(written, start, 'mysql');
  if (!isColumn || path?.kind !== 'string') {
    return refuse(
      'FORBIDDEN_CONSTRUCT',
      `MySQL takes a column before ${arrow.text} and a string after it`,
      arrow.position,
    );
  }
  const { position } = arrow;
  const symbol = (text: string): Token => ({ kind: 'symbol', text, position });
  const opening = functions.flatMap((text): Token[] => [{ kind: 'word', text, position }, symbol('(')]);
  written.splice(start, 0, ...opening);
  written.push(symbol(','), path, ...functions.map(() => symbol(')')));
}

const SET_OPERATORS: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT']);

/**
 * Rewrites forms of MySQL that the parser lacks into those with the same meaning that it has.
 * @throws Refusal for a form without such a counterpart
 */
export function rewriteCalls(scanned: readonly Token[]): Token[] {
  const tokens = [...scanned];
  const closings = matchParentheses(tokens);
  for (const [index, token] of scanned.entries()) {
    if (token.kind !== 'word' || !closings.has(index + 1)) continue;
    const rewrite = REWRITINGS.get(spellingOf(token));
    rewrite?.({ tokens, index, own: listOwnTokens(index + 1, closings) });
  }
  const written: Token[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    const isArrow = token.kind === 'symbol' && Object.hasOwn(JSON_ARROWS, token.text);
    // Without ALL, a set operation is DISTINCT.
    if (spellingOf(token) === 'DISTINCT' && SET_OPERATORS.has(spellingOf(tokens[index - 1]))) continue;
    if (isArrow) rewriteArrow(written, token, tokens[(index += 1)]);
    else if (spellingOf(token) === 'MOD' && endsOperand(tokens, index - 1, 'mysql'))
      written.push({ ...token, kind: 'symbol', text: '%' });
    else written.push(token);
  }
  return written;
}

/** `x -> 2` is `x -> '$[2]'` in SQLite. The parser takes a number there for the body of a function. */
export function rewriteIndexes(tokens: readonly Token[]): Token[] {
  return tokens.map((token, index) => {
    const isIndex = token.kind === 'number' && /^\d{1,9}$/.test(token.text);
    const isAfterArrow = Object.hasOwn(JSON_ARROWS, spellingOf(tokens[index - 1]));
    return isIndex && isAfterArrow ? { ...token, kind: 'string', text: `$[${Number(token.text)}]` } : token;
  });
}
