import type { ParamValue } from '@gatehouse/contract';

/** The kind of values of a column for exact comparison. */
export type Kind =
  | 'text'
  | 'decimal'
  | 'float'
  | 'single'
  | 'boolean'
  | 'flag'
  | 'date'
  | 'timestamp'
  | 'time'
  | 'uuid'
  | 'bytes'
  /** SQLite: a number or a text, as stored. */
  | 'any'
  /** SQLite: like `any`, but a text that looks like a number is one. */
  | 'numeric'
  /** Values compare only by the database's own parsing of a string. */
  | 'opaque';

/** A stored value: a text, the digits of a number, or a boolean. */
export type Stored = string | number | boolean | null;
type Scalar = string | number | boolean;

/** The order of two values; null if their types differ, so that the comparison must be refused. */
type Order = -1 | 0 | 1 | null;

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const LIKE_NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const DIGITS_AFTER_POINT = 340;

/** A decimal as a whole number of units of 10⁻³⁴⁰. */
function unitsOf(decimal: string): bigint {
  const [mantissa = '', exponent = '0'] = decimal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = DIGITS_AFTER_POINT - fraction.length + Number(exponent);
  return BigInt(whole.replace('+', '') + fraction) * 10n ** BigInt(shift);
}

function orderOf<T extends bigint | number | string>(one: T, other: T): Order {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function compareNumbers(stored: Stored, value: Scalar): Order {
  if (typeof value === 'boolean' || (typeof value === 'string' && !DECIMAL.test(value))) return null;
  return orderOf(unitsOf(String(stored)), unitsOf(String(value)));
}

function momentOf(text: string, kind: Kind): number | null {
  const date = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2}(?:\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(
    text,
  );
  if (!date || (kind === 'date' && date[2] !== undefined)) return null;
  const [, day = '', minute = '00:00', second = ':00', zone = 'Z'] = date;
  const [whole = '', fraction = ''] = second.split('.');
  const base = Date.parse(`${day}T${minute}${whole}${zone}`);
  if (Number.isNaN(base) || new Date(Date.parse(`${day}T00:00:00Z`)).toISOString().slice(0, 10) !== day)
    return null;
  return base * 1000 + Number(fraction.padEnd(6, '0'));
}

function timeOf(text: string): string | null {
  const time = /^(\d{2}:\d{2})(:\d{2})?(\.\d{1,6})?$/.exec(text);
  return time && `${time[1]}${time[2] ?? ':00'}${(time[3] ?? '.').padEnd(7, '0')}`;
}

function compareForms<T extends number | string>(stored: T | null, value: T | null): Order {
  return stored === null || value === null ? null : orderOf(stored, value);
}

/** Compares a stored non-null value with another, exactly and by its type. */
export function compareExactly(kind: Kind, stored: Exclude<Stored, null>, value: Scalar): Order {
  const text = typeof value === 'string' ? value : null;
  switch (kind) {
    case 'text':
    case 'bytes':
      return compareForms(String(stored), text);
    case 'decimal':
      return compareNumbers(stored, value);
    case 'float':
      return typeof value === 'boolean' || (text !== null && !DECIMAL.test(text))
        ? null
        : orderOf(Number(stored), Number(value));
    case 'single':
      return typeof value === 'boolean' || (text !== null && !DECIMAL.test(text))
        ? null
        : orderOf(Math.fround(Number(stored)), Number(value));
    case 'boolean':
      return typeof value === 'boolean' ? orderOf(Number(stored), Number(value)) : null;
    case 'flag':
      return typeof value === 'string' ? null : orderOf(Number(stored), Number(value));
    case 'date':
    case 'timestamp':
      return text === null ? null : compareForms(momentOf(String(stored), kind), momentOf(text, kind));
    case 'time':
      return text === null ? null : compareForms(timeOf(String(stored)), timeOf(text));
    case 'uuid':
      return text !== null && /^[0-9a-f-]{36}$/i.test(text)
        ? orderOf(String(stored), text.toLowerCase())
        : null;
    case 'any':
      if (typeof value === 'boolean') return null;
      return typeof stored === typeof value ? orderOf(stored as string | number, value) : 1;
    case 'numeric':
      return compareNumeric(stored, value);
    case 'opaque':
      return null;
  }
}

function compareNumeric(stored: string | number | boolean, value: Scalar): Order {
  if (typeof value === 'boolean') return null;
  const isNumber = typeof value === 'number' || DECIMAL.test(value);
  // Any other spelling of a number would be compared as that number.
  if (!isNumber && LIKE_NUMBER.test(value)) return null;
  if (isNumber !== (typeof stored === 'number')) return 1;
  return isNumber ? compareNumbers(stored, value) : orderOf(String(stored), value);
}

/** The operators that every engine supports, as in rules. */
export interface Operator {
  /** The rule's expression. */
  write: (column: string, index: number) => string;
  /** Whether a row is returned; null if the statement must be refused. */
  holds: (compare: (value: Scalar) => Order, value: ParamValue, stored: Stored) => boolean | null;
  /** Whether the operator takes an array. */
  isList: boolean;
  /** Whether the operator requires an order independent of collations. */
  isOrder?: boolean;
}

function single(test: (order: Exclude<Order, null>) => boolean, ofNull = false): Operator['holds'] {
  return (compare, value, stored) => {
    if (Array.isArray(value)) return null;
    const order = compare(value);
    if (order === null) return null;
    return stored === null ? ofNull : test(order);
  };
}

function listed(isNegated: boolean): Operator['holds'] {
  return (compare, value, stored) => {
    const values = Array.isArray(value) ? value : [value];
    if (values.length === 0) return isNegated;
    const orders = values.map(compare);
    if (orders.includes(null)) return null;
    return stored !== null && orders.includes(0) !== isNegated;
  };
}

const equal = single((order) => order === 0);
const different = single((order) => order !== 0);

export const OPERATORS: Readonly<Record<string, Operator>> = {
  '=': { write: (column) => `${column} = {{ x }}`, holds: equal, isList: false },
  '<>': { write: (column) => `${column} <> {{ x }}`, holds: different, isList: false },
  'turned =': { write: (column) => `{{ x }} = ${column}`, holds: equal, isList: false },
  'NOT =': { write: (column) => `NOT (${column} = ({{ x }}))`, holds: different, isList: false },
  IN: { write: (column) => `${column} IN ({{ x }})`, holds: listed(false), isList: true },
  'NOT IN': { write: (column) => `${column} NOT IN {{ x }}`, holds: listed(true), isList: true },
  'value IN': { write: (column) => `{{ x }} IN (${column})`, holds: equal, isList: false },
  '<': {
    write: (column) => `${column} < {{ x }}`,
    holds: single((order) => order < 0),
    isList: false,
    isOrder: true,
  },
  BETWEEN: {
    write: (column) => `${column} BETWEEN {{ x }} AND {{ x }}`,
    holds: equal,
    isList: false,
    isOrder: true,
  },
  'IN query': {
    write: (column) => `{{ x }} IN (SELECT u.${column} FROM things u WHERE u.id = things.id)`,
    holds: equal,
    isList: false,
  },
  EXISTS: {
    write: (column) => `EXISTS (SELECT 1 FROM things u WHERE u.id = things.id AND u.${column} = {{ x }})`,
    holds: equal,
    isList: false,
  },
  'CASE of a column': {
    write: (column) => `CASE ${column} WHEN {{ x }} THEN id = id ELSE id < 0 END`,
    holds: equal,
    isList: false,
  },
  'IN query of a value': {
    write: (column) => `${column} IN (SELECT {{ x }} FROM things u WHERE u.id = 0)`,
    holds: equal,
    isList: false,
  },
  CASE: {
    write: (column) => `CASE WHEN ${column} = {{ x }} THEN id = id ELSE id < 0 END`,
    holds: equal,
    isList: false,
  },
};
