import type { Condition, ConditionValue } from '../model.js';
import type { ChainLink, Expression } from './tree.js';
import { walkTree } from './walk.js';

type Comparison = (Condition & { kind: 'compare' })['operator'];
const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
const isComparison = (operator: string): operator is Comparison => Object.hasOwn(MIRRORED, operator);

/** A rule's expression without its dialect, as far as it is made of comparisons with values. */
export function toCondition(expression: Expression): Condition {
  switch (expression.kind) {
    case 'parenthesized':
      return toCondition(expression.inner);
    case 'constant':
      return { kind: 'constant', value: expression.word === 'NULL' ? null : expression.word === 'TRUE' };
    case 'prefix':
      return expression.operator === 'NOT'
        ? { kind: 'not', part: toCondition(expression.operand) }
        : other(expression);
    case 'chain':
      return ofChain(expression) ?? other(expression);
    case 'in':
      return ofList(expression) ?? other(expression);
    case 'between':
      return ofRange(expression) ?? other(expression);
    default:
      return other(expression);
  }
}

function other(expression: Expression): Condition {
  const columns = new Set<string>();
  walkTree(expression, (node) => {
    const name = node.kind === 'column' ? node.path.at(-1) : undefined;
    if (name) columns.add(name.text);
    return undefined;
  });
  return { kind: 'other', columns: [...columns] };
}

function ofChain({ first, rest }: Expression & { kind: 'chain' }): Condition | null {
  const operator = rest.at(-1)?.operator;
  if (operator === 'AND' || operator === 'OR') {
    const begin = rest.findLastIndex((link) => link.operator !== operator) + 1;
    const left = chainOf(first, rest.slice(0, begin));
    const parts = [left, ...rest.slice(begin).map((link) => link.operand)].map(toCondition);
    return { kind: operator === 'AND' ? 'and' : 'or', parts };
  }
  const [link, ...more] = rest;
  return link === undefined || more.length > 0 ? null : ofComparison(first, link);
}

function chainOf(first: Expression, rest: ChainLink[]): Expression {
  return rest.length === 0 ? first : { kind: 'chain', first, rest };
}

function ofComparison(left: Expression, { operator, operand: right }: ChainLink): Condition | null {
  if ((operator === 'IS' || operator === 'IS NOT') && right.kind === 'constant' && right.word === 'NULL') {
    const column = columnOf(left);
    return column === null ? null : { kind: 'isNull', column, isNegated: operator === 'IS NOT' };
  }
  if (!isComparison(operator)) return null;
  const [columnLeft, valueRight] = [columnOf(left), valueOf(right)];
  if (columnLeft !== null && valueRight !== null) {
    return { kind: 'compare', column: columnLeft, operator, value: valueRight };
  }
  const [valueLeft, columnRight] = [valueOf(left), columnOf(right)];
  if (valueLeft === null || columnRight === null) return null;
  return { kind: 'compare', column: columnRight, operator: MIRRORED[operator], value: valueLeft };
}

function ofList({ operand, items, isNegated }: Expression & { kind: 'in' }): Condition | null {
  const column = columnOf(operand);
  const values = items.map(valueOf);
  if (column === null || !values.every((value) => value !== null)) return null;
  return { kind: 'in', column, values, isNegated };
}

function ofRange({ operand, isNegated, low, high }: Expression & { kind: 'between' }): Condition | null {
  const column = columnOf(operand);
  const [from, to] = [valueOf(low), valueOf(high)];
  if (column === null || from === null || to === null) return null;
  const range: Condition = {
    kind: 'and',
    parts: [
      { kind: 'compare', column, operator: '>=', value: from },
      { kind: 'compare', column, operator: '<=', value: to },
    ],
  };
  return isNegated ? { kind: 'not', part: range } : range;
}

function columnOf(expression: Expression): string | null {
  if (expression.kind === 'parenthesized') return columnOf(expression.inner);
  return expression.kind === 'column' ? (expression.path.at(-1)?.text ?? null) : null;
}

function valueOf(expression: Expression): ConditionValue | null {
  switch (expression.kind) {
    case 'parenthesized':
      return valueOf(expression.inner);
    case 'placeholder':
      return { placeholder: expression.name };
    case 'string':
      return { literal: expression.value };
    case 'number':
      return { literal: Number(expression.text) };
    case 'constant':
      return expression.word === 'NULL' ? null : { literal: expression.word === 'TRUE' };
    case 'prefix': {
      const value = expression.operator === '-' ? valueOf(expression.operand) : null;
      return value !== null && 'literal' in value && typeof value.literal === 'number'
        ? { literal: -value.literal }
        : null;
    }
    default:
      return null;
  }
}
