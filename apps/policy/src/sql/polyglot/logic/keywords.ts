import { isGrammarWord, type PolyglotDialect } from './lexicon.js';
import type { Token } from './scan.js';

/**
 * The tokens around a word: words in capitals, `0` for a number, `'` for a string or placeholder, empty for a
 * quoted name.
 */
interface Neighbours {
  previous: string;
  next: string;
  afterNext: string;
}

const isOneOf =
  (...words: string[]) =>
  (word: string): boolean =>
    words.includes(word);
const beginsFrame = isOneOf('BETWEEN', 'UNBOUNDED', 'CURRENT', '0');
const isFrameUnit = ({ next }: Neighbours): boolean => beginsFrame(next);
const endsFrameBound = ({ previous }: Neighbours): boolean => isOneOf('UNBOUNDED', '0')(previous);
const beginsQuery = isOneOf('SELECT', 'WITH', '(');
const isQuantifier = ({ next, afterNext }: Neighbours): boolean => next === '(' && beginsQuery(afterNext);

/** Words that are keywords only in certain places, and names elsewhere. */
const CONTEXTUAL: ReadonlyMap<string, (near: Neighbours) => boolean> = new Map([
  ['RECURSIVE', ({ previous }) => previous === 'WITH'],
  ['OFFSET', ({ next }) => next === '0'],
  ['NULLS', ({ next }) => isOneOf('FIRST', 'LAST')(next)],
  ['FIRST', ({ previous }) => previous === 'NULLS'],
  ['LAST', ({ previous }) => previous === 'NULLS'],
  ['FULL', ({ next }) => isOneOf('JOIN', 'OUTER')(next)],
  ['LATERAL', ({ next }) => next === '('],
  ['WINDOW', ({ afterNext }) => afterNext === 'AS'],
  ['PARTITION', ({ next }) => next === 'BY'],
  ['ROWS', isFrameUnit],
  ['RANGE', isFrameUnit],
  ['GROUPS', isFrameUnit],
  ['UNBOUNDED', ({ next }) => isOneOf('PRECEDING', 'FOLLOWING')(next)],
  ['PRECEDING', endsFrameBound],
  ['FOLLOWING', endsFrameBound],
  ['CURRENT', ({ next }) => next === 'ROW'],
  ['ROW', ({ previous }) => previous === 'CURRENT'],
  ['FILTER', ({ next, afterNext }) => next === '(' && afterNext === 'WHERE'],
  ['ESCAPE', ({ next }) => next === "'"],
  ['SEPARATOR', ({ next }) => next === "'"],
  ['ANY', isQuantifier],
  ['SOME', isQuantifier],
]);

/** The spelling of a token for comparison with keywords; see `Neighbours`. */
export function spellingOf(token: Token | undefined): string {
  if (token === undefined || token.kind === 'name') return '';
  if (token.kind === 'string' || token.kind === 'placeholder') return "'";
  return token.kind === 'number' ? '0' : token.text.toUpperCase();
}

/** The keywords after which an operator may follow. */
const ENDS_OPERAND = isOneOf('END', 'NULL', 'TRUE', 'FALSE');

/** Whether an operator with two operands may follow the token. */
export function endsOperand(tokens: readonly Token[], index: number, dialect: PolyglotDialect): boolean {
  const token = tokens[index];
  if (token === undefined) return false;
  if (token.kind === 'symbol') return token.text === ')';
  return token.kind !== 'word' || ENDS_OPERAND(spellingOf(token)) || !isKeyword(tokens, index, dialect);
}

/** Whether the word at `index` is a keyword. */
export function isKeyword(tokens: readonly Token[], index: number, dialect: PolyglotDialect): boolean {
  const word = spellingOf(tokens[index]);
  if (isGrammarWord(word, dialect)) return true;
  if (word === 'ROLLUP') return dialect === 'mysql' && spellingOf(tokens[index - 1]) === 'WITH';
  const isKeywordThere = CONTEXTUAL.get(word);
  return (
    isKeywordThere?.({
      previous: spellingOf(tokens[index - 1]),
      next: spellingOf(tokens[index + 1]),
      afterNext: spellingOf(tokens[index + 2]),
    }) ?? false
  );
}
