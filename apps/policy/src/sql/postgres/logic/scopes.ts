import type { Alias, Node } from '@pgsql/types';
import { Refusal } from '../../logic/denials.js';
import { textsOf, openNode, type FieldsOf, type NodeKind } from './trees.js';

/** The column names of a relation in order; null if they are unknown. */
export type Columns = readonly string[] | null;

/** An entry of FROM, as visible to the expressions of its query. */
export interface Item {
  /** Null for a subquery without an alias, which only `*` can refer to. */
  name: string | null;
  columns: Columns;
  /** The table, which may be qualified with its schema because it has no alias. */
  relation: { schema: string | null; table: string } | null;
}

/** The names visible at one place of a query, innermost first. */
export interface Scope {
  items: readonly Item[];
  /** The first item of each name. */
  byName: ReadonlyMap<string, Item>;
  /** The WITH queries that are visible from here inwards. */
  ctes: ReadonlyMap<string, { columns: Columns }> | null;
  parent: Scope | null;
}

export const EMPTY_SCOPE: Scope = { items: [], byName: new Map(), ctes: null, parent: null };

export function nest(parent: Scope, items: readonly Item[]): Scope {
  const byName = new Map<string, Item>();
  for (const item of items) if (item.name !== null && !byName.has(item.name)) byName.set(item.name, item);
  return { items, byName, ctes: null, parent };
}

/** The WITH query that an unqualified name refers to. */
export function findCte(scope: Scope, name: string): { columns: Columns } | null {
  for (let at: Scope | null = scope; at; at = at.parent) {
    const cte = at.ctes?.get(name);
    if (cte) return cte;
  }
  return null;
}

/** The entry that a qualifier refers to, in the innermost query that has one. */
export function findItem(scope: Scope, name: string): Item | null {
  for (let at: Scope | null = scope; at; at = at.parent) {
    const found = at.byName.get(name);
    if (found) return found;
  }
  return null;
}

/**
 * The entry that a qualified table name refers to; null also if the unqualified name refers to another entry.
 */
export function findRelation(scope: Scope, schema: string, table: string): Item | null {
  // A relation has the name of its table.
  const found = findItem(scope, table);
  return found?.relation?.schema === schema && found.relation.table === table ? found : null;
}

/** The columns, the first of them renamed by an alias. */
export function renameColumns(columns: Columns, names: readonly string[]): Columns {
  if (names.length === 0) return columns;
  return columns === null ? null : [...names, ...columns.slice(names.length)];
}

export function aliasColumns(columns: Columns, alias: Alias | undefined): Columns {
  return renameColumns(columns, textsOf(alias?.colnames));
}

/** The columns of a join: shared columns first, and once. */
export function joinColumns(
  left: Columns,
  right: Columns,
  shared: readonly string[] | 'common' | null,
): Columns {
  if (left === null || right === null) return null;
  if (shared === null) return [...left, ...right];
  const ofRight = new Set(right);
  const merged = shared === 'common' ? left.filter((name) => ofRight.has(name)) : shared;
  const isMerged = new Set(merged);
  const isOwn = (name: string): boolean => !isMerged.has(name);
  return [...merged, ...left.filter(isOwn), ...right.filter(isOwn)];
}

/** Refuses two entries of the same name in one FROM: they would be ambiguous when wrapped in subqueries. */
export function checkDistinctNames(items: readonly Item[]): void {
  const seen = new Set<string>();
  for (const { name } of items) {
    if (name !== null && seen.has(name)) {
      throw new Refusal('FORBIDDEN_CONSTRUCT', `two tables are called ${name}: give them aliases`);
    }
    if (name !== null) seen.add(name);
  }
}

const UNNAMED = '?column?';

/**
 * The name of a column of a select list, chosen like `FigureColname` of PostgreSQL (parse_target.c); null if
 * it is not known here.
 */
export function outputName(node: Node | undefined): string | null {
  const choice = chooseName(node);
  return choice ? choice.name : UNNAMED;
}

/** A name, which may be unknown. A weak one yields to a stronger one further out. */
interface Choice {
  name: string | null;
  isWeak: boolean;
}

function strong(name: string | null | undefined): Choice | null {
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

/**
 * The name of a scalar subquery is the name of its column, and yields to none. A star has the name of the
 * column that it stands for, which is not known here.
 */
function chooseSubqueryName(type: string | undefined, subselect: Node | undefined): Choice | null {
  if (type === 'EXISTS_SUBLINK') return strong('exists');
  if (type === 'ARRAY_SUBLINK') return strong('array');
  if (type !== 'EXPR_SUBLINK') return null;
  let select = subselect && 'SelectStmt' in subselect ? subselect.SelectStmt : undefined;
  // A set operation has the names of its first term.
  while (select?.larg) select = select.larg;
  if (select?.valuesLists) return strong('column1');
  const [first] = select?.targetList ?? [];
  const { name, val } = first && 'ResTarget' in first ? first.ResTarget : {};
  return strong(name ?? (isStar(val) ? null : outputName(val)));
}

function isStar(node: Node | undefined): boolean {
  const fields = (node && 'ColumnRef' in node && node.ColumnRef.fields) || [];
  return fields.some((field) => 'A_Star' in field);
}
