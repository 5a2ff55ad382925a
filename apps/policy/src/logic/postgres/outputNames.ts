import type { Node } from '@pgsql/types';
import { openNode, textsOf, type FieldsOf, type NodeKind } from './nodes.js';

const UNNAMED = '?column?';

/** The name that a column of a select list gets, as `FigureColname` of PostgreSQL (parse_target.c) chooses it. */
export function outputName(node: Node | undefined): string {
  return chooseName(node)?.name ?? UNNAMED;
}

/** A name and whether it is a good one: a weak one gives way to a better one from further out. */
interface Choice {
  name: string;
  isWeak: boolean;
}

function strong(name: string | undefined): Choice | null {
  return name === undefined ? null : { name, isWeak: false };
}

const CHOICES: { [K in NodeKind]?: (fields: FieldsOf<K>) => Choice | null } = {
  ColumnRef: ({ fields }) => strong(textsOf(fields?.filter((field) => 'String' in field)).at(-1)),
  A_Indirection: ({ arg }) => chooseName(arg),
  CollateClause: ({ arg }) => chooseName(arg),
  FuncCall: ({ funcname }) => strong(textsOf(funcname).at(-1)),
  A_Expr: ({ kind }) => (kind === 'AEXPR_NULLIF' ? strong('nullif') : null),
  TypeCast: ({ arg, typeName }) => {
    const inner = chooseName(arg);
    const type = textsOf(typeName?.names).at(-1);
    return (inner && !inner.isWeak) || type === undefined ? inner : { name: type, isWeak: true };
  },
  GroupingFunc: () => strong('grouping'),
  SubLink: ({ subLinkType, subselect }) => chooseSubqueryName(subLinkType, subselect),
  CaseExpr: ({ defresult }) => {
    const inner = chooseName(defresult);
    return inner && !inner.isWeak ? inner : { name: 'case', isWeak: true };
  },
  A_ArrayExpr: () => strong('array'),
  RowExpr: () => strong('row'),
  CoalesceExpr: () => strong('coalesce'),
  MinMaxExpr: ({ op }) => strong(op === 'IS_LEAST' ? 'least' : 'greatest'),
  SQLValueFunction: ({ op }) => strong((op ?? '').replaceAll(/^SVFOP_|_N$/g, '').toLowerCase()),
};

function chooseName(node: Node | undefined): Choice | null {
  const opened = node && openNode(node);
  const choose = opened && (CHOICES[opened.kind] as ((fields: unknown) => Choice | null) | undefined);
  return opened && choose ? choose(opened.fields) : null;
}

function chooseSubqueryName(type: string | undefined, subselect: Node | undefined): Choice | null {
  if (type === 'EXISTS_SUBLINK') return strong('exists');
  if (type === 'ARRAY_SUBLINK') return strong('array');
  if (type !== 'EXPR_SUBLINK' || !subselect || !('SelectStmt' in subselect)) return null;
  const [first] = subselect.SelectStmt.targetList ?? [];
  if (!first || !('ResTarget' in first)) return null;
  const { name, val } = first.ResTarget;
  return name === undefined ? chooseName(val) : strong(name);
}
