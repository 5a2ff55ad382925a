import type { ConditionValue } from '../../sql/logic/restriction.js';

/**
 * The relation between two values: `different` if they have no known order, `unknown` if even that is not
 * known.
 */
export type Relation = 'equal' | 'less' | 'greater' | 'different' | 'unknown';

/**
 * Compares two values as a column of any type and collation would. The result is `unknown` unless it is the
 * same for all of them. Numbers have an order. Text has one only in forms that every type and collation
 * orders alike.
 */
export function relate(a: ConditionValue, b: ConditionValue): Relation {
  if ('placeholder' in a || 'placeholder' in b) {
    const isSame = 'placeholder' in a && 'placeholder' in b && a.placeholder === b.placeholder;
    return isSame ? 'equal' : 'unknown';
  }
  const [x, y] = [a.literal, b.literal];
  if (typeof x === 'string' && typeof y === 'string') return relateTexts(x, y);
  if (typeof x === 'number' && typeof y === 'number') return relateNumbers(x, y);
  if (typeof x === 'boolean' && typeof y === 'boolean') return x === y ? 'equal' : 'different';
  return 'unknown';
}

// Two different literals that a number cannot represent exactly may become equal, so equality proves nothing.
function relateNumbers(a: number, b: number): Relation {
  if (a < b) return 'less';
  if (a > b) return 'greater';
  return Number.isSafeInteger(a) && Number.isSafeInteger(b) ? 'equal' : 'unknown';
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const WHOLE_NUMBER = /^(0|[1-9]\d{0,14})$/;
const WORD = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** Words that some types treat as equal to another text. */
const SPECIAL_WORDS = new Set(
  'true t yes y on false f no n off nan inf infinity epoch now today tomorrow yesterday allballs'.split(' '),
);

function relateTexts(a: string, b: string): Relation {
  if (a === b) return 'equal';
  if (DATE.test(a) && DATE.test(b)) return a < b ? 'less' : 'greater';
  if (WHOLE_NUMBER.test(a) && WHOLE_NUMBER.test(b)) return 'different';
  if (!WORD.test(a) || !WORD.test(b)) return 'unknown';
  const [x, y] = [normalizedWord(a), normalizedWord(b)];
  if (x === y || SPECIAL_WORDS.has(x) || SPECIAL_WORDS.has(y)) return 'unknown';
  return 'different';
}

/** The word without the characters that some collations ignore. */
function normalizedWord(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]/g, '');
}
