import type { CompiledCondition, TraceEntry } from '@gatehouse/contract';
import type { ResolvedRule } from '../model.js';
import type { CatalogIndex, TableName } from '../sql/catalogIndex.js';
import { Refusal } from '../sql/denials.js';
import { isSchemaAllowed, rulesInDoubt, rulesOf } from '../sql/matchRules.js';
import { bindRule, type BoundTable } from './bindRule.js';
import type { PolyglotDialect } from './lexicon.js';
import { printExpression } from './print.js';
import { refuse } from './refuse.js';
import { CommonTableScope } from './scope.js';
import { refuseSystemTable, tablePathOf } from './tables.js';
import type { Expression, FromItem, Join, Name, Query, Select, TableReference } from './tree.js';
import { fillValues, type Values } from './values.js';
import { isQueryExpression, mapExpressions } from './walk.js';

/** What a statement is restricted by. */
export interface Policies {
  dialect: PolyglotDialect;
  index: CatalogIndex;
  pinnedSchema: string | null;
  allowedSchemas: readonly string[] | null;
  rules: readonly ResolvedRule[];
  /** The trees of the rules' expressions, or why one has none. */
  trees: ReadonlyMap<string, Expression | Refusal>;
  rowBarrier: boolean;
}

export interface Restricted {
  query: Query;
  conditions: CompiledCondition[];
  /** The same conditions as trees. */
  expressions: Expression[];
  trace: TraceEntry[];
}

/** How a table was judged: the name it is printed with, and what governs it. */
interface Judgement {
  path: Name[];
  name: TableName;
  rules: string[];
  /** All of its rules together where it goes by an alias, or by its own name; null where no rule governs it. */
  conditionFor(alias: string | null): Expression | null;
}

/** What common tables are printed as, with a number after it. */
const COMMON_TABLE = 'gatehouse_with_';
/** More rows than there are; a limit keeps the optimizers of SQLite and MySQL from moving conditions into a query. */
const NO_LIMIT: Expression = { kind: 'number', text: '9223372036854775807' };

/**
 * What a table's rules say about it.
 * @throws Refusal where the table may not be read, or where that cannot be said
 */
export function judgeTable(written: TableName, policies: Policies): Judgement {
  const { dialect, index, pinnedSchema, allowedSchemas, rules } = policies;
  const resolution = index.resolve(written, pinnedSchema);
  const { name, path } = tablePathOf(resolution.table ?? resolution.name, dialect);
  refuseSystemTable(name, dialect);
  if (!isSchemaAllowed(name.schema, allowedSchemas)) {
    refuse('SCHEMA_NOT_ALLOWED', `the schema of the table ${written.table} is not allowed`);
  }
  const [doubt] = rulesInDoubt(resolution.table ?? resolution.name, rules, dialect);
  if (doubt) {
    const message = `nothing says whether the rule governs the table ${written.table}`;
    throw new Refusal('UNKNOWN_TABLE', message, { rule: doubt.name });
  }
  const { table } = resolution;
  const governing = table ? rulesOf(table, rules, dialect) : [];
  return {
    path,
    name,
    rules: governing.map((rule) => rule.name),
    conditionFor: (alias) => (table ? conditionOf({ table, alias }, governing, policies) : null),
  };
}

/** All of some rules together, for one table; null of none. */
function conditionOf(
  bound: BoundTable,
  rules: readonly ResolvedRule[],
  policies: Policies,
): Expression | null {
  const [first, ...others] = rules.map((rule) => compileRule(rule, bound, policies));
  if (first === undefined) return null;
  if (others.length === 0) return first;
  const parenthesized = (inner: Expression): Expression => ({ kind: 'parenthesized', inner });
  const rest = others.map((other) => ({ operator: 'AND', operand: parenthesized(other) }));
  return { kind: 'chain', first: parenthesized(first), rest };
}

function compileRule(rule: ResolvedRule, bound: BoundTable, policies: Policies): Expression {
  const tree = policies.trees.get(rule.expression);
  const values: Values = Object.fromEntries(
    Object.entries(rule.values).map(([name, { value }]) => [name, value]),
  );
  try {
    if (tree === undefined || tree instanceof Refusal) throw tree ?? new Refusal('NOT_VERIFIED', 'not read');
    return fillValues(bindRule(tree, bound, policies), values);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error.reason;
    const isOfValue = code === 'MISSING_VALUE' || code === 'UNFIT_VALUE';
    const place = { rule: rule.name };
    throw isOfValue
      ? new Refusal(code, message, place)
      : new Refusal(
          'RULE_NOT_COMPILED',
          `the rule cannot be applied to ${bound.table.name}: ${message}`,
          place,
        );
  }
}

class Restrictor {
  readonly conditions: CompiledCondition[] = [];
  readonly expressions: Expression[] = [];
  readonly trace: TraceEntry[] = [];

  private commonTableCount = 0;

  constructor(private readonly policies: Policies) {}

  query(query: Query, outer: CommonTableScope): Query {
    const names = query.commonTables.map(() => this.freshName());
    const scope = outer.enter(query, names);
    const commonTables = query.commonTables.map((table, index) => ({
      ...table,
      name: names[index] ?? table.name,
      query: this.query(table.query, scope.within(index)),
    }));
    const inner = scope.after();
    return {
      ...query,
      commonTables,
      body: this.body(query.body, inner),
      orderBy: query.orderBy.map((order) => ({
        ...order,
        expression: this.expression(order.expression, inner),
      })),
      limit: query.limit && this.expression(query.limit, inner),
      offset: query.offset && this.expression(query.offset, inner),
    };
  }

  /**
   * Common tables are printed with names that no table has. MariaDB loses sight of one at times, where queries with a WITH of
   * their own nest, and reads the table of its name in its place.
   */
  private freshName(): Name {
    this.commonTableCount += 1;
    return { text: `${COMMON_TABLE}${this.commonTableCount}`, isQuoted: true };
  }

  private body(body: Query['body'], scope: CommonTableScope): Query['body'] {
    switch (body.kind) {
      case 'select':
        return this.select(body, scope);
      case 'parenthesizedQuery':
        return { ...body, query: this.query(body.query, scope) };
      case 'setOperation':
        return { ...body, left: this.query(body.left, scope), right: this.query(body.right, scope) };
    }
  }

  private select(select: Select, scope: CommonTableScope): Select {
    return {
      ...select,
      items: select.items.map((item) => ({ ...item, expression: this.expression(item.expression, scope) })),
      from: select.from.map((item) => this.fromItem(item, scope)),
      joins: select.joins.map((join) => this.join(join, scope)),
      where: select.where && this.expression(select.where, scope),
      groupBy: select.groupBy.map((expression) => this.expression(expression, scope)),
      having: select.having && this.expression(select.having, scope),
      windows: select.windows.map(({ name, window }) => ({
        name,
        window: {
          ...window,
          partitionBy: window.partitionBy.map((expression) => this.expression(expression, scope)),
          orderBy: window.orderBy.map((order) => ({
            ...order,
            expression: this.expression(order.expression, scope),
          })),
        },
      })),
    };
  }

  private join(join: Join, scope: CommonTableScope): Join {
    return {
      ...join,
      item: this.fromItem(join.item, scope),
      on: join.on && this.expression(join.on, scope),
    };
  }

  private expression(expression: Expression, scope: CommonTableScope): Expression {
    return mapExpressions(expression, (node) => {
      // Every table is printed with an alias, which has no schema.
      if (node.kind === 'column') return { ...node, path: node.path.slice(-2) };
      if (node.kind === 'star') return { ...node, qualifier: node.qualifier.slice(-1) };
      if (!isQueryExpression(node)) return undefined;
      return 'operand' in node
        ? { ...node, operand: this.expression(node.operand, scope), query: this.query(node.query, scope) }
        : { ...node, query: this.query(node.query, scope) };
    });
  }

  private fromItem(item: FromItem, scope: CommonTableScope): FromItem {
    switch (item.kind) {
      case 'table':
        return this.table(item, scope);
      case 'derived':
        return { ...item, query: this.query(item.query, scope) };
      case 'group':
        // SQLite loses the alias of a query that is alone in parentheses.
        if (item.joins.length === 0) return this.fromItem(item.from, scope);
        return {
          ...item,
          from: this.fromItem(item.from, scope),
          joins: item.joins.map((join) => this.join(join, scope)),
        };
    }
  }

  private table(reference: TableReference, scope: CommonTableScope): FromItem {
    const written = reference.path.at(-1) ?? refuse('UNKNOWN_TABLE', 'a table has no name');
    const alias = reference.alias ?? written;
    const commonTable = reference.path.length === 1 ? scope.find(written) : null;
    if (commonTable !== null) return { kind: 'table', path: [commonTable], alias };
    const { dialect, rowBarrier } = this.policies;
    const { name } = tablePathOf(reference, dialect);
    const judgement = judgeTable(name, this.policies);
    this.trace.push(traceOf(judgement));
    const condition = judgement.conditionFor(null);
    if (condition === null) return { kind: 'table', path: judgement.path, alias };
    this.noteCondition(judgement, reference.alias?.text ?? null);
    return {
      kind: 'derived',
      isLateral: false,
      query: selectAll(judgement.path, condition, rowBarrier),
      alias,
      columns: [],
    };
  }

  private noteCondition(judgement: Judgement, alias: string | null): void {
    const condition = judgement.conditionFor(alias);
    if (condition === null) return;
    this.expressions.push(condition);
    this.conditions.push(describeCondition(judgement, { alias, condition, dialect: this.policies.dialect }));
  }
}

/** `SELECT * FROM table WHERE condition`: the only form in which a governed table is read. */
export function selectAll(path: Name[], condition: Expression, rowBarrier: boolean): Query {
  return {
    isRecursive: false,
    commonTables: [],
    body: {
      kind: 'select',
      isDistinct: false,
      items: [{ expression: { kind: 'star', qualifier: [] }, alias: null }],
      from: [{ kind: 'table', path, alias: null }],
      joins: [],
      where: condition,
      groupBy: [],
      having: null,
      windows: [],
    },
    orderBy: [],
    limit: rowBarrier ? NO_LIMIT : null,
    offset: null,
  };
}

export function traceOf({ name: { table: name }, rules }: Judgement): TraceEntry {
  const subject = 'table';
  if (rules.length === 0) return { subject, name, outcome: 'free', why: 'No rule governs it.' };
  return { subject, name, outcome: 'governed', why: `It is governed by ${rules.join(', ')}.` };
}

/** What is told of a governed table. */
export function describeCondition(
  { name: { table, schema }, rules }: Judgement,
  of: { alias: string | null; condition: Expression; dialect: PolyglotDialect },
): CompiledCondition {
  return { table, alias: of.alias, schema, expression: printExpression(of.condition, of.dialect), rules };
}

/**
 * Restricts every reference to a governed table in a statement.
 * @throws Refusal where the statement may not be answered
 */
export function restrictQuery(query: Query, policies: Policies): Restricted {
  const restrictor = new Restrictor(policies);
  const restricted = restrictor.query(query, CommonTableScope.empty(policies.dialect));
  const { conditions, expressions, trace } = restrictor;
  return { query: restricted, conditions, expressions, trace };
}
