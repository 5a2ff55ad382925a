import { FORM_MASK, NAME_MASK, type Masked } from './mask.js';
import { ARROWS, COMPARISONS, isJunction, LIKES, PAIRED, SIDED } from './operators.js';
import { Fields, openNode, refuseNode, type ParsedNode } from './parsedNode.js';
import { negate, unwrapQuery } from './parserQuirks.js';
import { readGroupConcat } from './readGroupConcat.js';
import { readWindow } from './readWindow.js';
import { refuse } from './refuse.js';
import type { Column, Expression, Name, Query } from './tree.js';

export class ExpressionReader {
  readonly #masked: Masked;
  readonly #readQuery: (value: unknown) => Query;

  constructor(masked: Masked, readQuery: (value: unknown) => Query) {
    this.#masked = masked;
    this.#readQuery = readQuery;
  }

  readonly read = (value: unknown): Expression => {
    const node = openNode(value);
    const expression = this.#readNode(node);
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
      ? this.#masked.names[Number(mask.slice(NAME_MASK.length))]
      : undefined;
    return name ?? refuseNode(`the word ${mask.toUpperCase()}`);
  }

  #readNode(node: ParsedNode): Expression {
    const { kind, fields } = node;
    if (isJunction(kind)) return this.#readJunction(node);
    if (SIDED[kind] ?? PAIRED[kind] ?? ARROWS[kind]) return this.#readChain(node);
    if (LIKES[kind] !== undefined) return this.#readLike(node);
    return (
      this.#readLeaf(node) ?? this.#readTest(kind, fields) ?? this.#readForm(kind, fields) ?? refuseNode(kind)
    );
  }

  /** All operands of AND, or of OR. The parser splits long chains into nested pairs, unlike the original. */
  #readJunction(outermost: ParsedNode): Expression {
    const operands: Expression[] = [];
    const open = [outermost];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.kind === outermost.kind) {
        open.push(openNode(node.fields.take('right')), openNode(node.fields.take('left')));
        node.fields.end();
      } else operands.push(this.#finish(node));
    }
    const [first, ...rest] = operands;
    const operator = outermost.kind.toUpperCase();
    if (first === undefined) return refuseNode(outermost.kind);
    return { kind: 'chain', first, rest: rest.map((operand) => ({ operator, operand })) };
  }

  /** Follows the left sides in a loop, because there may be thousands. */
  #readChain(outermost: ParsedNode): Expression {
    const links: { operator: string; right: unknown }[] = [];
    let node = outermost;
    for (;;) {
      const { kind, fields } = node;
      const operator = SIDED[kind] ?? PAIRED[kind] ?? ARROWS[kind];
      if (operator === undefined || isJunction(kind)) break;
      const isSided = SIDED[kind] !== undefined;
      const isArrow = ARROWS[kind] !== undefined;
      if (isArrow && !fields.takeFlag('arrow_syntax')) return refuseNode(kind);
      const left = openNode(fields.take(isSided ? 'left' : 'this'));
      links.push({ operator, right: fields.take(isSided ? 'right' : isArrow ? 'path' : 'expression') });
      fields.end();
      node = left;
    }
    const first = this.#finish(node);
    const rest = links.toReversed().map(({ operator, right }) => ({ operator, operand: this.read(right) }));
    return { kind: 'chain', first, rest };
  }

  #finish(node: ParsedNode): Expression {
    const expression = this.#readNode(node);
    node.fields.end();
    return expression;
  }

  #readLike({ kind, fields }: ParsedNode): Expression {
    const isSided = kind !== 'regexp_like';
    return {
      kind: 'like',
      operator: LIKES[kind] ?? refuseNode(kind),
      operand: this.read(fields.take(isSided ? 'left' : 'this')),
      pattern: this.read(fields.take(isSided ? 'right' : 'pattern')),
      escape: fields.takeOptional('escape', this.read),
    };
  }

  #readLeaf({ kind, fields }: ParsedNode): Expression | null {
    switch (kind) {
      case 'column':
        return this.#readColumn(fields);
      case 'dot':
        return this.#readDot(fields);
      case 'star': {
        const table = fields.takeOptional('table', this.#readPathText);
        return { kind: 'star', qualifier: table ?? [] };
      }
      case 'literal':
        return this.#readLiteral(fields);
      case 'boolean':
        return { kind: 'constant', word: fields.takeFlag('value') ? 'TRUE' : 'FALSE' };
      case 'null':
        return { kind: 'constant', word: 'NULL' };
      default:
        return null;
    }
  }

  #readColumn(fields: Fields): Column {
    const table = fields.takeOptional('table', this.readName);
    const name = this.readName(fields.take('name'));
    return { kind: 'column', path: table ? [table, name] : [name] };
  }

  /** `schema.table.column`: the parser has at most two names in a column. */
  #readDot(fields: Fields): Column {
    const left = this.read(fields.take('this'));
    if (left.kind !== 'column') return refuseNode('dot');
    return { kind: 'column', path: [...left.path, this.readName(fields.take('field'))] };
  }

  /** The qualifier of a star contains its names in one text. */
  readonly #readPathText = (value: unknown): Name[] => {
    const fields = new Fields('star', value);
    const names = fields.takeText('name').split('.');
    fields.end();
    return names.map((mask) => this.nameOf(mask));
  };

  #readLiteral(fields: Fields): Expression {
    const type = fields.takeText('literal_type');
    const literal = this.#masked.literals[Number(fields.takeText('value'))];
    const isNumber = literal?.kind === 'number';
    return literal === undefined || isNumber !== (type === 'number') ? refuseNode('literal') : literal;
  }

  #readTest(kind: string, fields: Fields): Expression | null {
    switch (kind) {
      case 'is_null':
        return this.#isTest(fields, 'NULL');
      case 'is_true':
        return this.#isTest(fields, 'TRUE');
      case 'is_false':
        return this.#isTest(fields, 'FALSE');
      case 'not':
        return negate(this.read(fields.take('this')));
      case 'neg':
      case 'bitwise_not': {
        const operator = kind === 'neg' ? '-' : '~';
        return { kind: 'prefix', operator, operand: this.read(fields.take('this')) };
      }
      case 'between':
        return {
          kind: 'between',
          operand: this.read(fields.take('this')),
          isNegated: fields.takeFlag('not'),
          low: this.read(fields.take('low')),
          high: this.read(fields.take('high')),
        };
      case 'in':
        return this.#readIn(fields);
      case 'exists':
        return { kind: 'exists', query: this.#readQuery(fields.take('this')) };
      case 'any':
      case 'all':
        return this.#readQuantified(kind === 'any' ? 'ANY' : 'ALL', fields);
      default:
        return null;
    }
  }

  #isTest(fields: Fields, word: 'NULL' | 'TRUE' | 'FALSE'): Expression {
    const operator = fields.takeFlag('not') ? 'IS NOT' : 'IS';
    const operand: Expression = { kind: 'constant', word };
    return { kind: 'chain', first: this.read(fields.take('this')), rest: [{ operator, operand }] };
  }

  #readIn(fields: Fields): Expression {
    const operand = this.read(fields.take('this'));
    const isNegated = fields.takeFlag('not');
    const query = fields.takeOptional('query', this.#readQuery);
    const items = this.readAll(fields.takeList('expressions'));
    if (query !== null) {
      return items.length === 0 ? { kind: 'inQuery', operand, isNegated, query } : refuseNode('in');
    }
    // `x IN t`: a table name without parentheses in SQLite.
    if (items.length === 0 || fields.takeFlag('is_field')) return refuseNode('in');
    const [item] = items;
    const isMaskedList = items.length === 1 && item?.kind === 'tuple';
    return { kind: 'in', operand, isNegated, items: isMaskedList ? item.items : items };
  }

  #readQuantified(quantifier: 'ANY' | 'ALL', fields: Fields): Expression {
    return {
      kind: 'quantified',
      operand: this.read(fields.take('this')),
      operator: COMPARISONS[fields.takeText('op')] ?? refuseNode('comparison'),
      quantifier,
      query: unwrapQuery(this.#readQuery(fields.take('subquery'))),
    };
  }

  #readForm(kind: string, fields: Fields): Expression | null {
    switch (kind) {
      case 'paren':
        return { kind: 'parenthesized', inner: this.read(fields.take('this')) };
      case 'tuple':
        return { kind: 'tuple', items: this.readAll(fields.takeList('expressions')) };
      case 'subquery':
        return { kind: 'scalarQuery', query: this.#readQuery(fields.take('this')) };
      case 'case':
        return this.#readCase(fields);
      case 'collation':
        return {
          kind: 'collate',
          operand: this.read(fields.take('this')),
          collation: this.nameOf(fields.takeText('collation')),
        };
      case 'function':
      case 'aggregate_function':
        return this.#readCall(fields);
      case 'window_function':
        return this.#readOver(fields);
      case 'group_concat':
        return readGroupConcat(fields, this);
      default:
        return null;
    }
  }

  #readCase(fields: Fields): Expression {
    const branches = fields.takeList('whens').map((pair) => {
      if (!Array.isArray(pair) || pair.length !== 2) return refuseNode('case');
      return { condition: this.read(pair[0]), result: this.read(pair[1]) };
    });
    return {
      kind: 'case',
      operand: fields.takeOptional('operand', this.read),
      branches,
      otherwise: fields.takeOptional('else_', this.read),
    };
  }

  #readCall(fields: Fields): Expression {
    const mask = fields.takeText('name');
    const form = mask.startsWith(FORM_MASK)
      ? this.#masked.forms[Number(mask.slice(FORM_MASK.length))]
      : undefined;
    if (form === undefined) {
      return refuse('FORBIDDEN_FUNCTION', `the function ${this.nameOf(mask).text} is not allowed`);
    }
    if (form.form === 'bareQuery') {
      const [query] = fields.takeList('args');
      return this.read(query);
    }
    return {
      kind: 'call',
      form,
      isDistinct: fields.takeFlag('distinct'),
      arguments: this.readAll(fields.takeList('args')),
      filter: fields.takeOptional('filter', this.read),
    };
  }

  #readOver(fields: Fields): Expression {
    const call = this.read(fields.take('this'));
    const window = readWindow(fields.take('over'), this);
    if (call.kind !== 'call') return refuseNode('window');
    const { base, partitionBy, orderBy, frame } = window;
    const isBare = partitionBy.length === 0 && orderBy.length === 0 && frame === null;
    return { kind: 'over', call, window: base !== null && isBare ? base : window };
  }
}
