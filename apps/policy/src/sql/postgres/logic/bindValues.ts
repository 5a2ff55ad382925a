import type { ParamValue } from '@gatehouse/contract';
import type { A_Expr, CaseExpr, ColumnRef, Node, SubLink } from '@pgsql/types';
import type { SqlType } from '../../logic/columnTypes.js';
import { Refusal } from '../../logic/denials.js';
import { fitValue, needOf } from '../../logic/fitValue.js';
import {
  openNode,
  textsOf,
  isFields,
  booleanLiteral,
  castNode,
  combine,
  INT4_MAX,
  negatedLiteral,
  numberLiteral,
  stringLiteral,
} from './trees.js';
import { ANY_ARGUMENT_FUNCTIONS } from './checkTree.js';

/** The types of the columns of a rule, by node. */
export type ColumnTypes = ReadonlyMap<ColumnRef, SqlType>;

const COMPARING: ReadonlySet<A_Expr['kind']> = new Set([
  'AEXPR_OP',
  'AEXPR_OP_ANY',
  'AEXPR_OP_ALL',
  'AEXPR_DISTINCT',
  'AEXPR_NOT_DISTINCT',
  'AEXPR_NULLIF',
] as const);
const LISTING: ReadonlySet<A_Expr['kind']> = new Set([
  'AEXPR_IN',
  'AEXPR_BETWEEN',
  'AEXPR_NOT_BETWEEN',
  'AEXPR_BETWEEN_SYM',
  'AEXPR_NOT_BETWEEN_SYM',
] as const);
const COMPARISONS: ReadonlySet<string> = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

/**
 * Checks each value against the type of the column that it is compared with. PostgreSQL rejects most
 * mismatches, but reads a string in many forms: it reads `' 1'` as a number, `'yes'` as true, and `'now'` as
 * a moment.
 * @throws {Refusal} for a value that does not fit
 */
export function checkValues(
  node: Node,
  by: { names: readonly string[]; values: ReadonlyMap<string, ParamValue>; types: ColumnTypes },
): void {
  const check = (left: Node | undefined, right: Node | undefined): void => {
    for (const [one, other] of pairsOf(left, right)) {
      checkPair(one, other);
      checkPair(other, one);
    }
  };
  const checkPair = (column: Node | undefined, placeholder: Node | undefined): void => {
    if (!column || !placeholder || !('ColumnRef' in column) || !('ParamRef' in placeholder)) return;
    const type = by.types.get(column.ColumnRef);
    const name = by.names[(placeholder.ParamRef.number ?? 0) - 1] ?? '';
    const value = by.values.get(name);
    if (type === undefined || value === undefined) return;
    for (const each of Array.isArray(value) ? value : [value]) {
      if (fitValue(each, type, 'postgres') !== null) continue;
      const message = `the value of ${name} is compared with an operand with the type ${type.declared}: it must be`;
      throw new Refusal('UNFIT_VALUE', `${message} ${needOf(type)}, and is a ${typeof each}`);
    }
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isFields(value)) return;
    const opened = openNode(value as unknown as Node);
    if (opened?.kind === 'A_Expr') for (const pair of comparedIn(opened.fields)) check(...pair);
    if (opened?.kind === 'CaseExpr') for (const pair of comparedInCase(opened.fields)) check(...pair);
    if (opened?.kind === 'SubLink') check(opened.fields.testexpr, firstColumnOf(opened.fields));
    Object.values(value).forEach(visit);
  };
  visit(node);
}

type Pair = [left: Node | undefined, right: Node | undefined];

function comparedIn({ kind, name, lexpr, rexpr }: A_Expr): Pair[] {
  const [operator = ''] = textsOf(name).slice(-1);
  if (LISTING.has(kind)) {
    const items = rexpr && 'List' in rexpr ? (rexpr.List.items ?? []) : [];
    return items.map((item): Pair => [lexpr, item]);
  }
  return COMPARING.has(kind) && COMPARISONS.has(operator) ? [[lexpr, rexpr]] : [];
}

function comparedInCase({ arg, args = [] }: CaseExpr): Pair[] {
  return args.map((branch): Pair => [arg, 'CaseWhen' in branch ? branch.CaseWhen.expr : undefined]);
}

function firstColumnOf({ subselect }: SubLink): Node | undefined {
  const [target] = subselect && 'SelectStmt' in subselect ? (subselect.SelectStmt.targetList ?? []) : [];
  return target && 'ResTarget' in target ? target.ResTarget.val : undefined;
}

/** Rows are compared column by column. */
function pairsOf(left: Node | undefined, right: Node | undefined): Pair[] {
  const [one, other] = [left, right].map((node) =>
    node && 'RowExpr' in node ? node.RowExpr.args : undefined,
  );
  return one && other ? one.map((item, index): Pair => [item, other[index]]) : [[left, right]];
}

/** The values of the placeholders of an expression, and their form. */
export interface ValueBinding {
  names: readonly string[];
  values: ReadonlyMap<string, ParamValue>;
  /** Adds a parameter and returns its number; null writes the values as literals. */
  addParameter: ((value: ParamValue) => number) | null;
}

type Scalar = string | number | boolean;

/**
 * A copy of an expression with a literal or a parameter in place of every `$n`. Both mean the same to
 * PostgreSQL: a number is cast to the type of its literal, and a string has no type, so it takes the type
 * that it is compared with.
 * @throws {Refusal} if a value is missing or of the wrong kind
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

/**
 * A value of the tree is a node if its only key starts with a capital letter. Otherwise it contains nodes.
 */
function bindAny(value: unknown, binding: ValueBinding): unknown {
  if (!isFields(value)) return bindChildren(value, binding);
  const [key, ...others] = Object.keys(value);
  const isNode = key !== undefined && others.length === 0 && /^[A-Z]/.test(key);
  return isNode ? bindNode(value as unknown as Node, binding) : bindChildren(value, binding);
}

/** In the place of a condition, a value must be true or false. */
function bindCondition(node: Node, binding: ValueBinding): Node {
  const value = valueOf(node, binding);
  if (value === undefined || typeof value === 'boolean') return bindNode(node, binding);
  throw unfit('a value that is neither true nor false stands for a condition');
}

/** A string is cast to text where PostgreSQL could not infer the type of a parameter. */
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

/** The type that the lexer gives to the widest of the literals. */
function numberType(values: readonly number[]): 'int4' | 'int8' | 'numeric' {
  if (values.every((value) => Number.isInteger(value) && Math.abs(value) <= INT4_MAX)) return 'int4';
  const isInt8 = (value: number): boolean => /^-?\d{1,18}$/.test(String(value));
  return values.every(isInt8) ? 'int8' : 'numeric';
}

function isNumbers(values: readonly Scalar[]): values is number[] {
  return values.length > 0 && values.every((value) => typeof value === 'number');
}

/** An array as a single value. */
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
  const bound = bindChildren(node, binding) as Node;
  return negationIn(bound) ?? bound;
}

/** The literal of a minus before a value. */
function negationIn(bound: Node): Node | null {
  if (!('A_Expr' in bound) || bound.A_Expr.lexpr !== undefined) return null;
  const { kind, name, rexpr } = bound.A_Expr;
  return kind === 'AEXPR_OP' && textsOf(name).join('.') === '-' ? negatedLiteral(rexpr) : null;
}

/**
 * `IN`, `NOT IN`, `= ANY` and so on over the elements of an array. With no elements, ANY is false and ALL is
 * true.
 */
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
