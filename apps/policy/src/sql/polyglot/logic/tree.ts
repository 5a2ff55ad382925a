/** The part of SQL that this engine understands, as plain values. Anything else cannot be compiled. */

/** A name as in the catalog, without quotes. */
export interface Name {
  text: string;
  /** Whether it was quoted. A dialect may fold only unquoted names. */
  isQuoted: boolean;
}

export interface Column {
  kind: 'column';
  /** The column last, preceded by table and schema if given. */
  path: Name[];
}

export type Expression =
  | Column
  /** `*` or `t.*`. */
  | { kind: 'star'; qualifier: Name[] }
  | { kind: 'number'; text: string }
  | { kind: 'string'; value: string }
  | { kind: 'constant'; word: 'NULL' | 'TRUE' | 'FALSE' }
  /** Represents a value that is not known yet. */
  | { kind: 'placeholder'; name: string }
  /** The value of a placeholder: a literal in one form of the statement, a parameter in the other. */
  | { kind: 'value'; value: string | number | boolean }
  /** Binary operators, applied from left to right. AND and OR are chained only with themselves. */
  | { kind: 'chain'; first: Expression; rest: ChainLink[] }
  | { kind: 'prefix'; operator: 'NOT' | '-' | '~'; operand: Expression }
  | { kind: 'between'; operand: Expression; isNegated: boolean; low: Expression; high: Expression }
  | {
      kind: 'like';
      operator: string;
      operand: Expression;
      pattern: Expression;
      escape: Expression | null;
    }
  | { kind: 'in'; operand: Expression; isNegated: boolean; items: Expression[] }
  | { kind: 'inQuery'; operand: Expression; isNegated: boolean; query: Query }
  | { kind: 'exists'; query: Query }
  | { kind: 'scalarQuery'; query: Query }
  | { kind: 'quantified'; operand: Expression; operator: string; quantifier: 'ANY' | 'ALL'; query: Query }
  | { kind: 'parenthesized'; inner: Expression }
  | { kind: 'tuple'; items: Expression[] }
  | {
      kind: 'case';
      operand: Expression | null;
      branches: { condition: Expression; result: Expression }[];
      otherwise: Expression | null;
    }
  | { kind: 'collate'; operand: Expression; collation: Name }
  | Call
  | {
      kind: 'groupConcat';
      isDistinct: boolean;
      operands: Expression[];
      orderBy: Order[];
      separator: Expression | null;
    }
  | { kind: 'over'; call: Call; window: Window | Name };

export interface ChainLink {
  operator: string;
  operand: Expression;
}

/** The form of a call: a function, or a special form around one operand. */
export type CallForm =
  | { form: 'function'; name: string }
  /** `CURRENT_DATE` and similar words. */
  | { form: 'bareWord'; word: string }
  | { form: 'cast'; type: string }
  | { form: 'extract'; unit: string }
  /** `TIMESTAMPDIFF(unit, x, y)`. */
  | { form: 'unit'; name: string; unit: string }
  /** `TRIM(side x FROM y)`, in which the side or `x` may be missing. */
  | { form: 'trim'; side: string | null }
  | { form: 'interval'; unit: string }
  /** `CONVERT(x USING charset)`. */
  | { form: 'using'; charset: string }
  /** `+x`, which has no affinity in SQLite. */
  | { form: 'plus' }
  /** `DATE '2024-01-31'`. */
  | { form: 'typed'; type: string };

export interface Call {
  kind: 'call';
  form: CallForm;
  isDistinct: boolean;
  arguments: Expression[];
  filter: Expression | null;
}

export interface Order {
  expression: Expression;
  isDescending: boolean;
  nulls: 'FIRST' | 'LAST' | null;
}

export interface Window {
  base: Name | null;
  partitionBy: Expression[];
  orderBy: Order[];
  frame: Frame | null;
}

export interface Frame {
  unit: 'ROWS' | 'RANGE' | 'GROUPS';
  start: FrameBound;
  end: FrameBound | null;
}

export interface FrameBound {
  /** Null for `UNBOUNDED` and for the current row. */
  distance: Expression | null;
  side: 'UNBOUNDED PRECEDING' | 'UNBOUNDED FOLLOWING' | 'CURRENT ROW' | 'PRECEDING' | 'FOLLOWING';
}

export interface SelectItem {
  expression: Expression;
  alias: Name | null;
}

export interface TableReference {
  kind: 'table';
  /** The table last. */
  path: Name[];
  alias: Name | null;
}

export interface DerivedTable {
  kind: 'derived';
  isLateral: boolean;
  query: Query;
  /** Null in SQLite only, where nothing but `*` and bare columns refer to such a query. */
  alias: Name | null;
  columns: Name[];
}

interface JoinGroup {
  kind: 'group';
  from: FromItem;
  joins: Join[];
}

export type FromItem = TableReference | DerivedTable | JoinGroup;

export const JOIN_WORDS = {
  Inner: 'JOIN',
  Left: 'LEFT JOIN',
  Right: 'RIGHT JOIN',
  Full: 'FULL JOIN',
  Cross: 'CROSS JOIN',
  Natural: 'NATURAL JOIN',
  NaturalLeft: 'NATURAL LEFT JOIN',
  NaturalRight: 'NATURAL RIGHT JOIN',
  Implicit: ',',
} as const;
type JoinWord = (typeof JOIN_WORDS)[keyof typeof JOIN_WORDS];

export interface Join {
  word: JoinWord;
  item: FromItem;
  on: Expression | null;
  using: Name[];
}

export interface CommonTable {
  name: Name;
  columns: Name[];
  query: Query;
}

export interface Query {
  isRecursive: boolean;
  commonTables: CommonTable[];
  body: Select | SetOperation | Parenthesized;
  orderBy: Order[];
  limit: Expression | null;
  offset: Expression | null;
}

/** A query in parentheses as part of a set operation or as the whole statement. */
interface Parenthesized {
  kind: 'parenthesizedQuery';
  query: Query;
}

export interface Select {
  kind: 'select';
  isDistinct: boolean;
  items: SelectItem[];
  from: FromItem[];
  joins: Join[];
  where: Expression | null;
  groupBy: Expression[];
  /** Whether `WITH ROLLUP` adds the totals. */
  isRollup: boolean;
  having: Expression | null;
  windows: { name: Name; window: Window }[];
}

export interface SetOperation {
  kind: 'setOperation';
  operator: 'UNION' | 'INTERSECT' | 'EXCEPT';
  isAll: boolean;
  left: Query;
  right: Query;
}
