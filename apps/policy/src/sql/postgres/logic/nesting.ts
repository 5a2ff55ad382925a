import type { ScanToken } from 'libpg-query';

/**
 * How many levels a word or sign can add to the tree above its operand. Words that are not listed add none.
 */
const WEIGHTS = weightsOf({
  not: 2,
  is: 1,
  isnull: 1,
  notnull: 1,
  like: 1,
  ilike: 1,
  similar: 1,
  between: 1,
  in: 1,
  at: 1,
  collate: 1,
  overlaps: 1,
  // The sign in the parentheses after it counts only there.
  operator: 1,
});

/** Words whose chains continue across the commas of a list. */
const CHAIN_WEIGHTS = weightsOf({
  select: 6,
  values: 6,
  union: 2,
  except: 2,
  intersect: 2,
  join: 2,
});

/** A map, because a name in a statement may be that of a member of every object, such as `constructor`. */
function weightsOf(weights: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(Object.entries(weights));
}

const OPERATOR = /^[-+*/<>=~!@#%^&|`?:]+$/;

interface Level {
  /** The closing word; null at the top. */
  closing: string | null;
  chain: number;
  segment: number;
  /** The number of BETWEENs that still await their AND. */
  betweens: number;
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', case: 'end' };

/**
 * An upper bound of the depth of the tree, from the tokens alone. The parser is recursive and must never
 * overflow its stack: memory that it held then is never freed.
 */
export function measureNesting(tokens: readonly ScanToken[]): number {
  const levels: Level[] = [{ closing: null, chain: 0, segment: 0, betweens: 0 }];
  let outer = 0;
  let deepest = 0;
  let previous = '';
  for (const token of tokens) {
    const isPart = previous === '.';
    previous = token.text;
    // After a dot every keyword is a name: `x.or` ends no operand, and `x.end` no CASE.
    if (isPart) continue;
    const word = token.keywordKind > 0 ? token.text.toLowerCase() : token.text;
    let level = levels.at(-1);
    if (level && Object.hasOwn(CLOSING, word)) {
      outer += weightOf(level);
      level = { closing: CLOSING[word] ?? null, chain: 1, segment: 0, betweens: 0 };
      levels.push(level);
    } else if (word === ')' || word === ']' || word === 'end') {
      outer = closeLevel(levels, word, outer);
    } else if (level) {
      addWord(level, word);
    }
    deepest = Math.max(deepest, outer + (level ? weightOf(level) : 0));
  }
  return deepest;
}

function weightOf(level: Level): number {
  return level.chain + level.segment;
}

/** Closes the innermost level, unless the word is a name: an END that ends no CASE may be an alias. */
function closeLevel(levels: Level[], word: string, outer: number): number {
  let left = outer;
  const isOpen = word !== 'end' || levels.at(-1)?.closing === 'end';
  while (isOpen && levels.length > 1) {
    const closed = levels.pop();
    const parent = levels.at(-1);
    if (parent) left -= weightOf(parent);
    if (closed?.closing === word) break;
  }
  return left;
}

function addWord(level: Level, word: string): void {
  if (word === ',' || endsOperand(level, word)) level.segment = 0;
  else if (word === 'between') level.betweens += 1;
  level.chain += CHAIN_WEIGHTS.get(word) ?? 0;
  level.segment += WEIGHTS.get(word) ?? (OPERATOR.test(word) ? 1 : 0);
}

/**
 * AND and OR chains are flat, so each operand counts separately. The AND of a BETWEEN is part of an operand.
 */
function endsOperand(level: Level, word: string): boolean {
  if (word === 'or') return true;
  if (word !== 'and') return false;
  if (level.betweens === 0) return true;
  level.betweens -= 1;
  return false;
}

const ROW_OF_SIGNS = /[-+*/<>=~!@#%^&|`?]{2,}/g;
const REREADING = /\+|\/\*/g;

/**
 * An upper bound of the signs that PostgreSQL's lexer reads more than once. A comment starts with the whole
 * row of signs at its place, and an operator does not end with a plus (scan.l, `xcstart` and `operator`). The
 * lexer reads the rest of the row again after each of them, so that its time grows with the square.
 */
export function countRereadSigns(text: string): number {
  let count = 0;
  for (const [row] of text.matchAll(ROW_OF_SIGNS)) count += row.length * (row.match(REREADING)?.length ?? 0);
  return count;
}
