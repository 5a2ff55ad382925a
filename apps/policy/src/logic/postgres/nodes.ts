import type { BoolExprType, Node, SelectStmt } from '@pgsql/types';

type KindOf<N> = N extends N ? keyof N : never;
export type NodeKind = KindOf<Node>;
export type FieldsOf<K extends NodeKind> = Extract<Node, Record<K, unknown>>[K];

/** The kind of a node and its fields. An empty node, which stands for an absent one in some lists, has neither. */
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

/** AND or OR of conditions, flat as the parser makes it; a single one is itself. */
export function combine(boolop: Exclude<BoolExprType, 'NOT_EXPR'>, conditions: readonly Node[]): Node {
  const args = conditions.flatMap((node) =>
    'BoolExpr' in node && node.BoolExpr.boolop === boolop ? (node.BoolExpr.args ?? []) : [node],
  );
  const [only] = args;
  return args.length === 1 && only ? only : { BoolExpr: { boolop, args } };
}

/** A number as PostgreSQL's lexer would read it: an integer of four bytes, or the text of any other. */
export function numberLiteral(value: number): Node {
  const isInteger = Number.isInteger(value) && Math.abs(value) <= INT4_MAX;
  return { A_Const: isInteger ? { ival: { ival: value } } : { fval: { fval: String(value) } } };
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
