import { scalarOf, type Values } from './fillValues.js';
import { placeholderOf } from './fillParts.js';
import { refuse } from './refuse.js';
import type { Expression } from './tree.js';
import { walkTree } from './walk.js';

/**
 * Checks the values that are the whole WHERE or ON of a query in a rule. Some engines take any number or text
 * for a condition.
 * @throws Refusal for a value that is not a boolean
 */
export function checkConditionPlaces(expression: Expression, values: Values): void {
  walkTree(expression, (node) => {
    if (node.kind !== 'select' && node.kind !== 'group') return undefined;
    if (node.kind === 'select') checkCondition(node.where, values);
    for (const { on } of node.joins) checkCondition(on, values);
    return undefined;
  });
}

function checkCondition(condition: Expression | null, values: Values): void {
  const placeholder = condition && placeholderOf(condition);
  if (placeholder === null) return;
  const value = scalarOf(placeholder.name, values);
  if (typeof value === 'boolean') return;
  refuse(
    'UNFIT_VALUE',
    `the value of ${placeholder.name} is a condition: it must be true or false, and is a ${typeof value}`,
  );
}
