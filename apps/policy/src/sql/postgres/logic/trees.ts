import type { BoolExprType, Node, SelectStmt, RangeVar } from '@pgsql/types';

/** Fields with positions in the text, which have no meaning otherwise. */
const PLACES: ReadonlySet<string> = new Set([
  'location',
  'stmt_location',
  'stmt_len',
  'list_start',
  'list_end',
  'rexpr_list_start',
  'rexpr_list_end',
]);

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether approximately more than `limit` nodes are nested in a tree. Not recursive. */
export function isDeeperThan(limit: number, tree: object): boolean {
  const open: { value: object; depth: number }[] = [{ value: tree, depth: 1 }];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const { value, depth } = entry;
    // A node is two objects: its kind, and its fields.
    if (depth > 2 * limit) return true;
    for (const child of Object.values(value)) {
      if (typeof child === 'object' && child !== null)
        open.push({ value: child as object, depth: depth + 1 });
    }
  }
  return false;
}

/**
 * Whether two trees are equal. An absent field equals zero, false or an empty value, because the parser omits
 * those.
 */
export function isSameTree(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  // Most compared values are positions, which are numbers.
  if (typeof one !== 'object' || typeof other !== 'object') return isZero(one) && isZero(other);
  if (Array.isArray(one) && Array.isArray(other)) return isSameList(one, other);
  if (!isFields(one) || !isFields(other)) return isZero(one) && isZero(other);
  for (const key in one) {
    if (!isSameTree(one[key], other[key]) && !PLACES.has(key)) return false;
  }
  for (const key in other) {
    if (!(key in one) && !isZero(other[key]) && !PLACES.has(key)) return false;
  }
  return true;
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (!isSameTree(one[index], other[index])) return false;
  }
  return true;
}

function isZero(value: unknown): boolean {
  return value === undefined || value === '' || value === 0 || value === false || isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A text that is the same for two trees exactly if `isSameTree` holds. */
export function canonicalText(tree: unknown): string {
  return JSON.stringify(canonicalValue(tree)) ?? '';
}

function canonicalValue(value: unknown): unknown {
  if (isZero(value)) return undefined;
  if (Array.isArray(value)) return value.map((item) => canonicalValue(item) ?? null);
  if (!isFields(value)) return value;
  const entries = Object.keys(value)
    .filter((key) => !PLACES.has(key))
    .toSorted()
    .map((key) => [key, canonicalValue(value[key])] as const);
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
}

/** A mutable copy. */
export function copyTree<T>(tree: T): T {
  return copyValue(tree) as T;
}

function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue);
  if (!isFields(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key in value) copy[key] = copyValue(value[key]);
  return copy;
}

type KindOf<N> = N extends N ? keyof N : never;
export type NodeKind = KindOf<Node>;
export type FieldsOf<K extends NodeKind> = Extract<Node, Record<K, unknown>>[K];

/** The kind of a node and its fields; null for an empty node, which marks an absent one in some lists. */
export function openNode(node: Node): { [K in NodeKind]: { kind: K; fields: FieldsOf<K> } }[NodeKind] | null {
  for (const kind in node) {
    return { kind, fields: (node as Readonly<Record<string, unknown>>)[kind] } as ReturnType<typeof openNode>;
  }
  return null;
}

export function stringNode(sval: string): Node {
  return { String: { sval } };
}

/** The texts of a list of String nodes. */
export function textsOf(nodes: readonly Node[] | undefined): string[] {
  return (nodes ?? []).map((node) => ('String' in node ? (node.String.sval ?? '') : ''));
}

export function stringLiteral(value: string): Node {
  return { A_Const: { sval: { sval: value } } };
}

export function booleanLiteral(value: boolean): Node {
  return { A_Const: { boolval: { boolval: value } } };
}

/** AND or OR of conditions, flat as the parser builds it. A single condition stays as it is. */
export function combine(boolop: Exclude<BoolExprType, 'NOT_EXPR'>, conditions: readonly Node[]): Node {
  const args = conditions.flatMap((node) =>
    'BoolExpr' in node && node.BoolExpr.boolop === boolop ? (node.BoolExpr.args ?? []) : [node],
  );
  const [only] = args;
  return args.length === 1 && only ? only : { BoolExpr: { boolop, args } };
}

/** A number as PostgreSQL's lexer reads it: a 4-byte integer, or text for any other number. */
export function numberLiteral(value: number): Node {
  const isInteger = Number.isInteger(value) && Math.abs(value) <= INT4_MAX;
  return { A_Const: isInteger ? { ival: { ival: value } } : { fval: { fval: String(value) } } };
}

/**
 * A number with a minus before it, null for another node. The parser reads both as one literal
 * (PostgreSQL, gram.y, `doNegate`).
 */
export function negatedLiteral(node: Node | undefined): Node | null {
  const { ival, fval } = node && 'A_Const' in node ? node.A_Const : {};
  if (ival) return { A_Const: { ival: { ival: 0 - (ival.ival ?? 0) } } };
  const digits = fval?.fval;
  if (digits === undefined) return null;
  return { A_Const: { fval: { fval: digits.startsWith('-') ? digits.slice(1) : `-${digits}` } } };
}

export const INT4_MAX = 2_147_483_647;

export function castNode(arg: Node, type: string, isArray = false): Node {
  const typeName = { names: [stringNode('pg_catalog'), stringNode(type)], typemod: -1 };
  return {
    TypeCast: {
      arg,
      typeName: isArray ? { ...typeName, arrayBounds: [{ Integer: { ival: -1 } }] } : typeName,
    },
  };
}

/** `SELECT * FROM` one table. */
export function selectAllFrom(table: Node): SelectStmt {
  return {
    targetList: [{ ResTarget: { val: { ColumnRef: { fields: [{ A_Star: {} }] } } } }],
    fromClause: [table],
    limitOption: 'LIMIT_OPTION_DEFAULT',
    op: 'SETOP_NONE',
  };
}

const SYSTEM_NAME = /^pg_/;

/** Whether the table is a system catalog, or has a name that PostgreSQL looks up there first. */
export function isSystemTable({ schemaname, relname = '' }: RangeVar): boolean {
  return schemaname === undefined ? SYSTEM_NAME.test(relname) : isSystemSchema(schemaname);
}

export function isSystemSchema(schema: string): boolean {
  return schema === 'information_schema' || SYSTEM_NAME.test(schema);
}
