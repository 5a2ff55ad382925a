import type { CatalogIndex, KnownTable } from '../sql/catalogIndex.js';
import { isSameName } from '../sql/names.js';
import type { PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';
import { tablePathOf } from './tables.js';
import type { Column, Expression, FromItem, Join, Name, Query, Select, TableReference } from './tree.js';
import { isQueryExpression, mapExpressions } from './walk.js';

/** What a name in a rule may stand for: one table or derived table, with its columns where they are known. */
interface Source {
  name: string;
  columns: readonly string[] | null;
}

/** What surrounds an expression: its own sources first, then those of the queries around it. */
type Sources = readonly (readonly Source[])[];

/** What a rule is bound with. */
interface Binding {
  index: CatalogIndex;
  dialect: PolyglotDialect;
  pinnedSchema: string | null;
}

/** The table that a rule is bound to, and the alias that it goes by, if it has one. */
export interface BoundTable {
  table: KnownTable;
  alias: string | null;
}

/**
 * A rule's expression for one table: every column belongs to the table or to a query of the rule, so that none can be taken
 * for one of the statement around it; every table of its queries is in the catalog and named with its schema.
 * @throws Refusal for a column or a table that is not there
 */
export function bindRule(expression: Expression, bound: BoundTable, binding: Binding): Expression {
  const root = { name: bound.alias ?? bound.table.name, columns: bound.table.columns };
  return new Binder(root, bound, binding).expression(expression, [[root]]);
}

class Binder {
  constructor(
    private readonly root: Source,
    private readonly bound: BoundTable,
    private readonly binding: Binding,
  ) {}

  expression<T extends Expression | readonly Expression[]>(tree: T, sources: Sources): T {
    return mapExpressions(tree, (node) => {
      if (node.kind === 'column') return this.column(node, sources);
      if (node.kind === 'star') return this.star(node, sources);
      if (!isQueryExpression(node)) return undefined;
      const query = this.query(node.query, sources);
      return 'operand' in node
        ? { ...node, operand: this.expression(node.operand, sources), query }
        : { ...node, query };
    });
  }

  private query(query: Query, outer: Sources): Query {
    if (query.body.kind !== 'select') return refuse('FORBIDDEN_CONSTRUCT', 'a query in a rule is one SELECT');
    return { ...query, body: this.select(query.body, outer) };
  }

  private select(select: Select, outer: Sources): Select {
    const own: Source[] = [];
    // Conditions of joins may name any source of their query: dialects differ in which, and refuse for themselves.
    const from = select.from.map((item) => this.fromItem(item, own, outer));
    const joinItems = select.joins.map((join) => this.fromItem(join.item, own, outer));
    const sources = [own, ...outer];
    return {
      ...select,
      items: select.items.map((item) => ({ ...item, expression: this.expression(item.expression, sources) })),
      from,
      joins: select.joins.map((join, index) => this.join(join, joinItems[index] ?? join.item, sources)),
      where: select.where && this.expression(select.where, sources),
    };
  }

  private join(join: Join, item: FromItem, sources: Sources): Join {
    return { ...join, item, on: join.on && this.expression(join.on, sources) };
  }

  private fromItem(item: FromItem, own: Source[], outer: Sources): FromItem {
    switch (item.kind) {
      case 'table':
        return this.table(item, own);
      case 'derived': {
        const query = this.query(item.query, item.isLateral ? [own, ...outer] : outer);
        own.push({ name: item.alias.text, columns: null });
        return { ...item, query };
      }
      case 'group': {
        const from = this.fromItem(item.from, own, outer);
        const items = item.joins.map((join) => this.fromItem(join.item, own, outer));
        const sources = [own, ...outer];
        return {
          ...item,
          from,
          joins: item.joins.map((join, index) => this.join(join, items[index] ?? join.item, sources)),
        };
      }
    }
  }

  private table(reference: TableReference, own: Source[]): TableReference {
    const { index, dialect, pinnedSchema } = this.binding;
    const resolution = index.resolve(tablePathOf(reference, dialect).name, pinnedSchema);
    const written = reference.path.at(-1)?.text ?? '';
    if (!resolution.table) return refuse('RULE_NOT_COMPILED', `the table ${written} is not in the catalog`);
    const { table } = resolution;
    const alias = reference.alias ?? { text: written, isQuoted: true };
    own.push({ name: alias.text, columns: table.columns });
    return { kind: 'table', path: tablePathOf(table, dialect).path, alias };
  }

  private column(column: Column, sources: Sources): Column {
    const [qualifier, name] = column.path.length === 1 ? [null, column.path[0]] : column.path;
    if (name === undefined || column.path.length > 2) {
      return refuse('RULE_NOT_COMPILED', 'a column is named by itself or with its table');
    }
    const source = sources
      .flat()
      .filter((candidate) => qualifier == null || this.isNamed(qualifier, candidate))
      .find(({ columns }) => columns?.some((known) => this.isSame(name, known)) ?? true);
    if (source === undefined) refuse('RULE_NOT_COMPILED', `there is no column ${name.text}`);
    // A column of the governed table says so within a query of the rule, and where the table goes by an alias.
    const isFree = source !== this.root || (sources.length === 1 && this.bound.alias === null);
    if (qualifier == null && isFree) return column;
    return { ...column, path: [{ text: source.name, isQuoted: true }, name] };
  }

  /** The governed table may be named as the catalog does, whatever alias it goes by. */
  private isNamed(qualifier: Name, source: Source): boolean {
    return this.isSame(qualifier, source === this.root ? this.bound.table.name : source.name);
  }

  private star(star: Expression & { kind: 'star' }, sources: Sources): Expression {
    const [qualifier, ...more] = star.qualifier;
    if (qualifier === undefined) return star;
    const source = sources.flat().find((candidate) => this.isNamed(qualifier, candidate));
    return source === undefined || more.length > 0
      ? refuse('RULE_NOT_COMPILED', `there is no table ${qualifier.text}`)
      : { ...star, qualifier: [{ text: source.name, isQuoted: true }] };
  }

  private isSame(written: Name, actual: string): boolean {
    return isSameName(written.text, actual, this.binding.dialect);
  }
}
