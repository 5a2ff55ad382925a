import { FORM_MASK, NAME_MASK, type Masked } from './mask.js';
import { Fields, openNode, refuseNode, type ParsedNode } from './parsedNode.js';
import { refuse } from './refuse.js';
import type {
  Call,
  ChainLink,
  Column,
  Expression,
  Frame,
  FrameBound,
  Name,
  Order,
  Query,
  Window,
} from './tree.js';

/** The operators whose nodes have a left and a right side. */
const SIDED: Readonly<Record<string, string>> = {
  and: 'AND',
  or: 'OR',
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  mod: '%',
  concat: '||',
  is: 'IS',
  null_safe_eq: 'IS NOT DISTINCT FROM',
  null_safe_neq: 'IS DISTINCT FROM',
};
/** The operators whose nodes have a `this` and an `expression`. */
const PAIRED: Readonly<Record<string, string>> = { xor: 'XOR', int_div: 'DIV' };
const LIKES: Readonly<Record<string, string>> = {
  like: 'LIKE',
  i_like: 'ILIKE',
  glob: 'GLOB',
  regexp_like: 'REGEXP',
};
const COMPARISONS: Readonly<Record<string, string>> = {
  Eq: '=',
  Neq: '<>',
  Lt: '<',
  Lte: '<=',
  Gt: '>',
  Gte: '>=',
};

export class ExpressionReader {
  constructor(
    private readonly masked: Masked,
    private readonly readQuery: (value: unknown) => Query,
  ) {}

  readonly read = (value: unknown): Expression => {
    const node = openNode(value);
    const expression = this.readNode(node);
    node.fields.end();
    return expression;
  };

  readAll(values: readonly unknown[]): Expression[] {
    return values.map(this.read);
  }

  readonly readName = (value: unknown): Name => {
    const fields = new Fields('name', value);
    const mask = fields.takeText('name');
    fields.end();
    return this.nameOf(mask);
  };

  nameOf(mask: string): Name {
    const name = mask.startsWith(NAME_MASK)
      ? this.masked.names[Number(mask.slice(NAME_MASK.length))]
      : undefined;
    return name ?? refuseNode(`the word ${mask.toUpperCase()}`);
  }

  readonly readOrder = (value: unknown): Order => {
    const fields = new Fields('order', value);
    const expression = this.read(fields.take('this'));
    const isDescending = fields.takeFlag('desc');
    const first = fields.take('nulls_first');
    fields.end();
    const nulls = first === undefined ? null : first === true ? 'FIRST' : 'LAST';
    return { expression, isDescending, nulls };
  };

  readonly readWindow = (value: unknown): Window | Name => {
    const fields = new Fields('window', value);
    const base = fields.takeOptional('window_name', this.readName);
    const window: Window = {
      base,
      partitionBy: this.readAll(fields.takeList('partition_by')),
      orderBy: fields.takeList('order_by').map(this.readOrder),
      frame: fields.takeOptional('frame', this.readFrame),
    };
    fields.end();
    return window;
  };

  private readonly readFrame = (value: unknown): Frame => {
    const fields = new Fields('frame', value);
    const unit = fields.takeText('kind').toUpperCase();
    if (unit !== 'ROWS' && unit !== 'RANGE' && unit !== 'GROUPS') return refuseNode('frame');
    const start = this.readBound(fields.take('start'));
    const end = fields.takeOptional('end', this.readBound);
    fields.end();
    return { unit, start, end };
  };

  private readonly readBound = (value: unknown): FrameBound => {
    if (value === 'CurrentRow') return { side: 'CURRENT ROW', distance: null };
    if (value === 'UnboundedPreceding') return { side: 'UNBOUNDED PRECEDING', distance: null };
    if (value === 'UnboundedFollowing') return { side: 'UNBOUNDED FOLLOWING', distance: null };
    const fields = new Fields('bound', value);
    const preceding = fields.takeOptional('Preceding', this.read);
    const following = fields.takeOptional('Following', this.read);
    fields.end();
    if (preceding !== null) return { side: 'PRECEDING', distance: preceding };
    return following === null ? refuseNode('bound') : { side: 'FOLLOWING', distance: following };
  };

  private readNode(node: ParsedNode): Expression {
    const { kind, fields } = node;
    if (SIDED[kind] !== undefined || PAIRED[kind] !== undefined) return this.readChain(node);
    if (LIKES[kind] !== undefined) return this.readLike(node);
    return (
      this.readLeaf(node) ?? this.readTest(kind, fields) ?? this.readForm(kind, fields) ?? refuseNode(kind)
    );
  }

  /** Follows the left sides in a loop: there may be thousands of them. */
  private readChain(outermost: ParsedNode): Expression {
    const rest: ChainLink[] = [];
    for (let node = outermost; ;) {
      const { kind, fields } = node;
      const operator = SIDED[kind] ?? PAIRED[kind];
      if (operator === undefined) return { kind: 'chain', first: this.finish(node), rest: rest.toReversed() };
      const isSided = SIDED[kind] !== undefined;
      const left = openNode(fields.take(isSided ? 'left' : 'this'));
      rest.push({ operator, operand: this.read(fields.take(isSided ? 'right' : 'expression')) });
      fields.end();
      node = left;
    }
  }

  private finish(node: ParsedNode): Expression {
    const expression = this.readNode(node);
    node.fields.end();
    return expression;
  }

  private readLike({ kind, fields }: ParsedNode): Expression {
    const isSided = kind !== 'regexp_like';
    return {
      kind: 'like',
      operator: LIKES[kind] ?? refuseNode(kind),
      operand: this.read(fields.take(isSided ? 'left' : 'this')),
      pattern: this.read(fields.take(isSided ? 'right' : 'pattern')),
      escape: fields.takeOptional('escape', this.read),
    };
  }

  private readLeaf({ kind, fields }: ParsedNode): Expression | null {
    switch (kind) {
      case 'column':
        return this.readColumn(fields);
      case 'dot':
        return this.readDot(fields);
      case 'star': {
        const table = fields.takeOptional('table', this.readPathText);
        return { kind: 'star', qualifier: table ?? [] };
      }
      case 'literal':
        return this.readLiteral(fields);
      case 'boolean':
        return { kind: 'constant', word: fields.takeFlag('value') ? 'TRUE' : 'FALSE' };
      case 'null':
        return { kind: 'constant', word: 'NULL' };
      default:
        return null;
    }
  }

  private readColumn(fields: Fields): Column {
    const table = fields.takeOptional('table', this.readName);
    const name = this.readName(fields.take('name'));
    return { kind: 'column', path: table ? [table, name] : [name] };
  }

  /** `schema.table.column`; the parser has no more than two names in a column. */
  private readDot(fields: Fields): Column {
    const left = this.read(fields.take('this'));
    if (left.kind !== 'column') return refuseNode('dot');
    return { kind: 'column', path: [...left.path, this.readName(fields.take('field'))] };
  }

  /** The qualifier of a star holds its names in one text. */
  private readonly readPathText = (value: unknown): Name[] => {
    const fields = new Fields('star', value);
    const names = fields.takeText('name').split('.');
    fields.end();
    return names.map((mask) => this.nameOf(mask));
  };

  private readLiteral(fields: Fields): Expression {
    const type = fields.takeText('literal_type');
    const literal = this.masked.literals[Number(fields.takeText('value'))];
    const isNumber = literal?.kind === 'number';
    return literal === undefined || isNumber !== (type === 'number') ? refuseNode('literal') : literal;
  }

  private readTest(kind: string, fields: Fields): Expression | null {
    switch (kind) {
      case 'is_null':
        return this.isTest(fields, 'NULL');
      case 'is_true':
        return this.isTest(fields, 'TRUE');
      case 'is_false':
        return this.isTest(fields, 'FALSE');
      case 'not':
        return this.negate(this.read(fields.take('this')));
      case 'neg':
        return { kind: 'prefix', operator: '-', operand: this.read(fields.take('this')) };
      case 'between':
        return {
          kind: 'between',
          operand: this.read(fields.take('this')),
          isNegated: fields.takeFlag('not'),
          low: this.read(fields.take('low')),
          high: this.read(fields.take('high')),
        };
      case 'in':
        return this.readIn(fields);
      case 'exists':
        return { kind: 'exists', query: this.readQuery(fields.take('this')) };
      case 'any':
      case 'all':
        return this.readQuantified(kind === 'any' ? 'ANY' : 'ALL', fields);
      default:
        return null;
    }
  }

  private isTest(fields: Fields, word: 'NULL' | 'TRUE' | 'FALSE'): Expression {
    const operator = fields.takeFlag('not') ? 'IS NOT' : 'IS';
    const operand: Expression = { kind: 'constant', word };
    return { kind: 'chain', first: this.read(fields.take('this')), rest: [{ operator, operand }] };
  }

  /**
   * The parser gives `a NOT LIKE b` the tree of `NOT a LIKE b`, and so with IS and, in some dialects, with IN. The first
   * reading is taken; the comparison of the words refuses the other, which `NOT (a LIKE b)` says as well.
   */
  private negate(inner: Expression): Expression {
    const isRange = inner.kind === 'in' || inner.kind === 'inQuery' || inner.kind === 'between';
    if (isRange && !inner.isNegated) return { ...inner, isNegated: true };
    if (inner.kind === 'like') return { ...inner, operator: `NOT ${inner.operator}` };
    const [link] = inner.kind === 'chain' ? inner.rest : [];
    if (inner.kind === 'chain' && inner.rest.length === 1 && link?.operator === 'IS') {
      return { ...inner, rest: [{ ...link, operator: 'IS NOT' }] };
    }
    return { kind: 'prefix', operator: 'NOT', operand: inner };
  }

  private readIn(fields: Fields): Expression {
    const operand = this.read(fields.take('this'));
    const isNegated = fields.takeFlag('not');
    const query = fields.takeOptional('query', this.readQuery);
    const items = this.readAll(fields.takeList('expressions'));
    if (query !== null) {
      return items.length === 0 ? { kind: 'inQuery', operand, isNegated, query } : refuseNode('in');
    }
    // `x IN t`, a table's name without parentheses in SQLite.
    if (items.length === 0 || fields.takeFlag('is_field')) return refuseNode('in');
    const [item] = items;
    const isMaskedList = items.length === 1 && item?.kind === 'tuple';
    return { kind: 'in', operand, isNegated, items: isMaskedList ? item.items : items };
  }

  private readQuantified(quantifier: 'ANY' | 'ALL', fields: Fields): Expression {
    return {
      kind: 'quantified',
      operand: this.read(fields.take('this')),
      operator: COMPARISONS[fields.takeText('op')] ?? refuseNode('comparison'),
      quantifier,
      query: unwrap(this.readQuery(fields.take('subquery'))),
    };
  }

  private readForm(kind: string, fields: Fields): Expression | null {
    switch (kind) {
      case 'paren':
        return { kind: 'parenthesized', inner: this.read(fields.take('this')) };
      case 'tuple':
        return { kind: 'tuple', items: this.readAll(fields.takeList('expressions')) };
      case 'subquery':
        return { kind: 'scalarQuery', query: this.readQuery(fields.take('this')) };
      case 'case':
        return this.readCase(fields);
      case 'collation':
        return {
          kind: 'collate',
          operand: this.read(fields.take('this')),
          collation: this.nameOf(fields.takeText('collation')),
        };
      case 'function':
      case 'aggregate_function':
        return this.readCall(fields);
      case 'window_function':
        return this.readOver(fields);
      case 'group_concat':
        return {
          kind: 'groupConcat',
          isDistinct: fields.takeFlag('distinct'),
          operand: this.read(fields.take('this')),
          orderBy: fields.takeList('order_by').map(this.readOrder),
          separator: fields.takeOptional('separator', this.read),
        };
      default:
        return null;
    }
  }

  private readCase(fields: Fields): Expression {
    const branches = fields.takeList('whens').map((pair) => {
      if (!Array.isArray(pair) || pair.length !== 2) return refuseNode('case');
      return { when: this.read(pair[0]), then: this.read(pair[1]) };
    });
    return {
      kind: 'case',
      operand: fields.takeOptional('operand', this.read),
      branches,
      otherwise: fields.takeOptional('else_', this.read),
    };
  }

  private readCall(fields: Fields): Call {
    const mask = fields.takeText('name');
    const form = mask.startsWith(FORM_MASK)
      ? this.masked.forms[Number(mask.slice(FORM_MASK.length))]
      : undefined;
    if (form === undefined) {
      return refuse('FORBIDDEN_FUNCTION', `the function ${this.nameOf(mask).text} is not allowed`);
    }
    return {
      kind: 'call',
      form,
      isDistinct: fields.takeFlag('distinct'),
      arguments: this.readAll(fields.takeList('args')),
      filter: fields.takeOptional('filter', this.read),
    };
  }

  private readOver(fields: Fields): Expression {
    const call = this.read(fields.take('this'));
    const over = this.readWindow(fields.take('over'));
    if (call.kind !== 'call') return refuseNode('window');
    const isNamed = 'base' in over && over.base !== null && this.isBare(over);
    return { kind: 'over', call, window: isNamed && over.base !== null ? over.base : over };
  }

  private isBare(window: Window): boolean {
    return window.partitionBy.length === 0 && window.orderBy.length === 0 && window.frame === null;
  }
}

/** The parser puts the query after ANY and ALL into parentheses at times. */
function unwrap(query: Query): Query {
  const isBare = query.body.kind === 'parenthesizedQuery' && query.commonTables.length === 0;
  return isBare && query.body.kind === 'parenthesizedQuery' ? query.body.query : query;
}
