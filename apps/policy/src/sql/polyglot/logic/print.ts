import type { PolyglotDialect } from './lexicon.js';
import { ExpressionPrinter, type ValueForm } from './expressionText.js';
import type { Expression, FromItem, Join, Query, Select } from './tree.js';

interface Printed {
  sql: string;
  /** The values of `?` in order; none if they are literals. */
  parameters: (string | number | boolean)[];
}

class QueryPrinter extends ExpressionPrinter {
  query(query: Query): string {
    return this.join([
      this.#with(query),
      this.#body(query.body),
      this.orderBy(query.orderBy),
      query.limit && `LIMIT ${this.expression(query.limit)}`,
      query.offset && `OFFSET ${this.expression(query.offset)}`,
    ]);
  }

  #with({ commonTables, isRecursive }: Query): string | null {
    if (commonTables.length === 0) return null;
    const tables = commonTables.map(({ name, columns, query }) => {
      const list = columns.length > 0 ? ` (${this.names(columns)})` : '';
      return `${this.name(name)}${list} AS (${this.query(query)})`;
    });
    return `WITH ${isRecursive ? 'RECURSIVE ' : ''}${tables.join(', ')}`;
  }

  #body(body: Query['body']): string {
    switch (body.kind) {
      case 'select':
        return this.#select(body);
      case 'parenthesizedQuery':
        return `(${this.query(body.query)})`;
      case 'setOperation': {
        const operator = `${body.operator}${body.isAll ? ' ALL' : ''}`;
        return `${this.query(body.left)} ${operator} ${this.query(body.right)}`;
      }
    }
  }

  #select(select: Select): string {
    const items = select.items.map(({ expression, alias }) =>
      this.join([this.expression(expression), alias && `AS ${this.name(alias)}`]),
    );
    const windows = select.windows.map(({ name, window }) => `${this.name(name)} AS ${this.window(window)}`);
    return this.join([
      `SELECT${select.isDistinct ? ' DISTINCT' : ''}`,
      items.join(', '),
      select.from.length > 0 ? `FROM ${select.from.map((item) => this.#fromItem(item)).join(', ')}` : null,
      ...select.joins.map((join) => this.#joinClause(join)),
      select.where && `WHERE ${this.expression(select.where)}`,
      select.groupBy.length > 0 ? `GROUP BY ${this.list(select.groupBy)}` : null,
      select.isRollup ? 'WITH ROLLUP' : null,
      select.having && `HAVING ${this.expression(select.having)}`,
      windows.length > 0 ? `WINDOW ${windows.join(', ')}` : null,
    ]);
  }

  #fromItem(item: FromItem): string {
    switch (item.kind) {
      case 'table':
        return this.join([this.path(item.path), item.alias && `AS ${this.name(item.alias)}`]);
      case 'derived': {
        const columns = item.columns.length > 0 ? ` (${this.names(item.columns)})` : '';
        const alias = item.alias === null ? '' : ` AS ${this.name(item.alias)}`;
        return `${item.isLateral ? 'LATERAL ' : ''}(${this.query(item.query)})${alias}${columns}`;
      }
      case 'group':
        return `(${this.join([this.#fromItem(item.from), ...item.joins.map((join) => this.#joinClause(join))])})`;
    }
  }

  #joinClause({ word, item, on, using }: Join): string {
    return this.join([
      word,
      this.#fromItem(item),
      on && `ON ${this.expression(on)}`,
      using.length > 0 ? `USING (${this.names(using)})` : null,
    ]);
  }
}

export function printQuery(query: Query, dialect: PolyglotDialect, form: ValueForm): Printed {
  const printer = new QueryPrinter(dialect, form);
  return { sql: printer.query(query), parameters: printer.parameters };
}

/** An expression with its values as literals. Placeholders without a value stay. */
export function printExpression(expression: Expression, dialect: PolyglotDialect): string {
  return new QueryPrinter(dialect, 'literals').expression(expression);
}
