import type { CompiledCondition, TraceEntry } from '@gatehouse/contract';
import { checkSchema, type Level } from './columnSchemas.js';
import { describeCondition, judgeTable, traceOf, type Judgement, type Policies } from './judgeTable.js';
import { LENGTH_MAX } from './readText.js';
import { refuse, refuseWithoutAlias } from './refuse.js';
import { commonTableName, GOVERNED, refuseReservedName } from './reservedNames.js';
import { selectAll } from './selectAll.js';
import { CommonTableScope } from './scope.js';
import { tablePathOf } from './tables.js';
import type { Expression, FromItem, Join, Name, Query, Select, TableReference } from './tree.js';
import { isQueryExpression, mapExpressions } from './walk.js';

export interface Restricted {
  query: Query;
  conditions: CompiledCondition[];
  /** The same conditions as trees. */
  expressions: Expression[];
  trace: TraceEntry[];
}

/**
 * The most characters of all conditions of a statement. The statement that contains them is not read beyond
 * half of this. It would be refused only after all of them were built and printed. Twice, because they are
 * counted with the names of the statement, which may be longer than the one within it.
 */
const CONDITIONS_MAX = 2 * LENGTH_MAX;

class Restrictor {
  readonly conditions: CompiledCondition[] = [];
  readonly expressions: Expression[] = [];
  readonly trace: TraceEntry[] = [];

  #commonTableCount = 0;
  /** The characters of the conditions. */
  #printed = 0;

  /** The queries around the current place, innermost last. */
  readonly #levels: Level[] = [];
  readonly #checks: (() => void)[] = [];
  readonly #policies: Policies;

  constructor(policies: Policies) {
    this.#policies = policies;
  }

  query(query: Query, outer: CommonTableScope): Query {
    const names = query.commonTables.map(() => this.#freshName());
    const scope = outer.enter(query, names);
    const commonTables = query.commonTables.map((table, index) => ({
      ...table,
      name: names[index] ?? table.name,
      query: this.query(table.query, scope.within(index)),
    }));
    const inner = scope.after();
    const { body } = query;
    if (body.kind === 'select') this.#levels.push({ select: body, scope: inner });
    const restricted = {
      ...query,
      commonTables,
      body: this.#body(body, inner),
      orderBy: query.orderBy.map((order) => ({
        ...order,
        expression: this.#expression(order.expression, inner),
      })),
      limit: query.limit && this.#expression(query.limit, inner),
      offset: query.offset && this.#expression(query.offset, inner),
    };
    if (body.kind === 'select') this.#levels.pop();
    return restricted;
  }

  /**
   * Common tables are printed with names that no table has. In nested queries with a WITH of their own,
   * MariaDB sometimes loses a common table and reads the table of that name.
   */
  #freshName(): Name {
    this.#commonTableCount += 1;
    return commonTableName(this.#commonTableCount);
  }

  #body(body: Query['body'], scope: CommonTableScope): Query['body'] {
    switch (body.kind) {
      case 'select':
        return this.#select(body, scope);
      case 'parenthesizedQuery':
        return { ...body, query: this.query(body.query, scope) };
      case 'setOperation':
        return { ...body, left: this.query(body.left, scope), right: this.query(body.right, scope) };
    }
  }

  #select(select: Select, scope: CommonTableScope): Select {
    return {
      ...select,
      items: select.items.map((item) => ({ ...item, expression: this.#expression(item.expression, scope) })),
      from: select.from.map((item) => this.#fromItem(item, scope)),
      joins: select.joins.map((join) => this.#join(join, scope)),
      where: select.where && this.#expression(select.where, scope),
      groupBy: select.groupBy.map((expression) => this.#expression(expression, scope)),
      having: select.having && this.#expression(select.having, scope),
      windows: select.windows.map(({ name, window }) => ({
        name,
        window: {
          ...window,
          partitionBy: window.partitionBy.map((expression) => this.#expression(expression, scope)),
          orderBy: window.orderBy.map((order) => ({
            ...order,
            expression: this.#expression(order.expression, scope),
          })),
        },
      })),
    };
  }

  #join(join: Join, scope: CommonTableScope): Join {
    return {
      ...join,
      item: this.#fromItem(join.item, scope),
      on: join.on && this.#expression(join.on, scope),
    };
  }

  #expression(expression: Expression, scope: CommonTableScope): Expression {
    return mapExpressions(expression, (node) => {
      // Every table is printed with an alias, which has no schema.
      if (node.kind === 'column') {
        this.#noteSchema(node.path.slice(0, -1));
        return { ...node, path: node.path.slice(-2) };
      }
      if (node.kind === 'star') {
        this.#noteSchema(node.qualifier);
        return { ...node, qualifier: node.qualifier.slice(-1) };
      }
      if (!isQueryExpression(node)) return undefined;
      return 'operand' in node
        ? { ...node, operand: this.#expression(node.operand, scope), query: this.query(node.query, scope) }
        : { ...node, query: this.query(node.query, scope) };
    });
  }

  #noteSchema(qualifiers: readonly Name[]): void {
    if (qualifiers.length < 2) return;
    const levels = [...this.#levels];
    this.#checks.push(() => checkSchema(qualifiers, levels, this.#policies));
  }

  /**
   * Checks the schemas of columns after all tables were judged: the refusal of a column must not show whether
   * a table exists that may not be read.
   */
  checkSchemas(): void {
    for (const check of this.#checks) check();
  }

  #fromItem(item: FromItem, scope: CommonTableScope): FromItem {
    switch (item.kind) {
      case 'table':
        return this.#table(item, scope);
      case 'derived':
        if (item.alias !== null) refuseReservedName(item.alias);
        else if (this.#policies.dialect !== 'sqlite') refuseWithoutAlias();
        return { ...item, query: this.query(item.query, scope) };
      case 'group':
        // SQLite loses the alias of a single query in parentheses.
        if (item.joins.length === 0) return this.#fromItem(item.from, scope);
        return {
          ...item,
          from: this.#fromItem(item.from, scope),
          joins: item.joins.map((join) => this.#join(join, scope)),
        };
    }
  }

  #table(reference: TableReference, scope: CommonTableScope): FromItem {
    const written = reference.path.at(-1) ?? refuse('UNKNOWN_TABLE', 'a table has no name');
    const alias = reference.alias ?? written;
    refuseReservedName(alias);
    const commonTable = reference.path.length === 1 ? scope.find(written) : null;
    if (commonTable !== null) return { kind: 'table', path: [commonTable], alias };
    const { dialect, rowBarrier } = this.#policies;
    const { name } = tablePathOf(reference, dialect);
    const judgement = judgeTable(name, this.#policies);
    this.trace.push(traceOf(judgement, this.#policies.budget));
    const condition = judgement.conditionFor(GOVERNED);
    if (condition === null) return { kind: 'table', path: judgement.path, alias };
    this.#noteCondition(judgement, reference.alias?.text ?? null);
    return {
      kind: 'derived',
      isLateral: false,
      query: selectAll(judgement.path, condition, rowBarrier),
      alias,
      columns: [],
    };
  }

  #noteCondition(judgement: Judgement, alias: string | null): void {
    const condition = judgement.conditionFor(alias ?? judgement.name.table);
    if (condition === null) return;
    const described = describeCondition(judgement, { alias, condition, policies: this.#policies });
    this.#printed += described.expression.length;
    if (this.#printed > CONDITIONS_MAX)
      refuse('TOO_LARGE', `conditions of more than ${CONDITIONS_MAX} characters`);
    this.expressions.push(condition);
    this.conditions.push(described);
  }
}

/**
 * Restricts every reference to a governed table.
 * @throws Refusal if the statement must not be answered
 */
export function restrictQuery(query: Query, policies: Policies): Restricted {
  const restrictor = new Restrictor(policies);
  const restricted = restrictor.query(query, CommonTableScope.empty(policies.dialect));
  restrictor.checkSchemas();
  const { conditions, expressions, trace } = restrictor;
  return { query: restricted, conditions, expressions, trace };
}
