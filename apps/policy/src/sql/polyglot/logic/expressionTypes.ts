import { familyOf, UNKNOWN_TYPE, type SqlType, type TypeFamily } from '../../logic/columnTypes.js';
import type { PolyglotDialect } from './lexicon.js';
import type { Call, Column, Expression, Query } from './tree.js';
import type { Values } from './fillValues.js';

/** The types of the columns of a bound rule, by node. */
export type ColumnTypes = ReadonlyMap<Column, SqlType>;

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Functions that return a text, and functions that return a number, for any arguments. */
const TEXT_FUNCTIONS = words(
  `concat concat_ws lower upper lcase ucase trim ltrim rtrim substr substring mid left right replace
  reverse repeat lpad rpad hex md5 sha sha1 sha2 format date_format json_unquote json_value quote
  substring_index char elt to_base64 insert bin oct conv regexp_replace regexp_substr soundex space
  strftime printf typeof dayname monthname to_char group_concat json_type`,
);
const NUMBER_FUNCTIONS = words(
  `abs acos asin atan atan2 ceil ceiling cos cot degrees exp floor ln log log2 log10 mod pi pow power
  radians round sign sin sqrt tan truncate trunc length char_length character_length octet_length
  bit_length ascii ord instr locate position strcmp field find_in_set crc32 year month day dayofmonth
  dayofweek dayofyear hour minute second microsecond quarter week weekday weekofyear yearweek to_days
  to_seconds unix_timestamp datediff timestampdiff period_diff json_length json_depth unicode
  julianday unixepoch json_array_length isnull regexp_instr strpos`,
);
/** Functions that return one of their arguments. */
const CHOOSING_FUNCTIONS = words('coalesce ifnull nullif greatest least max min');
const CONDITIONAL_FUNCTIONS = words('if iif');

/** Functions that compare their arguments with each other. */
export const COMPARING_FUNCTIONS = words('nullif greatest least field strcmp coalesce ifnull if iif max min');

const ARITHMETIC = words('+ - * / % DIV');
export const isArithmetic = (operator: string): boolean => ARITHMETIC.has(operator);
export const isConnective = (operator: string): boolean => /^(?:AND|OR|XOR)$/.test(operator);

function typeOfFamily(family: TypeFamily): SqlType {
  return { family, declared: '' };
}

export const TEXT = typeOfFamily('text');
export const NUMBER = typeOfFamily('float');
export const BOOLEAN = typeOfFamily('boolean');

/** Derives the types of expressions of a rule from its columns, literals, values and functions. */
export class ExpressionTypes {
  readonly #columns: ColumnTypes;
  readonly #values: Values;
  readonly #dialect: PolyglotDialect;

  constructor(columns: ColumnTypes, values: Values, dialect: PolyglotDialect) {
    this.#columns = columns;
    this.#values = values;
    this.#dialect = dialect;
  }

  /** The type of an expression; null for NULL, which has every type. */
  of(node: Expression): SqlType | null {
    switch (node.kind) {
      case 'column':
        return this.#columns.get(node) ?? UNKNOWN_TYPE;
      case 'parenthesized':
        return this.of(node.inner);
      case 'collate':
        return this.of(node.operand);
      case 'constant':
        return node.word === 'NULL' ? null : BOOLEAN;
      case 'number':
        return NUMBER;
      case 'string':
      case 'groupConcat':
        return TEXT;
      case 'value':
        return typeOfValue(node.value);
      case 'placeholder': {
        const value = Object.hasOwn(this.#values, node.name) ? this.#values[node.name] : undefined;
        return value === undefined || Array.isArray(value) ? UNKNOWN_TYPE : typeOfValue(value);
      }
      case 'prefix':
        return node.operator === 'NOT' ? BOOLEAN : NUMBER;
      case 'chain':
        return typeOfOperator(node.rest.at(-1)?.operator ?? '');
      case 'case':
        return this.#commonOf([
          ...node.branches.map(({ result }) => result),
          ...(node.otherwise ? [node.otherwise] : []),
        ]);
      case 'scalarQuery':
        return this.ofQuery(node.query);
      case 'call':
        return this.#ofCall(node);
      case 'between':
      case 'like':
      case 'in':
      case 'inQuery':
      case 'exists':
      case 'quantified':
        return BOOLEAN;
      case 'star':
      case 'tuple':
      case 'over':
        return UNKNOWN_TYPE;
    }
  }

  /** The type of the first column of a query. */
  ofQuery({ body }: Query): SqlType | null {
    const [item] = body.kind === 'select' ? body.items : [];
    return item === undefined ? UNKNOWN_TYPE : this.of(item.expression);
  }

  #ofCall({ form, arguments: items }: Call): SqlType | null {
    switch (form.form) {
      case 'cast': {
        const type = form.type.replace(/^(?:UN)?SIGNED$/, 'BIGINT');
        return typeOfFamily(familyOf(type, this.#dialect));
      }
      case 'extract':
        return NUMBER;
      case 'typed':
        return typeOfFamily(form.type.toLowerCase() as 'date' | 'time' | 'timestamp');
      case 'bareWord':
        return typeOfFamily(familyOf(form.word.replace('CURRENT_', ''), this.#dialect));
      case 'interval':
      case 'plus':
      case 'using':
      case 'unit':
      case 'trim':
        return UNKNOWN_TYPE;
      case 'function':
        return this.#ofFunction(form.name.toLowerCase(), items);
    }
  }

  #ofFunction(name: string, items: readonly Expression[]): SqlType | null {
    if (CHOOSING_FUNCTIONS.has(name)) return this.#commonOf(items);
    if (CONDITIONAL_FUNCTIONS.has(name)) return this.#commonOf(items.slice(1));
    if (TEXT_FUNCTIONS.has(name)) return TEXT;
    return NUMBER_FUNCTIONS.has(name) ? NUMBER : UNKNOWN_TYPE;
  }

  #commonOf(items: readonly Expression[]): SqlType | null {
    const types = items.map((item) => this.of(item)).filter((type) => type !== null);
    const [first, ...others] = types;
    if (first === undefined) return null;
    return others.every(({ family }) => family === first.family) ? first : UNKNOWN_TYPE;
  }
}

function typeOfValue(value: string | number | boolean): SqlType {
  if (typeof value === 'string') return TEXT;
  return typeof value === 'number' ? NUMBER : BOOLEAN;
}

function typeOfOperator(operator: string): SqlType {
  if (isArithmetic(operator)) return NUMBER;
  return operator === '||' ? TEXT : BOOLEAN;
}
