import { isConnective } from './expressionTypes.js';
import type { Expression, Query } from './tree.js';
import { isQueryExpression, mapExpressions, walkTree } from './walk.js';

export type NodeOf<K extends Expression['kind']> = Extract<Expression, { kind: K }>;
export type Placeholder = NodeOf<'placeholder'>;

export function isTextValue(node: Expression): boolean {
  return node.kind === 'value' && typeof node.value === 'string';
}

/**
 * Whether the node is a number, including a value that was converted to one, such as a string of digits in a
 * numeric column.
 */
export function isNumber(node: Expression): boolean {
  return node.kind === 'value'
    ? typeof node.value === 'number'
    : node.kind === 'number' || node.kind === 'prefix';
}

export function placeholderOf(node: Expression): Placeholder | null {
  if (node.kind === 'placeholder') return node;
  return node.kind === 'parenthesized' ? placeholderOf(node.inner) : null;
}

/** Whether the value of a placeholder may be the value of the expression or a part of it. */
export function hasPlaceholder(node: Expression): boolean {
  let isFound = false;
  walkTree(node, (inner) => {
    if (inner.kind === 'placeholder') isFound = true;
    return isQueryExpression(inner) && inner.kind !== 'scalarQuery' ? 'skip' : undefined;
  });
  return isFound;
}

/** A chain with one more link. */
export function appended(left: Expression, link: NodeOf<'chain'>['rest'][number]): Expression {
  return left.kind === 'chain' && !isConnective(left.rest[0]?.operator ?? '')
    ? { ...left, rest: [...left.rest, link] }
    : { kind: 'chain', first: left, rest: [link] };
}

export function decimalNode(decimal: string): Expression {
  const number: Expression = { kind: 'number', text: decimal.replace('-', '') };
  return decimal.startsWith('-') ? { kind: 'prefix', operator: '-', operand: number } : number;
}

/** The parser takes no minus after SQLite's IS, except in parentheses. */
export function enclosedAfter(operator: string, operand: Expression): Expression {
  const isNegative =
    operand.kind === 'prefix' ||
    (operand.kind === 'value' && typeof operand.value === 'number' && operand.value < 0);
  return isNegative && /^IS(?: NOT)?$/.test(operator) ? { kind: 'parenthesized', inner: operand } : operand;
}

const OPERATIONS: ReadonlySet<string> = new Set(['chain', 'like', 'between', 'in', 'inQuery', 'quantified']);

/**
 * An expression with parentheses around each comparison that NOT negates. With the mode HIGH_NOT_PRECEDENCE,
 * MySQL reads `NOT a = b` as `(NOT a) = b`.
 */
export function encloseNegated(expression: Expression): Expression {
  return mapExpressions(expression, (node) => {
    if (node.kind !== 'prefix' || !OPERATIONS.has(node.operand.kind)) return undefined;
    return { ...node, operand: { kind: 'parenthesized', inner: encloseNegated(node.operand) } };
  });
}

/** The expressions that a SELECT lists; none for another query. */
export function itemsOf({ body }: Query): Expression[] {
  return body.kind === 'select' ? body.items.map(({ expression }) => expression) : [];
}

/** A query whose first items are replaced. */
export function withItems(query: Query, expressions: readonly Expression[]): Query {
  if (query.body.kind !== 'select') return query;
  const items = query.body.items.map((item, index) => ({
    ...item,
    expression: expressions[index] ?? item.expression,
  }));
  return { ...query, body: { ...query.body, items } };
}
