import type {
  ColumnRef,
  JoinExpr,
  Node,
  RangeFunction,
  RangeVar,
  SelectStmt,
  WithClause,
} from '@pgsql/types';
import { Refusal } from '../sql/denials.js';
import { openNode, textsOf } from './nodes.js';
import { outputName } from './outputNames.js';
import {
  aliasColumns,
  checkDistinctNames,
  findCte,
  joinColumns,
  nest,
  renameColumns,
  type Columns,
  type Item,
  type Scope,
} from './scopes.js';
import { isFields } from './trees.js';

/** What is done with the names of a query. */
export interface NameHandler {
  /** A table, which is no WITH query. Answers what stands in its place. */
  table(range: RangeVar): { node: Node; item: Item };
  /** A column, whole row or star. It may be changed. */
  column(reference: ColumnRef, scope: Scope): void;
}

interface FromEntry {
  node: Node;
  /** What its names reach, outside of it. */
  items: Item[];
  /** What `*` gives of it. */
  columns: Columns;
}

/** The functions in FROM that give more than one column, or one of another name than theirs. */
const FUNCTION_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  json_each: ['key', 'value'],
  json_each_text: ['key', 'value'],
  jsonb_each: ['key', 'value'],
  jsonb_each_text: ['key', 'value'],
  json_array_elements: ['value'],
  json_array_elements_text: ['value'],
  jsonb_array_elements: ['value'],
  jsonb_array_elements_text: ['value'],
};

/**
 * Walks a query of the allowed kinds in the order in which PostgreSQL resolves names, keeping account of what each name can
 * mean at its place, and replaces every table by what the handler answers. A name is a WITH query's only when it has no schema
 * and is visible there: earlier ones of the same list, all of the list when it is recursive, and those further out.
 */
export class ScopeWalker {
  constructor(private readonly handler: NameHandler) {}

  /** @param announce hears the columns of the first term of a set operation, which a recursive query has before it is done */
  walkSelect(select: SelectStmt, outer: Scope, announce?: (columns: Columns) => void): Columns {
    const scope = select.withClause ? this.walkWith(select.withClause, outer) : outer;
    const columns = this.walkBody(select, scope, announce);
    this.walkValues([select.limitCount, select.limitOffset], scope);
    return columns;
  }

  /** Walks an expression; subqueries in it see the scope. */
  walkExpression(value: unknown, scope: Scope): void {
    if (Array.isArray(value)) {
      for (const item of value) this.walkExpression(item, scope);
      return;
    }
    if (!isFields(value)) return;
    const opened = openNode(value as unknown as Node);
    if (opened?.kind === 'ColumnRef') return this.handler.column(opened.fields, scope);
    if (opened?.kind === 'SubLink') return this.walkSubLink(opened.fields, scope);
    for (const child of Object.values(value)) this.walkExpression(child, scope);
  }

  private walkValues(nodes: readonly unknown[], scope: Scope): void {
    for (const node of nodes) this.walkExpression(node, scope);
  }

  private walkSubLink(link: { testexpr?: Node; subselect?: Node }, scope: Scope): void {
    this.walkExpression(link.testexpr, scope);
    if (link.subselect && 'SelectStmt' in link.subselect) this.walkSelect(link.subselect.SelectStmt, scope);
  }

  private walkWith(clause: WithClause, outer: Scope): Scope {
    const ctes = new Map<string, { columns: Columns }>();
    const scope: Scope = { items: [], ctes, parent: outer };
    const queries = (clause.ctes ?? []).flatMap((node) =>
      'CommonTableExpr' in node ? [node.CommonTableExpr] : [],
    );
    if (clause.recursive) {
      for (const { ctename = '' } of queries) ctes.set(ctename, { columns: null });
    }
    for (const { ctename = '', aliascolnames, ctequery } of queries) {
      if (!ctequery || !('SelectStmt' in ctequery)) continue;
      const names = textsOf(aliascolnames);
      const announce = (columns: Columns): void => {
        if (clause.recursive) ctes.set(ctename, { columns: renameColumns(columns, names) });
      };
      const columns = this.walkSelect(ctequery.SelectStmt, scope, announce);
      ctes.set(ctename, { columns: renameColumns(columns, names) });
    }
    return scope;
  }

  private walkBody(select: SelectStmt, scope: Scope, announce?: (columns: Columns) => void): Columns {
    if (select.larg && select.rarg) {
      const columns = this.walkSelect(select.larg, scope, announce);
      announce?.(columns);
      this.walkSelect(select.rarg, scope);
      this.walkNamed(select.sortClause, columns, scope);
      return columns;
    }
    if (select.valuesLists) {
      this.walkValues([select.valuesLists, select.sortClause], scope);
      const [first] = select.valuesLists;
      const width = first && 'List' in first ? (first.List.items?.length ?? 0) : 0;
      return Array.from({ length: width }, (_, index) => `column${index + 1}`);
    }
    return this.walkSimple(select, scope);
  }

  private walkSimple(select: SelectStmt, scope: Scope): Columns {
    const entries: FromEntry[] = [];
    for (const node of select.fromClause ?? []) {
      const left = entries.flatMap((entry) => entry.items);
      entries.push(this.walkFrom(node, scope, left));
    }
    if (select.fromClause) select.fromClause = entries.map((entry) => entry.node);
    const items = entries.flatMap((entry) => entry.items);
    checkDistinctNames(items);
    const inner = nest(scope, items);
    const all = entries.reduce<Columns>((columns, entry) => joinColumns(columns, entry.columns, null), []);
    const outputs = outputsOf(select.targetList ?? [], inner, all);
    this.walkValues([select.targetList, select.whereClause, select.havingClause, select.windowClause], inner);
    for (const clause of [select.groupClause, select.sortClause, select.distinctClause]) {
      this.walkNamed(clause, outputs, inner);
    }
    return outputs;
  }

  /** A bare name in ORDER BY or GROUP BY may be that of an output column: PostgreSQL finds it without help. */
  private walkNamed(clause: readonly Node[] | undefined, outputs: Columns, scope: Scope): void {
    for (const entry of clause ?? []) {
      const node = 'SortBy' in entry ? entry.SortBy.node : entry;
      const names = node && 'ColumnRef' in node ? textsOf(node.ColumnRef.fields) : [];
      const isOutput = names.length === 1 && (outputs?.includes(names[0] ?? '') ?? false);
      if (!isOutput) this.walkExpression(entry, scope);
    }
  }

  private walkFrom(node: Node, scope: Scope, left: readonly Item[]): FromEntry {
    if ('RangeVar' in node) return this.walkTable(node, node.RangeVar, scope);
    if ('JoinExpr' in node) return this.walkJoin(node, node.JoinExpr, { scope, left });
    if ('RangeFunction' in node) {
      this.walkExpression(node.RangeFunction.functions, nest(scope, left));
      return functionEntry(node, node.RangeFunction);
    }
    const { lateral, subquery, alias } = 'RangeSubselect' in node ? node.RangeSubselect : {};
    if (!subquery || !('SelectStmt' in subquery)) {
      throw new Refusal('FORBIDDEN_CONSTRUCT', 'this is not allowed in FROM');
    }
    const inner = this.walkSelect(subquery.SelectStmt, lateral ? nest(scope, left) : scope);
    const columns = aliasColumns(inner, alias);
    return { node, items: [{ name: alias?.aliasname ?? null, columns, relation: null }], columns };
  }

  private walkTable(node: Node, range: RangeVar, scope: Scope): FromEntry {
    const name = range.relname ?? '';
    const cte =
      range.schemaname === undefined && range.catalogname === undefined ? findCte(scope, name) : null;
    if (cte) {
      const columns = aliasColumns(cte.columns, range.alias);
      return { node, items: [{ name: range.alias?.aliasname ?? name, columns, relation: null }], columns };
    }
    const { node: replacement, item } = this.handler.table(range);
    return { node: replacement, items: [item], columns: item.columns };
  }

  private walkJoin(node: Node, join: JoinExpr, at: { scope: Scope; left: readonly Item[] }): FromEntry {
    if (!join.larg || !join.rarg) throw new Refusal('FORBIDDEN_CONSTRUCT', 'half a join');
    const left = this.walkFrom(join.larg, at.scope, at.left);
    const right = this.walkFrom(join.rarg, at.scope, [...at.left, ...left.items]);
    join.larg = left.node;
    join.rarg = right.node;
    const items = [...left.items, ...right.items];
    this.walkExpression(join.quals, nest(at.scope, items));
    const using = join.usingClause ? textsOf(join.usingClause) : null;
    const columns = joinColumns(left.columns, right.columns, join.isNatural ? 'common' : using);
    if (join.alias) {
      const renamed = aliasColumns(columns, join.alias);
      return {
        node,
        items: [{ name: join.alias.aliasname ?? null, columns: renamed, relation: null }],
        columns: renamed,
      };
    }
    const name = join.join_using_alias?.aliasname;
    if (name !== undefined) items.push({ name, columns: using, relation: null });
    return { node, items, columns };
  }
}

function functionEntry(node: Node, { functions, ordinality, alias }: RangeFunction): FromEntry {
  const calls = (functions ?? []).map((entry) => {
    const call = 'List' in entry ? entry.List.items?.[0] : undefined;
    return outputName(call);
  });
  // A single function of one column names it as the whole.
  const name = alias?.aliasname ?? calls[0] ?? null;
  const single = calls.length === 1 && name !== null ? [name] : calls;
  const listed = calls.flatMap((call) => FUNCTION_COLUMNS[call] ?? []);
  const own = listed.length > 0 ? listed : single;
  const columns = aliasColumns(ordinality ? [...own, 'ordinality'] : own, alias);
  return { node, items: [{ name, columns, relation: null }], columns };
}

/** The names of a select list; null where a star stands for columns that are not known. */
function outputsOf(targets: readonly Node[], scope: Scope, all: Columns): Columns {
  const names: string[] = [];
  for (const target of targets) {
    const { name, val } = 'ResTarget' in target ? target.ResTarget : {};
    const expanded = name === undefined ? expandStar(val, scope, all) : undefined;
    if (expanded === null) return null;
    names.push(...(expanded ?? [name ?? outputName(val)]));
  }
  return names;
}

/** The columns that `*` or `t.*` stands for; undefined where the node is no star. */
function expandStar(node: Node | undefined, scope: Scope, all: Columns): Columns | undefined {
  const fields = node && 'ColumnRef' in node ? (node.ColumnRef.fields ?? []) : [];
  const last = fields.at(-1);
  if (!last || !('A_Star' in last)) return undefined;
  if (fields.length === 1) return all;
  const qualifier = textsOf(fields.slice(0, -1)).at(-1);
  return scope.items.find((item) => item.name === qualifier)?.columns ?? null;
}
