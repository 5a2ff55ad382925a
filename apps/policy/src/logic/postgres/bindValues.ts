import type { ParamValue } from '@gatehouse/contract';
import type { A_Expr, Node } from '@pgsql/types';
import { Refusal } from '../sql/denials.js';
import { ANY_ARGUMENT_FUNCTIONS } from './builtins.js';
import {
  booleanLiteral,
  castNode,
  combine,
  INT4_MAX,
  numberLiteral,
  stringLiteral,
  textsOf,
} from './nodes.js';
import { isFields } from './trees.js';

/** Where the values of an expression's placeholders go. */
export interface ValueBinding {
  names: readonly string[];
  values: ReadonlyMap<string, ParamValue>;
  /** Takes a value as a parameter and answers its number; null writes the values as literals. */
  addParameter: ((value: ParamValue) => number) | null;
}

type Scalar = string | number | boolean;

/**
 * A copy of an expression with a literal or a parameter in place of every `$n`. Both mean the same to PostgreSQL: a number is
 * cast to the type that its literal has, and a string has no type, so that it becomes what it is compared with.
 * @throws {Refusal} where a value is missing, or of a kind that cannot stand there
 */
export function bindValues(node: Node, binding: ValueBinding): Node {
  return bindCondition(node, binding);
}

function valueOf(node: Node | undefined, binding: ValueBinding): ParamValue | undefined {
  if (!node || !('ParamRef' in node)) return undefined;
  const name = binding.names[(node.ParamRef.number ?? 0) - 1];
  const value = name === undefined ? undefined : binding.values.get(name);
  if (value !== undefined) return value;
  throw new Refusal('MISSING_VALUE', `the placeholder ${name ?? '?'} has no value`);
}

function unfit(message: string): Refusal {
  return new Refusal('UNFIT_VALUE', message);
}

function bindNode(node: Node, binding: ValueBinding): Node {
  if ('ParamRef' in node) return scalarNode(valueOf(node, binding), binding);
  if ('A_Expr' in node) return bindOperation(node, node.A_Expr, binding);
  if ('BoolExpr' in node) {
    const { boolop, args = [] } = node.BoolExpr;
    const bound = args.map((arg) => bindCondition(arg, binding));
    return boolop === 'AND_EXPR' || boolop === 'OR_EXPR'
      ? combine(boolop, bound)
      : { BoolExpr: { ...node.BoolExpr, args: bound } };
  }
  if ('NullTest' in node)
    return { NullTest: { ...node.NullTest, arg: bindTyped(node.NullTest.arg, binding) } };
  if ('TypeCast' in node && node.TypeCast.typeName?.arrayBounds) {
    const value = valueOf(node.TypeCast.arg, binding);
    if (Array.isArray(value)) return { TypeCast: { ...node.TypeCast, arg: arrayNode(value, binding) } };
  }
  if ('FuncCall' in node && ANY_ARGUMENT_FUNCTIONS.has(textsOf(node.FuncCall.funcname).at(-1) ?? '')) {
    const args = (node.FuncCall.args ?? []).flatMap((arg) => bindTyped(arg, binding) ?? []);
    return { FuncCall: { ...node.FuncCall, args } };
  }
  return bindChildren(node, binding) as Node;
}

function bindChildren(value: unknown, binding: ValueBinding): unknown {
  if (Array.isArray(value)) return value.map((item) => bindAny(item, binding));
  if (!isFields(value)) return value;
  const bound: Record<string, unknown> = {};
  for (const key in value) bound[key] = bindAny(value[key], binding);
  return bound;
}

/** A value of the tree is a node when its only key begins with a capital; else it holds some. */
function bindAny(value: unknown, binding: ValueBinding): unknown {
  if (!isFields(value)) return bindChildren(value, binding);
  const [key, ...others] = Object.keys(value);
  const isNode = key !== undefined && others.length === 0 && /^[A-Z]/.test(key);
  return isNode ? bindNode(value as unknown as Node, binding) : bindChildren(value, binding);
}

/** Where a condition belongs a single value is true or false. */
function bindCondition(node: Node, binding: ValueBinding): Node {
  const value = valueOf(node, binding);
  if (value === undefined || typeof value === 'boolean') return bindNode(node, binding);
  throw unfit('a value that is neither true nor false stands for a condition');
}

/** Where PostgreSQL could not tell the type of a parameter a string is cast to text. */
function bindTyped(node: Node | undefined, binding: ValueBinding): Node | undefined {
  if (!node) return undefined;
  const bound = bindNode(node, binding);
  return typeof valueOf(node, binding) === 'string' ? castNode(bound, 'text') : bound;
}

function scalarNode(value: ParamValue | undefined, binding: ValueBinding): Node {
  if (value === undefined || Array.isArray(value)) throw unfit('an array stands for a single value');
  if (!binding.addParameter) return literalNode(value);
  checkNumber(value);
  const parameter: Node = { ParamRef: { number: binding.addParameter(value) } };
  if (typeof value === 'string') return parameter;
  return castNode(parameter, typeof value === 'boolean' ? 'bool' : numberType([value]));
}

function literalNode(value: Scalar): Node {
  checkNumber(value);
  if (typeof value === 'string') return stringLiteral(value);
  return typeof value === 'boolean' ? booleanLiteral(value) : numberLiteral(value);
}

function checkNumber(value: Scalar): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw unfit('a number that is not finite');
  if (typeof value === 'string' && value.includes('\0')) throw unfit('a text with a NUL');
}

/** The type that the lexer gives the widest of some literals. */
function numberType(values: readonly number[]): 'int4' | 'int8' | 'numeric' {
  if (values.every((value) => Number.isInteger(value) && Math.abs(value) <= INT4_MAX)) return 'int4';
  const isInt8 = (value: number): boolean => /^-?\d{1,18}$/.test(String(value));
  return values.every(isInt8) ? 'int8' : 'numeric';
}

function isNumbers(values: readonly Scalar[]): values is number[] {
  return values.length > 0 && values.every((value) => typeof value === 'number');
}

/** An array as a value of its own. */
function arrayNode(values: readonly Scalar[], binding: ValueBinding): Node {
  if (!binding.addParameter) return { A_ArrayExpr: { elements: values.map(literalNode) } };
  return arrayParameter(values, binding.addParameter);
}

function arrayParameter(values: readonly Scalar[], addParameter: (value: ParamValue) => number): Node {
  for (const value of values) checkNumber(value);
  const parameter: Node = { ParamRef: { number: addParameter([...values] as ParamValue) } };
  if (isNumbers(values)) return castNode(parameter, numberType(values), true);
  return values.length > 0 && values.every((value) => typeof value === 'boolean')
    ? castNode(parameter, 'bool', true)
    : parameter;
}

function bindOperation(node: Node, operation: A_Expr, binding: ValueBinding): Node {
  const { kind, rexpr } = operation;
  if (kind === 'AEXPR_IN' && rexpr && 'List' in rexpr) {
    const [only, ...others] = rexpr.List.items ?? [];
    const value = others.length === 0 ? valueOf(only, binding) : undefined;
    if (Array.isArray(value)) return bindList(operation, value, binding);
  }
  if (kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_OP_ALL') {
    const value = valueOf(rexpr, binding);
    if (value !== undefined) return bindList(operation, Array.isArray(value) ? value : [value], binding);
  }
  return bindChildren(node, binding) as Node;
}

/** `IN`, `NOT IN`, `= ANY` and so on over the elements of an array. Over none, what is asked of any is false, of all true. */
function bindList(operation: A_Expr, values: readonly Scalar[], binding: ValueBinding): Node {
  const [operator = ''] = textsOf(operation.name).slice(-1);
  const isAll = operation.kind === 'AEXPR_IN' ? operator === '<>' : operation.kind === 'AEXPR_OP_ALL';
  if (values.length === 0) return booleanLiteral(isAll);
  const { lexpr, name } = operation;
  if (!lexpr || 'RowExpr' in lexpr) throw unfit('an array is compared with a row');
  const left = bindNode(lexpr, binding);
  if (binding.addParameter) {
    const rexpr = arrayParameter(values, binding.addParameter);
    return { A_Expr: { kind: isAll ? 'AEXPR_OP_ALL' : 'AEXPR_OP_ANY', name, lexpr: left, rexpr } };
  }
  const items = values.map(literalNode);
  if (operator === (isAll ? '<>' : '=')) {
    return { A_Expr: { kind: 'AEXPR_IN', name, lexpr: left, rexpr: { List: { items } } } };
  }
  const compared = items.map((rexpr): Node => ({ A_Expr: { kind: 'AEXPR_OP', name, lexpr: left, rexpr } }));
  return combine(isAll ? 'AND_EXPR' : 'OR_EXPR', compared);
}
