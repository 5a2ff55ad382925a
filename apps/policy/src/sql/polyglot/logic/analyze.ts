import type { Condition, ConditionValue } from '../../logic/restriction.js';
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

/** The expression of a rule independent of its dialect, as far as it consists of comparisons with values. */
export function toCondition(expression: Expression): Condition {
  if (expression.kind === 'parenthesized') return toCondition(expression.inner);
  if (expression.kind === 'constant') {
    return { kind: 'constant', value: expression.word === 'NULL' ? null : expression.word === 'TRUE' };
  }
  if (expression.kind === 'prefix' && expression.operator === 'NOT') {
    return { kind: 'not', part: toCondition(expression.operand) };
  }
  return understand(expression) ?? other(expression);
}

function understand(expression: Expression): Condition | null {
  if (expression.kind === 'chain') return ofChain(expression);
  if (expression.kind === 'in') return ofList(expression);
  return expression.kind === 'between' ? ofRange(expression) : null;
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
  const [link, ...more] = rest;
  if (link?.operator === 'AND' || link?.operator === 'OR') {
    const parts = [first, ...rest.map(({ operand }) => operand)].map(toCondition);
    return { kind: link.operator === 'AND' ? 'and' : 'or', parts };
  }
  return link === undefined || more.length > 0 ? null : ofComparison(first, link);
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
  if (expression.kind === 'parenthesized') return valueOf(expression.inner);
  if (expression.kind === 'placeholder') return { placeholder: expression.name };
  if (expression.kind === 'string') return { literal: expression.value };
  if (expression.kind === 'number') return { literal: Number(expression.text) };
  if (expression.kind === 'constant' && expression.word !== 'NULL')
    return { literal: expression.word === 'TRUE' };
  return expression.kind === 'prefix' && expression.operator === '-'
    ? negative(valueOf(expression.operand))
    : null;
}

function negative(value: ConditionValue | null): ConditionValue | null {
  if (value === null || !('literal' in value) || typeof value.literal !== 'number') return null;
  return { literal: -value.literal };
}
