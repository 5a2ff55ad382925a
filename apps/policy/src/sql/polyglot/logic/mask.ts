import { ALLOWED_FUNCTIONS } from '../../logic/allowedFunctions.js';
import { endOfOperand, listOwnTokens, matchParentheses } from './canonical.js';
import { endsOperand, isKeyword, spellingOf } from './keywords.js';
import {
  BARE_CALLS,
  CAST_TYPES,
  CHARACTER_SETS,
  isGrammarWord,
  isRefusedWord,
  LITERAL_TYPES,
  UNIT_CALLS,
  TIME_UNITS,
  type PolyglotDialect,
} from './lexicon.js';
import type { Token } from './scan.js';
import { refuse } from './refuse.js';
import type { CallForm, Expression, Name } from './tree.js';

/**
 * A text with the same meaning that contains only keywords, signs and numbered substitutes. The parser sees
 * no name, string, number or function chosen by a caller, so it cannot interpret one differently from this
 * engine. Its tree is filled from the lists.
 */
export interface Masked {
  text: string;
  names: Name[];
  forms: MaskedForm[];
  /** The literals of the text, by number. */
  literals: Expression[];
}

/** A call, or a query that is masked as a call. */
type MaskedForm = CallForm | { form: 'bareQuery' };

export const NAME_MASK = 'gi_';
export const FORM_MASK = 'gf_';

const SET_OPERATORS = ['UNION', 'INTERSECT', 'EXCEPT'];
/** The most words that are passed to the parser. More would take too long. */
const WORDS_MAX = 10_000;

function isAllowedFunction(word: string, dialect: PolyglotDialect): boolean {
  const { scalar, aggregate, window } = ALLOWED_FUNCTIONS[dialect];
  const name = word.toLowerCase();
  return scalar.has(name) || aggregate.has(name) || window.has(name);
}

/** The most signs that are read to find the operand of a plus sign. With more the statement is refused. */
const SIGNS_MAX = 8;

class Masker {
  readonly #words: string[] = [];
  readonly #masked: Omit<Masked, 'text'> = { names: [], forms: [], literals: [] };
  readonly #closings: ReadonlyMap<number, number>;
  /** Tokens that are part of another one, such as the type of a cast. */
  readonly #taken = new Set<number>();
  /** Words within the parentheses of a call that the parser reads as a comma. */
  readonly #commas = new Set<number>();
  /** Tokens with an added opening parenthesis before them, and tokens with a closing one after them. */
  readonly #opened = new Set<number>();
  readonly #closed: number[] = [];

  readonly #tokens: readonly Token[];
  readonly #dialect: PolyglotDialect;

  constructor(tokens: readonly Token[], dialect: PolyglotDialect) {
    this.#tokens = tokens;
    this.#dialect = dialect;
    this.#closings = matchParentheses(tokens);
  }

  mask(): Masked {
    for (const [index, token] of this.#tokens.entries()) {
      if (this.#opened.has(index)) this.#words.push('(');
      if (this.#commas.has(index)) this.#words.push(',');
      else if (!this.#taken.has(index)) this.#maskToken(token, index);
      for (; this.#closed.at(-1) === index; this.#closed.pop()) this.#words.push(')');
    }
    if (this.#words.length > WORDS_MAX) {
      refuse('TOO_LARGE', `more than ${WORDS_MAX} words and signs are not allowed`);
    }
    return { ...this.#masked, text: this.#words.join(' ') };
  }

  #maskToken(token: Token, index: number): void {
    const number = this.#masked.literals.length;
    switch (token.kind) {
      case 'word':
        return this.#maskWord(token, index);
      case 'name':
        return this.#writeName(token.text, true);
      case 'symbol':
        if (token.text === '(') this.#maskQuery(index);
        if (token.text === '+' && this.#maskPlus(index)) return;
        this.#words.push(token.text);
        if (token.text === '(' && spellingOf(this.#tokens[index - 1]) === 'IN') this.#maskList(index);
        return;
      case 'number':
        return this.#writeLiteral({ kind: 'number', text: token.text }, String(number));
      case 'string':
        return this.#writeLiteral({ kind: 'string', value: token.text }, `'${number}'`);
      case 'placeholder':
        return this.#writeLiteral({ kind: 'placeholder', name: token.text }, `'${number}'`);
    }
  }

  /**
   * A query between an operator and a set operator. The parser would take the following text as part of the
   * expression, unless the query is the argument of a call.
   */
  #maskQuery(opening: number): void {
    const [before, first] = [this.#tokens[opening - 1], spellingOf(this.#tokens[opening + 1])];
    const after = spellingOf(this.#tokens[(this.#closings.get(opening) ?? opening) + 1]);
    const isOperand = before?.kind === 'symbol' && !'(),.'.includes(before.text);
    if (!isOperand || !['SELECT', 'WITH'].includes(first) || !SET_OPERATORS.includes(after)) return;
    this.#writeForm({ form: 'bareQuery' });
    this.#words.push('(');
    this.#closed.push(this.#closings.get(opening) ?? opening);
  }

  /** A list of strings and numbers becomes one literal. The value of a rule may have thousands. */
  #maskList(opening: number): void {
    const closing = this.#closings.get(opening) ?? opening;
    const items: Expression[] = [];
    for (let index = opening + 1; index < closing; index += 2) {
      const { kind, text } = this.#tokens[index] ?? {};
      const isLast = index + 1 === closing;
      if (text === undefined || (!isLast && spellingOf(this.#tokens[index + 1]) !== ',')) return;
      if (kind === 'string') items.push({ kind, value: text });
      else if (kind === 'number') items.push({ kind, text });
      else return;
    }
    if (items.length < 2 || closing !== opening + 2 * items.length) return;
    for (let index = opening + 1; index < closing; index += 1) this.#taken.add(index);
    this.#writeLiteral({ kind: 'tuple', items }, `'${this.#masked.literals.length}'`);
  }

  #writeLiteral(literal: Expression, mask: string): void {
    this.#masked.literals.push(literal);
    this.#words.push(mask);
  }

  #writeName(text: string, isQuoted: boolean): void {
    this.#words.push(`${NAME_MASK}${this.#masked.names.length}`);
    this.#masked.names.push({ text, isQuoted });
  }

  #writeForm(form: MaskedForm): true {
    this.#words.push(`${FORM_MASK}${this.#masked.forms.length}`);
    this.#masked.forms.push(form);
    return true;
  }

  #maskWord(token: Token, index: number): void {
    const word = token.text.toUpperCase();
    const next = spellingOf(this.#tokens[index + 1]);
    const isInPath = next === '.' && !isGrammarWord(word, this.#dialect);
    if (isInPath) return this.#writeName(token.text, false);
    if (next === '(' && this.#maskCall(word, index)) return;
    if (isKeyword(this.#tokens, index, this.#dialect)) {
      this.#words.push(word);
      return;
    }
    if (this.#maskSpecialForm(word, index)) return;
    if (isRefusedWord(word)) refuse('FORBIDDEN_CONSTRUCT', `${word} is not allowed`, token.position);
    this.#writeName(token.text, false);
  }

  /** A word before a parenthesis: an allowed function, or a special form. False for all others. */
  #maskCall(word: string, index: number): boolean {
    if (word === 'CAST') return this.#maskCast(index);
    if (word === 'EXTRACT') return this.#maskExtract(index);
    if (this.#dialect === 'mysql' && UNIT_CALLS.has(word)) return this.#maskUnitCall(word, index);
    if (this.#dialect === 'mysql' && word === 'TRIM' && this.#maskTrim(index)) return true;
    if (this.#dialect === 'mysql' && word === 'CONVERT' && this.#maskConvert(index)) return true;
    if (word === 'GROUP_CONCAT' && this.#dialect === 'mysql') {
      this.#words.push(word);
      return true;
    }
    return isAllowedFunction(word, this.#dialect) && this.#writeForm({ form: 'function', name: word });
  }

  /** `CAST(x AS type)` becomes a call with only `x`. */
  #maskCast(index: number): true {
    const closing = this.#closings.get(index + 1) ?? index;
    let as = closing - 1;
    while (as > index && spellingOf(this.#tokens[as]) !== 'AS') as -= 1;
    const tokens = this.#tokens.slice(as + 1, closing);
    const type = tokens.map(({ text }) => text.toUpperCase()).join('');
    const match = /^([A-Z0-9]+)(\(\d{1,5}(,\d{1,5})?\))?$/.exec(type);
    const isPlain = tokens.every(({ kind }) => kind !== 'name' && kind !== 'string');
    if (as <= index || !isPlain || !CAST_TYPES.has(match?.[1] ?? '')) {
      refuse('FORBIDDEN_TYPE', 'a cast to this type is not allowed', this.#tokens[index]?.position);
    }
    for (let each = as; each < closing; each += 1) this.#taken.add(each);
    return this.#writeForm({ form: 'cast', type });
  }

  /** `EXTRACT(unit FROM x)` becomes a call with only `x`. */
  #maskExtract(index: number): true {
    const unit = spellingOf(this.#tokens[index + 2]);
    const isExtract = TIME_UNITS.has(unit) && spellingOf(this.#tokens[index + 3]) === 'FROM';
    if (!isExtract || this.#dialect === 'sqlite') {
      refuse('FORBIDDEN_CONSTRUCT', 'an EXTRACT of this kind is not allowed', this.#tokens[index]?.position);
    }
    this.#taken.add(index + 2).add(index + 3);
    return this.#writeForm({ form: 'extract', unit });
  }

  /** `TIMESTAMPDIFF(unit, x, y)` becomes a call with only `x` and `y`. */
  #maskUnitCall(name: string, index: number): true {
    const unit = spellingOf(this.#tokens[index + 2]);
    if (!TIME_UNITS.has(unit) || spellingOf(this.#tokens[index + 3]) !== ',') {
      refuse('FORBIDDEN_CONSTRUCT', `${name} needs a unit such as DAY`, this.#tokens[index]?.position);
    }
    this.#taken.add(index + 2).add(index + 3);
    return this.#writeForm({ form: 'unit', name, unit });
  }

  /** `TRIM(side x FROM y)` becomes a call with `x`, if it is there, and `y`. False for `TRIM(y)`. */
  #maskTrim(index: number): boolean {
    const side = spellingOf(this.#tokens[index + 2]);
    const hasSide = ['BOTH', 'LEADING', 'TRAILING'].includes(side);
    const own = listOwnTokens(index + 1, this.#closings);
    const [from, ...others] = own.filter((each) => spellingOf(this.#tokens[each]) === 'FROM');
    if (from === undefined || others.length > 0) return false;
    if (hasSide) this.#taken.add(index + 2);
    if (from === index + (hasSide ? 3 : 2)) this.#taken.add(from);
    else this.#commas.add(from);
    return this.#writeForm({ form: 'trim', side: hasSide ? side : null });
  }

  /** `CONVERT(x USING charset)` becomes a call with only `x`. False for all others. */
  #maskConvert(index: number): boolean {
    const own = listOwnTokens(index + 1, this.#closings);
    const [using = index, charset = index] = own.slice(-2);
    const text = spellingOf(this.#tokens[charset]);
    if (spellingOf(this.#tokens[using]) !== 'USING' || !CHARACTER_SETS.has(text)) return false;
    this.#taken.add(using).add(charset);
    return this.#writeForm({ form: 'using', charset: text });
  }

  /** `+x` becomes a call with only `x`: the parser omits the sign. False for an addition. */
  #maskPlus(index: number): boolean {
    if (endsOperand(this.#tokens, index - 1, this.#dialect)) return false;
    let first = index + 1;
    for (; '+-~'.includes(spellingOf(this.#tokens[first]) || ' '); first += 1)
      if (first - index > SIGNS_MAX) return false;
    this.#parenthesize(index + 1, endOfOperand(this.#tokens, first, this.#closings));
    return this.#writeForm({ form: 'plus' });
  }

  #maskSpecialForm(word: string, index: number): boolean {
    if (BARE_CALLS.has(word)) {
      this.#writeForm({ form: 'bareWord', word });
      this.#words.push('( )');
      return true;
    }
    if (this.#dialect === 'sqlite') return false;
    if (LITERAL_TYPES.has(word) && this.#tokens[index + 1]?.kind === 'string') {
      this.#parenthesize(index + 1, index + 1);
      return this.#writeForm({ form: 'typed', type: word });
    }
    return word === 'INTERVAL' && this.#maskInterval(index);
  }

  /** `INTERVAL x unit` becomes a call with only `x`, which is an operand after a minus sign or without. */
  #maskInterval(index: number): boolean {
    const first = index + (spellingOf(this.#tokens[index + 1]) === '-' ? 2 : 1);
    const last = endOfOperand(this.#tokens, first, this.#closings);
    const unit = spellingOf(this.#tokens[last + 1]);
    if (!TIME_UNITS.has(unit)) return false;
    this.#taken.add(last + 1);
    this.#parenthesize(index + 1, last);
    return this.#writeForm({ form: 'interval', unit });
  }

  #parenthesize(first: number, last: number): void {
    this.#opened.add(first);
    this.#closed.push(last);
  }
}

/**
 * Masks the canonical tokens of a text.
 * @throws Refusal for a word that is not allowed
 */
export function maskTokens(tokens: readonly Token[], dialect: PolyglotDialect): Masked {
  return new Masker(tokens, dialect).mask();
}
