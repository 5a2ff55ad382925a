import { matchParentheses } from './canonical.js';
import { isKeyword, spellingOf } from './keywords.js';
import type { PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';
import type { Token } from './scan.js';

/** What may precede a NOT that negates a whole condition. After anything else it belongs to an operator. */
const BEFORE: ReadonlySet<string> = new Set(
  '( , AND OR XOR NOT WHERE ON HAVING WHEN THEN ELSE SELECT DISTINCT BY CASE'.split(' '),
);
/** What ends the condition that a NOT negates. */
const AFTER: ReadonlySet<string> = new Set(
  `) , ; AND OR XOR WHEN THEN ELSE END AS ASC DESC NULLS FROM WHERE GROUP HAVING WINDOW ORDER LIMIT OFFSET
  UNION INTERSECT EXCEPT JOIN INNER LEFT RIGHT FULL CROSS NATURAL ON USING SEPARATOR WITH ROWS RANGE
  GROUPS`.split(/\s+/),
);
/** The operators for which the parser does not distinguish `NOT a LIKE b` from `a NOT LIKE b`. */
const CONFUSED: ReadonlySet<string> = new Set(['LIKE', 'GLOB', 'REGEXP', 'IN', 'BETWEEN', 'IS']);
/** The most tokens that are read to find the ends of all conditions after NOT in a statement. */
const STEPS_MAX = 500_000;

function refuseLong(token: Token | undefined): never {
  const message = 'the conditions after NOT are too long: enclose them in parentheses';
  return refuse('FORBIDDEN_CONSTRUCT', message, token?.position);
}

/** What a search for the ends of conditions needs. */
interface Search {
  dialect: PolyglotDialect;
  closings: ReadonlyMap<number, number>;
  steps: number;
}

function endsCondition(tokens: readonly Token[], index: number, { dialect, closings }: Search): boolean {
  const word = spellingOf(tokens[index]);
  if (!AFTER.has(word)) return false;
  if (tokens[index]?.kind === 'symbol') return true;
  const isFunction = /^(?:LEFT|RIGHT)$/.test(word) && closings.has(index + 1);
  const isOfTest = word === 'FROM' && spellingOf(tokens[index - 1]) === 'DISTINCT';
  return !isFunction && !isOfTest && isKeyword(tokens, index, dialect);
}

/**
 * The last token of the condition at `start`, if it needs parentheses after NOT; null if it does not.
 * @throws Refusal if the search takes too many steps
 */
function findEnd(tokens: readonly Token[], start: number, search: Search): number | null {
  const { closings } = search;
  let isConfused = false;
  let ranges = 0;
  let cases = 0;
  let index = start;
  for (; ; index += 1) {
    search.steps += 1;
    if (search.steps > STEPS_MAX) refuseLong(tokens[start]);
    const word = spellingOf(tokens[index]);
    const isOfRange = word === 'AND' && cases === 0 && ranges > 0;
    if (isOfRange) ranges -= 1;
    else if (index >= tokens.length || (cases === 0 && endsCondition(tokens, index, search))) break;
    if (word === 'CASE') cases += 1;
    else if (word === 'END') cases -= 1;
    else if (cases === 0 && word === 'BETWEEN') ranges += 1;
    if (cases === 0 && CONFUSED.has(word)) isConfused = true;
    index = closings.get(index) ?? index;
  }
  return isConfused ? index - 1 : null;
}

/**
 * Encloses the conditions after NOT in parentheses where the parser needs them: `NOT a LIKE b` is
 * `NOT (a LIKE b)` in MySQL and SQLite.
 * @throws Refusal if conditions after NOT are too long
 */
export function encloseNegations(tokens: readonly Token[], dialect: PolyglotDialect): Token[] {
  const search = { dialect, closings: matchParentheses(tokens), steps: 0 };
  const closedAfter = new Set<number>();
  const openedBefore = new Set<number>();
  for (const [index, token] of tokens.entries()) {
    if (spellingOf(token) !== 'NOT' || spellingOf(tokens[index + 1]) === 'NOT') continue;
    if (!BEFORE.has(spellingOf(tokens[index - 1]))) continue;
    const end = findEnd(tokens, index + 1, search);
    if (end === null) continue;
    openedBefore.add(index + 1);
    closedAfter.add(end);
  }
  if (openedBefore.size === 0) return [...tokens];
  return tokens.flatMap((token, index): Token[] => {
    const symbol = (text: string): Token => ({ kind: 'symbol', text, position: token.position });
    const opened = openedBefore.has(index) ? [symbol('(')] : [];
    return [...opened, token, ...(closedAfter.has(index) ? [symbol(')')] : [])];
  });
}
