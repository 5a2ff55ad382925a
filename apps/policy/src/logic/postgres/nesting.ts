import type { ScanToken } from 'libpg-query';

/** By how much a word or sign can deepen the tree, over what it is applied to. Those not named here do not. */
const WEIGHTS: Readonly<Record<string, number>> = {
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
};

/** Those whose chains go on over the commas of a list. */
const CHAIN_WEIGHTS: Readonly<Record<string, number>> = {
  select: 6,
  values: 6,
  union: 2,
  except: 2,
  intersect: 2,
  join: 2,
};

const OPERATOR = /^[-+*/<>=~!@#%^&|`?:]+$/;

interface Level {
  /** What ends it; null at the top. */
  closing: string | null;
  chain: number;
  segment: number;
  /** Counts the BETWEENs whose AND is yet to come. */
  betweens: number;
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', case: 'end' };

/**
 * Bounds from above how deep the tree of a text will be, from its tokens alone: the parser works recursively, and must never
 * run out of stack, because what it held then would stay in its memory for good.
 */
export function measureNesting(tokens: readonly ScanToken[]): number {
  const levels: Level[] = [{ closing: null, chain: 0, segment: 0, betweens: 0 }];
  let outer = 0;
  let deepest = 0;
  for (const token of tokens) {
    const word = token.keywordKind > 0 ? token.text.toLowerCase() : token.text;
    let level = levels.at(-1);
    if (level && Object.hasOwn(CLOSING, word)) {
      outer += weightOf(level);
      level = { closing: CLOSING[word] ?? null, chain: 1, segment: 0, betweens: 0 };
      levels.push(level);
    } else if (word === ')' || word === ']' || word === 'end') {
      outer = closeLevel(levels, word, outer);
    } else if (level) {
      count(level, word);
    }
    deepest = Math.max(deepest, outer + (level ? weightOf(level) : 0));
  }
  return deepest;
}

function weightOf(level: Level): number {
  return level.chain + level.segment;
}

/** Closes the innermost level, unless the word is one of its names: an END that ends no CASE may well be an alias. */
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

function count(level: Level, word: string): void {
  if (word === ',' || endsOperand(level, word)) level.segment = 0;
  else if (word === 'between') level.betweens += 1;
  level.chain += CHAIN_WEIGHTS[word] ?? 0;
  level.segment += WEIGHTS[word] ?? (OPERATOR.test(word) ? 1 : 0);
}

/** AND and OR chains are flat, so each operand stands for itself; but the AND of a BETWEEN is a part of an operand. */
function endsOperand(level: Level, word: string): boolean {
  if (word === 'or') return true;
  if (word !== 'and') return false;
  if (level.betweens === 0) return true;
  level.betweens -= 1;
  return false;
}
