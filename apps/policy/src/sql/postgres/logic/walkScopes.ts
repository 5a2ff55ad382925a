import type {
  ColumnRef,
  JoinExpr,
  Node,
  RangeFunction,
  RangeVar,
  SelectStmt,
  WithClause,
} from '@pgsql/types';
import { checkColumnCount, checkFromItems, type Budget } from '../../logic/bounds.js';
import { Refusal } from '../../logic/denials.js';
import { openNode, textsOf, isFields } from './trees.js';
import {
  outputName,
  aliasColumns,
  checkDistinctNames,
  EMPTY_SCOPE,
  findCte,
  findItem,
  joinColumns,
  nest,
  renameColumns,
  type Columns,
  type Item,
  type Scope,
} from './scopes.js';

/** Handles the names of a query. */
export interface NameHandler {
  /** Handles a table that is not a WITH query. Returns its replacement. */
  table(range: RangeVar): { node: Node; item: Item };
  /** Handles a column, whole row or star, which it may change. */
  column(reference: ColumnRef, scope: Scope): void;
}

interface FromEntry {
  node: Node;
  /** The entries that its names refer to. */
  items: Item[];
  /** The columns of `*`. */
  columns: Columns;
}

/** The functions in FROM with several columns, or with a column of another name than theirs. */
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

/** Functions in FROM that may return a row, because an array or a range may contain rows. */
const ELEMENT_FUNCTIONS: ReadonlySet<string> = new Set(['unnest', 'lower', 'upper']);

/**
 * Walks a query in the order in which PostgreSQL resolves names, tracks what each name can refer to, and
 * replaces every table by the result of the handler. A name refers to a WITH query only if it has no schema
 * and the query is visible: earlier ones of the same list, all of the list if it is recursive, and those
 * further out.
 */
export class ScopeWalker {
  readonly #handler: NameHandler;
  readonly #budget: Budget;

  constructor(handler: NameHandler, budget: Budget) {
    this.#handler = handler;
    this.#budget = budget;
  }

  /**
   * @param announce receives the columns of the first term of a set operation, which a recursive query needs
   * before it is complete
   */
  walkSelect(select: SelectStmt, outer: Scope, announce?: (columns: Columns) => void): Columns {
    const scope = select.withClause ? this.#walkWith(select.withClause, outer) : outer;
    const columns = this.#walkBody(select, scope, announce);
    this.#walkValues([select.limitCount, select.limitOffset], scope);
    return columns;
  }

  /** Walks an expression. Its subqueries see the scope. */
  walkExpression(value: unknown, scope: Scope): void {
    if (Array.isArray(value)) {
      for (const item of value) this.walkExpression(item, scope);
      return;
    }
    if (!isFields(value)) return;
    const opened = openNode(value as unknown as Node);
    if (opened?.kind === 'ColumnRef') return this.#handler.column(opened.fields, scope);
    if (opened?.kind === 'SubLink') return this.#walkSubLink(opened.fields, scope);
    for (const child of Object.values(value)) this.walkExpression(child, scope);
  }

  #walkValues(nodes: readonly unknown[], scope: Scope): void {
    for (const node of nodes) this.walkExpression(node, scope);
  }

  #walkSubLink(link: { testexpr?: Node; subselect?: Node }, scope: Scope): void {
    this.walkExpression(link.testexpr, scope);
    if (link.subselect && 'SelectStmt' in link.subselect) this.walkSelect(link.subselect.SelectStmt, scope);
  }

  #walkWith(clause: WithClause, outer: Scope): Scope {
    const ctes = new Map<string, { columns: Columns }>();
    const scope: Scope = { ...EMPTY_SCOPE, ctes, parent: outer };
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

  #walkBody(select: SelectStmt, scope: Scope, announce?: (columns: Columns) => void): Columns {
    if (select.larg && select.rarg) {
      const columns = this.walkSelect(select.larg, scope, announce);
      announce?.(columns);
      this.walkSelect(select.rarg, scope);
      this.#walkNamed(select.sortClause, columns, scope);
      return columns;
    }
    if (select.valuesLists) {
      this.#walkValues([select.valuesLists, select.sortClause], scope);
      const [first] = select.valuesLists;
      const width = first && 'List' in first ? (first.List.items?.length ?? 0) : 0;
      checkColumnCount(width);
      return Array.from({ length: width }, (_, index) => `column${index + 1}`);
    }
    return this.#walkSimple(select, scope);
  }

  #walkSimple(select: SelectStmt, scope: Scope): Columns {
    checkFromItems(countFromItems(select.fromClause ?? []));
    const entries: FromEntry[] = [];
    const items: Item[] = [];
    for (const node of select.fromClause ?? []) {
      const entry = this.#walkFrom(node, scope, items);
      entries.push(entry);
      items.push(...entry.items);
    }
    if (select.fromClause) select.fromClause = entries.map((entry) => entry.node);
    checkDistinctNames(items);
    const inner = nest(scope, items);
    const outputs = outputsOf(select.targetList ?? [], inner, entries);
    this.#budget.spendSteps(outputs?.length ?? 0);
    this.#walkValues(
      [select.targetList, select.whereClause, select.havingClause, select.windowClause],
      inner,
    );
    for (const clause of [select.groupClause, select.sortClause, select.distinctClause]) {
      this.#walkNamed(clause, outputs, inner);
    }
    return outputs;
  }

  /**
   * An unqualified name in ORDER BY or GROUP BY may be an output column, which PostgreSQL resolves itself.
   */
  #walkNamed(clause: readonly Node[] | undefined, outputs: Columns, scope: Scope): void {
    const outputNames = new Set(clause ? outputs : []);
    for (const entry of clause ?? []) {
      const node = 'SortBy' in entry ? entry.SortBy.node : entry;
      const names = node && 'ColumnRef' in node ? textsOf(node.ColumnRef.fields) : [];
      const isOutput = names.length === 1 && outputNames.has(names[0] ?? '');
      if (!isOutput) this.walkExpression(entry, scope);
    }
  }

  #walkFrom(node: Node, scope: Scope, left: readonly Item[]): FromEntry {
    if ('RangeVar' in node) return this.#walkTable(node, node.RangeVar, scope);
    if ('JoinExpr' in node) return this.#walkJoin(node, node.JoinExpr, { scope, left });
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

  #walkTable(node: Node, range: RangeVar, scope: Scope): FromEntry {
    const name = range.relname ?? '';
    const cte =
      range.schemaname === undefined && range.catalogname === undefined ? findCte(scope, name) : null;
    if (cte) {
      const columns = aliasColumns(cte.columns, range.alias);
      return { node, items: [{ name: range.alias?.aliasname ?? name, columns, relation: null }], columns };
    }
    const { node: replacement, item } = this.#handler.table(range);
    return { node: replacement, items: [item], columns: item.columns };
  }

  #walkJoin(node: Node, join: JoinExpr, at: { scope: Scope; left: readonly Item[] }): FromEntry {
    if (!join.larg || !join.rarg) throw new Refusal('FORBIDDEN_CONSTRUCT', 'half a join');
    const left = this.#walkFrom(join.larg, at.scope, at.left);
    const right = this.#walkFrom(join.rarg, at.scope, [...at.left, ...left.items]);
    join.larg = left.node;
    join.rarg = right.node;
    const items = [...left.items, ...right.items];
    this.walkExpression(join.quals, nest(at.scope, items));
    const using = join.usingClause ? textsOf(join.usingClause) : null;
    this.#budget.spendSteps((left.columns?.length ?? 0) + (right.columns?.length ?? 0));
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
    return (call && 'FuncCall' in call && textsOf(call.FuncCall.funcname).at(-1)) || '';
  });
  // A single function with one column gives it its name.
  const name = alias?.aliasname ?? calls[0] ?? null;
  const own = calls.flatMap((call) => FUNCTION_COLUMNS[call] ?? [calls.length === 1 ? (name ?? call) : call]);
  const isNamed = textsOf(alias?.colnames).length >= own.length;
  const mayHaveMore = calls.some((call) => ELEMENT_FUNCTIONS.has(call));
  const all = aliasColumns(ordinality ? [...own, 'ordinality'] : own, alias);
  const items = [{ name, columns: isNamed || !mayHaveMore ? all : null, relation: null }];
  return { node, items, columns: mayHaveMore ? null : all };
}

/**
 * The number of tables, subqueries and functions in FROM, including those within joins. The parser bounds the
 * nesting of joins.
 */
function countFromItems(nodes: readonly (Node | undefined)[]): number {
  return nodes.reduce<number>(
    (count, node) =>
      count + (node && 'JoinExpr' in node ? countFromItems([node.JoinExpr.larg, node.JoinExpr.rarg]) : 1),
    0,
  );
}

/**
 * The names of a select list; null if a star represents unknown columns.
 * @throws {Refusal} TOO_LARGE for too many columns, before they are expanded
 */
function outputsOf(targets: readonly Node[], scope: Scope, from: readonly FromEntry[]): Columns {
  checkColumnCount(targets.length);
  const names: string[] = [];
  let isKnown = true;
  for (const target of targets) {
    const { name, val } = 'ResTarget' in target ? target.ResTarget : {};
    const parts = name === undefined ? expandStar(val, scope, from) : undefined;
    const own = name ?? outputName(val);
    const added = parts ?? [own === null ? null : [own]];
    checkColumnCount(added.reduce((count, columns) => count + (columns?.length ?? 1), names.length));
    for (const columns of added) {
      if (columns === null) isKnown = false;
      else names.push(...columns);
    }
  }
  return isKnown ? names : null;
}

/** The columns of `*` or `t.*`, one list for each entry of FROM; undefined if the node is not a star. */
function expandStar(
  node: Node | undefined,
  scope: Scope,
  from: readonly FromEntry[],
): readonly Columns[] | undefined {
  const fields = node && 'ColumnRef' in node ? (node.ColumnRef.fields ?? []) : [];
  const last = fields.at(-1);
  if (!last || !('A_Star' in last)) return undefined;
  if (fields.length === 1) return from.map(({ columns }) => columns);
  const qualifier = textsOf(fields.slice(0, -1)).at(-1);
  return [findItem(scope, qualifier ?? '')?.columns ?? null];
}
