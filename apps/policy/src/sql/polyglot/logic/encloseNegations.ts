import { matchParentheses } from './canonical.js';
import { spellingOf } from './keywords.js';
import type { Token } from './scan.js';

/** What may precede a NOT that negates a whole condition. After anything else it belongs to an operator. */
const BEFORE: ReadonlySet<string> = new Set(
  '( , AND OR XOR NOT WHERE ON HAVING WHEN THEN ELSE SELECT DISTINCT BY CASE'.split(' '),
);
/** What ends the condition that a NOT negates. */
const AFTER: ReadonlySet<string> = new Set(
  `) , ; AND OR XOR WHEN THEN ELSE END AS ASC DESC NULLS FROM WHERE GROUP HAVING WINDOW ORDER LIMIT OFFSET
  UNION INTERSECT EXCEPT JOIN INNER LEFT RIGHT FULL CROSS NATURAL ON USING SEPARATOR`.split(/\s+/),
);
/** The operators for which the parser does not distinguish `NOT a LIKE b` from `a NOT LIKE b`. */
const CONFUSED: ReadonlySet<string> = new Set(['LIKE', 'GLOB', 'REGEXP', 'IN', 'BETWEEN', 'IS']);
/** The longest condition that is enclosed, in tokens outside of parentheses. It bounds the work. */
const TOKENS_MAX = 1000;

/** The last token of the condition at `start`, if it needs parentheses after NOT; null if it does not. */
function findEnd(
  tokens: readonly Token[],
  start: number,
  closings: ReadonlyMap<number, number>,
): number | null {
  let isConfused = false;
  let ranges = 0;
  let cases = 0;
  let index = start;
  for (let count = 0; count < TOKENS_MAX; count += 1, index += 1) {
    const word = spellingOf(tokens[index]);
    const isFunction = /^(?:LEFT|RIGHT)$/.test(word) && closings.has(index + 1);
    const isOfRange = word === 'AND' && cases === 0 && ranges > 0;
    if (isOfRange) ranges -= 1;
    else if (index >= tokens.length || (cases === 0 && AFTER.has(word) && !isFunction)) break;
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
 */
export function encloseNegations(tokens: readonly Token[]): Token[] {
  const closings = matchParentheses(tokens);
  const closedAfter = new Set<number>();
  const openedBefore = new Set<number>();
  for (const [index, token] of tokens.entries()) {
    if (spellingOf(token) !== 'NOT' || !BEFORE.has(spellingOf(tokens[index - 1]))) continue;
    const end = findEnd(tokens, index + 1, closings);
    if (end === null || spellingOf(tokens[index + 1]) === 'NOT') continue;
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
