import type { Budget } from '../../logic/bounds.js';
import { typeOf, type CatalogIndex, type KnownTable } from '../../logic/catalogIndex.js';
import type { SqlType } from '../../logic/columnTypes.js';
import { createColumnLookup, isSameName, type FindColumns } from '../../logic/names.js';
import type { ColumnTypes } from './expressionTypes.js';
import type { PolyglotDialect } from './lexicon.js';
import { refuse, refuseWithoutAlias } from './refuse.js';
import { ruleAlias } from './reservedNames.js';
import { tablePathOf } from './tables.js';
import type { Column, Expression, FromItem, Join, Name, Query, Select, TableReference } from './tree.js';
import { isQueryExpression, mapExpressions } from './walk.js';

/** A table or derived table that a name in a rule may refer to. */
interface Source {
  /** The name in the rule. */
  name: string;
  /** The printed name. */
  printed: Name;
  columns: readonly string[];
  findColumns: FindColumns;
  /** Null for a derived table. */
  table: KnownTable | null;
}

/** The sources of one query. */
interface Level {
  sources: Source[];
  /** The columns that a join merges. */
  merged: Name[];
}

/** The queries around an expression, innermost first. */
type Levels = readonly Level[];

/** The context that a rule is bound in. */
interface Binding {
  index: CatalogIndex;
  dialect: PolyglotDialect;
  pinnedSchema: string | null;
  budget: Budget;
}

/** The table that a rule is bound to, and its name there. */
export interface BoundTable {
  table: KnownTable;
  name: string;
}

/**
 * Binds a rule to one table. Every column is printed with its table, and every table of the rule's own
 * queries with its schema and a reserved alias. A column that the database lacks is then an error, and never
 * resolves to the outer statement.
 * @throws Refusal for a column or a table that does not exist
 */
export function bindRule(expression: Expression, bound: BoundTable, binding: Binding): BoundRule {
  const { table, name } = bound;
  const printed = { text: name, isQuoted: true };
  const { columns, findColumns } = table;
  const root = { name: table.name, printed, columns, findColumns, table };
  const binder = new Binder(binding);
  return {
    expression: binder.expression(expression, [{ sources: [root], merged: [] }]),
    types: binder.types,
    outer: binder.outer,
  };
}

/** The expression of a rule for one table, with the types of its columns. */
export interface BoundRule {
  expression: Expression;
  types: ColumnTypes;
  /** The columns in a query of the rule that belong to a query around it. */
  outer: ReadonlySet<Column>;
}

class Binder {
  readonly types = new Map<Column, SqlType>();
  readonly outer = new Set<Column>();
  #sourceCount = 0;

  readonly #binding: Binding;

  constructor(binding: Binding) {
    this.#binding = binding;
  }

  expression<T extends Expression | readonly Expression[]>(tree: T, levels: Levels): T {
    return mapExpressions(tree, (node) => {
      if (node.kind === 'column') return this.#column(node, levels);
      if (node.kind === 'star') return this.#star(node, levels);
      if (!isQueryExpression(node)) return undefined;
      const { query } = this.#query(node.query, levels);
      return 'operand' in node
        ? { ...node, operand: this.expression(node.operand, levels), query }
        : { ...node, query };
    });
  }

  #query(query: Query, outer: Levels): { query: Query; columns: string[] } {
    if (query.body.kind !== 'select') return refuse('FORBIDDEN_CONSTRUCT', 'a query in a rule is one SELECT');
    const own: Level = { sources: [], merged: [] };
    const body = this.#select(query.body, own, outer);
    return { query: { ...query, body }, columns: this.#outputs(query.body, own) };
  }

  #select(select: Select, own: Level, outer: Levels): Select {
    // Join conditions may name any source of their query. Dialects differ in which ones they accept, and
    // reject the others themselves.
    const from = select.from.map((item) => this.#fromItem(item, own, outer));
    const joinItems = select.joins.map((join) => this.#fromItem(join.item, own, outer));
    const levels = [own, ...outer];
    own.merged.push(...select.joins.flatMap(({ using }) => using));
    return {
      ...select,
      items: select.items.map((item) => ({ ...item, expression: this.expression(item.expression, levels) })),
      from,
      joins: select.joins.map((join, index) => this.#join(join, joinItems[index] ?? join.item, levels)),
      where: select.where && this.expression(select.where, levels),
    };
  }

  /** The names of the columns of a query. A column without a name cannot be referred to. */
  #outputs({ items }: Select, own: Level): string[] {
    return items.flatMap(({ expression, alias }) => {
      if (alias !== null) return [alias.text];
      if (expression.kind === 'column') return expression.path.slice(-1).map(({ text }) => text);
      if (expression.kind !== 'star') return [];
      const [qualifier] = expression.qualifier;
      return own.sources
        .filter(({ name }) => qualifier === undefined || this.#isSame(qualifier, name))
        .flatMap(({ columns }) => columns);
    });
  }

  #join(join: Join, item: FromItem, levels: Levels): Join {
    return { ...join, item, on: join.on && this.expression(join.on, levels) };
  }

  #fromItem(item: FromItem, own: Level, outer: Levels): FromItem {
    switch (item.kind) {
      case 'table':
        return this.#table(item, own);
      case 'derived': {
        const { query, columns } = this.#query(item.query, item.isLateral ? [own, ...outer] : outer);
        const named = item.columns.length > 0 ? item.columns.map(({ text }) => text) : columns;
        const findColumns = createColumnLookup(named, this.#binding.dialect);
        const name = (item.alias ?? refuseWithoutAlias()).text;
        const source = { name, columns: named, findColumns, table: null };
        return { ...item, query, alias: this.#addSource(own, source) };
      }
      case 'group': {
        const from = this.#fromItem(item.from, own, outer);
        const items = item.joins.map((join) => this.#fromItem(join.item, own, outer));
        const levels = [own, ...outer];
        own.merged.push(...item.joins.flatMap(({ using }) => using));
        return {
          ...item,
          from,
          joins: item.joins.map((join, index) => this.#join(join, items[index] ?? join.item, levels)),
        };
      }
    }
  }

  #table(reference: TableReference, own: Level): TableReference {
    const { index, dialect, pinnedSchema } = this.#binding;
    const resolution = index.resolve(tablePathOf(reference, dialect).name, pinnedSchema);
    const written = reference.path.at(-1)?.text ?? '';
    if (!resolution.table) return refuse('RULE_NOT_COMPILED', `the table ${written} is not in the catalog`);
    const { table } = resolution;
    const name = reference.alias?.text ?? written;
    const { columns, findColumns } = table;
    const alias = this.#addSource(own, { name, columns, findColumns, table });
    return { kind: 'table', path: tablePathOf(table, dialect).path, alias };
  }

  #addSource(own: Level, source: Omit<Source, 'printed'>): Name {
    this.#sourceCount += 1;
    const printed = ruleAlias(this.#sourceCount);
    own.sources.push({ ...source, printed });
    return printed;
  }

  #column(column: Column, levels: Levels): Column {
    const [qualifier, name] = column.path.length === 1 ? [null, column.path[0]] : column.path;
    if (name === undefined || column.path.length > 2) {
      return refuse('RULE_NOT_COMPILED', 'a column is named by itself or with its table');
    }
    const source = qualifier == null ? this.#ownerOf(name, levels) : this.#sourceOf(qualifier, levels);
    const [place, ...more] = source ? this.#placesOf(name, source) : [];
    if (source === undefined || place === undefined) {
      return refuse('RULE_NOT_COMPILED', `there is no column ${name.text}`);
    }
    if (more.length > 0) refuse('RULE_NOT_COMPILED', `the column ${name.text} may be one of several`);
    // A new node, because the same tree is bound to other tables.
    const bound = { ...column, path: [source.printed, name] };
    if (!levels[0]?.sources.includes(source)) this.outer.add(bound);
    const known = source.table?.catalogColumns[place];
    if (known) this.types.set(bound, typeOf(known, this.#binding.dialect));
    return bound;
  }

  /** The innermost source that has a column. */
  #ownerOf(name: Name, levels: Levels): Source | undefined {
    for (const { sources, merged } of levels) {
      const owners = sources.filter((source) => this.#placesOf(name, source).length > 0);
      if (owners.length > 1 && !merged.some((other) => this.#isSame(name, other.text))) {
        return refuse('RULE_NOT_COMPILED', `the column ${name.text} is of several tables: name its table`);
      }
      if (owners[0]) return owners[0];
    }
    return undefined;
  }

  /** The indexes of the columns that the server may match with a name. */
  #placesOf({ text }: Name, { findColumns }: Source): readonly number[] {
    this.#binding.budget.spendSteps(1);
    return findColumns(text);
  }

  /** The innermost source of a name. */
  #sourceOf(qualifier: Name, levels: Levels): Source | undefined {
    const all = levels.flatMap(({ sources }) => sources);
    this.#binding.budget.spendSteps(all.length);
    return all.find(({ name }) => this.#isSame(qualifier, name));
  }

  #star(star: Expression & { kind: 'star' }, levels: Levels): Expression {
    const [qualifier, ...more] = star.qualifier;
    if (qualifier === undefined) return star;
    const source = this.#sourceOf(qualifier, levels);
    return source === undefined || more.length > 0
      ? refuse('RULE_NOT_COMPILED', `there is no table ${qualifier.text}`)
      : { ...star, qualifier: [source.printed] };
  }

  #isSame(written: Name, actual: string): boolean {
    return isSameName(written.text, actual, this.#binding.dialect);
  }
}
