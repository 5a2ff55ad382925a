import type { ParamValue } from '@gatehouse/contract';
import type { Scalar } from '../../logic/fitValue.js';
import { refuse } from './refuse.js';
import type { Expression } from './tree.js';
import { mapExpressions } from './walk.js';

export type Values = Readonly<Record<string, ParamValue>>;

const ONE: Expression = { kind: 'number', text: '1' };

/** A condition that holds for every row or for none, in every dialect. */
export function certainty(isTrue: boolean): Expression {
  const operand: Expression = { kind: 'number', text: isTrue ? '1' : '0' };
  return { kind: 'parenthesized', inner: { kind: 'chain', first: ONE, rest: [{ operator: '=', operand }] } };
}

/**
 * Fills the placeholders of a rule for display, without regard to types. If the only item of a list is a
 * placeholder with an array, the list gets its elements. No value is in an empty list, and every value is not
 * in it.
 * @throws Refusal if a value is missing, or is an array in the place of a single value
 */
export function fillValues(expression: Expression, values: Values): Expression {
  return mapExpressions(expression, (node) => {
    if (node.kind === 'placeholder') return valueNode(scalarOf(node.name, values));
    const [item, ...others] = node.kind === 'in' ? node.items : [];
    if (node.kind !== 'in' || item?.kind !== 'placeholder' || others.length > 0) return undefined;
    const value = valueOf(item.name, values);
    if (!Array.isArray(value)) return undefined;
    if (value.length === 0) return certainty(node.isNegated);
    return { ...node, operand: fillValues(node.operand, values), items: value.map(valueNode) };
  });
}

export function valueOf(name: string, values: Values): ParamValue {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value ?? refuse('MISSING_VALUE', `the placeholder ${name} has no value`);
}

export function scalarOf(name: string, values: Values): Scalar {
  const value = valueOf(name, values);
  return Array.isArray(value)
    ? refuse('UNFIT_VALUE', `${name} is a list where a single value belongs`)
    : value;
}

export function valueNode(value: Scalar): Expression {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    refuse('UNFIT_VALUE', 'a number that is not finite is not allowed');
  }
  return { kind: 'value', value };
}

/** A fixed sample of the same kind and sign as the value. */
export function sampleOf(value: Scalar): Scalar {
  if (typeof value === 'string') return 'v';
  if (typeof value === 'boolean') return true;
  return value < 0 ? -1 : 1;
}

/** The tree with a sample in place of each value. */
export function asSamples<T extends Parameters<typeof mapExpressions>[0]>(tree: T): T {
  return mapExpressions(tree, (node) =>
    node.kind === 'value' ? { kind: 'value', value: sampleOf(node.value) } : undefined,
  );
}

/** The tree as it is parsed from its printed form, with literals in place of the values. */
export function asLiterals<T extends Parameters<typeof mapExpressions>[0]>(tree: T): T {
  return mapExpressions(tree, (node) => (node.kind === 'value' ? literalNode(node.value) : undefined));
}

function literalNode(value: Scalar): Expression {
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'boolean') return { kind: 'constant', word: value ? 'TRUE' : 'FALSE' };
  const number: Expression = { kind: 'number', text: String(Math.abs(value)) };
  return value < 0 ? { kind: 'prefix', operator: '-', operand: number } : number;
}
