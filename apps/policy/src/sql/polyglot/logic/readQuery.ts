import { checkFromItems } from '../../logic/bounds.js';
import type { Masked } from './mask.js';
import { Fields, openNode, refuseNode, type ParsedNode } from './parsedNode.js';
import { ExpressionReader } from './readExpression.js';
import { readOrder, readWindow } from './readWindow.js';
import { refuse } from './refuse.js';
import {
  JOIN_WORDS,
  type CommonTable,
  type Expression,
  type FromItem,
  type Join,
  type Name,
  type Order,
  type Query,
  type Select,
  type SelectItem,
  type SetOperation,
  type TableReference,
} from './tree.js';

const SET_OPERATORS: Readonly<Record<string, SetOperation['operator']>> = {
  union: 'UNION',
  intersect: 'INTERSECT',
  except: 'EXCEPT',
};

type JoinKind = keyof typeof JOIN_WORDS;
function isJoinKind(kind: string): kind is JoinKind {
  return Object.hasOwn(JOIN_WORDS, kind);
}

class QueryReader {
  readonly #expressions: ExpressionReader;

  constructor(masked: Masked) {
    this.#expressions = new ExpressionReader(masked, this.read);
  }

  readonly read = (value: unknown): Query => {
    const node = openNode(value);
    const query = this.#readNode(node);
    node.fields.end();
    return query;
  };

  readExpression(value: unknown): Expression {
    return this.#expressions.read(value);
  }

  #readNode({ kind, fields }: ParsedNode): Query {
    const { commonTables, isRecursive } = this.#readWith(fields.takeFields('with'));
    const body = this.#readBody(kind, fields);
    return {
      isRecursive,
      commonTables,
      body,
      orderBy: this.#readOrderBy(fields.takeFields('order_by')),
      limit: this.#readCount(fields, 'limit'),
      offset: this.#readCount(fields, 'offset'),
    };
  }

  #readBody(kind: string, fields: Fields): Query['body'] {
    const operator = SET_OPERATORS[kind];
    if (operator !== undefined) {
      // A set operation without ALL is DISTINCT.
      return {
        kind: 'setOperation',
        operator,
        isAll: fields.takeFlag('all'),
        left: this.read(fields.take('left')),
        right: this.read(fields.take('right')),
      };
    }
    if (kind === 'select') return this.#readSelect(fields);
    if (kind === 'subquery') {
      return { kind: 'parenthesizedQuery', query: this.read(fields.take('this')) };
    }
    return refuse('NOT_A_SELECT', 'only a SELECT is allowed');
  }

  #readWith(fields: Fields | null): Pick<Query, 'commonTables' | 'isRecursive'> {
    if (fields === null) return { commonTables: [], isRecursive: false };
    const isRecursive = fields.takeFlag('recursive');
    const commonTables = fields.takeList('ctes').map((value): CommonTable => {
      const table = new Fields('cte', value);
      const read = {
        name: this.#expressions.readName(table.take('alias')),
        columns: table.takeList('columns').map(this.#expressions.readName),
        query: this.read(table.take('this')),
      };
      table.end();
      return read;
    });
    fields.end();
    return { commonTables, isRecursive };
  }

  #readOrderBy(fields: Fields | null): Order[] {
    const order = fields?.takeList('expressions').map((each) => readOrder(each, this.#expressions)) ?? [];
    fields?.end();
    return order;
  }

  /** The limit of a SELECT is an object; that of a set operation is not. */
  #readCount(fields: Fields, name: 'limit' | 'offset'): Expression | null {
    const value = fields.take(name);
    if (value === undefined) return null;
    if (typeof value === 'object' && value !== null && !('this' in value)) {
      return this.#expressions.read(value);
    }
    const wrapper = new Fields(name, value);
    const count = this.#expressions.read(wrapper.take('this'));
    wrapper.end();
    return count;
  }

  #readSelect(fields: Fields): Select {
    const select = this.#readClauses(fields);
    checkFromItems(countFromItems([...select.from, ...select.joins.map(({ item }) => item)]));
    return select;
  }

  #readClauses(fields: Fields): Select {
    return {
      kind: 'select',
      isDistinct: fields.takeFlag('distinct'),
      items: fields.takeList('expressions').map(this.#readItem),
      from: this.#readFrom(fields.takeFields('from')),
      joins: fields.takeList('joins').map(this.#readJoin),
      where: this.#readCondition(fields.takeFields('where_clause')),
      ...this.#readGroupBy(fields.takeFields('group_by')),
      having: this.#readCondition(fields.takeFields('having')),
      windows: fields.takeList('windows').map(this.#readNamedWindow),
    };
  }

  readonly #readItem = (value: unknown): SelectItem => {
    const node = openNode(value);
    if (node.kind !== 'alias') return { expression: this.#expressions.read(value), alias: null };
    const expression = this.#expressions.read(node.fields.take('this'));
    const alias = this.#expressions.readName(node.fields.take('alias'));
    node.fields.end();
    return { expression, alias };
  };

  #readCondition(fields: Fields | null): Expression | null {
    if (fields === null) return null;
    const condition = this.#expressions.read(fields.take('this'));
    fields.end();
    return condition;
  }

  #readGroupBy(fields: Fields | null): Pick<Select, 'groupBy' | 'isRollup'> {
    const items = fields?.takeList('expressions') ?? [];
    fields?.end();
    const last = items.length > 1 ? openNode(items.at(-1)) : null;
    const isRollup = last?.kind === 'rollup';
    if (isRollup) last.fields.end();
    return { groupBy: items.slice(0, isRollup ? -1 : undefined).map(this.#expressions.read), isRollup };
  }

  readonly #readNamedWindow = (value: unknown): Select['windows'][number] => {
    const fields = new Fields('window', value);
    const name = this.#expressions.readName(fields.take('name'));
    const window = readWindow(fields.take('spec'), this.#expressions);
    fields.end();
    return { name, window };
  };

  #readFrom(fields: Fields | null): FromItem[] {
    const items = fields?.takeList('expressions').map(this.#readFromItem) ?? [];
    fields?.end();
    return items;
  }

  readonly #readFromItem = (value: unknown): FromItem => {
    const { kind, fields } = openNode(value);
    const item = this.#readFromNode(kind, fields);
    fields.end();
    return item;
  };

  #readFromNode(kind: string, fields: Fields): FromItem {
    switch (kind) {
      case 'table':
        return this.#readTable(fields);
      case 'subquery': {
        return {
          kind: 'derived',
          isLateral: fields.takeFlag('lateral'),
          query: this.read(fields.take('this')),
          alias: fields.takeOptional('alias', this.#expressions.readName),
          columns: fields.takeList('column_aliases').map(this.#expressions.readName),
        };
      }
      case 'paren':
        return this.#readParenthesized(fields);
      case 'joined_table':
        return {
          kind: 'group',
          from: this.#readFromItem(fields.take('left')),
          joins: fields.takeList('joins').map(this.#readJoin),
        };
      case 'function':
        return refuse('FORBIDDEN_CONSTRUCT', 'a function in FROM is not allowed');
      default:
        return refuseNode(kind);
    }
  }

  /** The parser reports the parentheses around a join twice if the join itself starts with one. */
  #readParenthesized(fields: Fields): FromItem {
    const from = this.#readFromItem(fields.take('this'));
    const isToldTwice = from.kind === 'group' && from.joins.length > 0 && from.from.kind !== 'table';
    return isToldTwice ? from : { kind: 'group', from, joins: [] };
  }

  #readTable(fields: Fields): TableReference {
    const path: Name[] = [];
    for (const part of ['catalog', 'schema', 'name']) {
      const name = fields.takeOptional(part, this.#expressions.readName);
      if (name !== null) path.push(name);
    }
    return { kind: 'table', path, alias: fields.takeOptional('alias', this.#expressions.readName) };
  }

  readonly #readJoin = (value: unknown): Join => {
    const fields = new Fields('join', value);
    const kind = fields.takeText('kind');
    if (!isJoinKind(kind)) return refuseNode(`a join of the kind ${kind}`);
    const join: Join = {
      word: JOIN_WORDS[kind],
      item: this.#readFromItem(fields.take('this')),
      on: fields.takeOptional('on', this.#expressions.read),
      using: fields.takeList('using').map(this.#expressions.readName),
    };
    fields.end();
    return join;
  };
}

/** The number of tables and queries in FROM, including those of joins in parentheses. */
function countFromItems(items: readonly FromItem[]): number {
  return items.reduce((count, item) => {
    if (item.kind !== 'group') return count + 1;
    return count + countFromItems([item.from, ...item.joins.map(({ item: joined }) => joined)]);
  }, 0);
}

/**
 * Converts the parser's tree of a masked text to a query.
 * @throws Refusal for anything that `Query` cannot represent
 */
export function readQueryTree(parsed: unknown, masked: Masked): Query {
  return new QueryReader(masked).read(parsed);
}

/**
 * The expression of a masked `SELECT expression`.
 * @throws Refusal for anything that `Expression` cannot represent, and for a tree with additional content
 */
export function readExpressionTree(parsed: unknown, masked: Masked): Expression {
  const { kind, fields } = openNode(parsed);
  const [item, ...more] = kind === 'select' ? fields.takeList('expressions') : [];
  fields.end();
  if (item === undefined || more.length > 0) refuse('SYNTAX_ERROR', 'one expression is expected');
  return new QueryReader(masked).readExpression(item);
}
