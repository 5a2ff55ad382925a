import type { A_Expr, Node } from '@pgsql/types';
import type { Condition, ConditionValue } from '../../logic/restriction.js';
import { openNode, textsOf, isFields } from './trees.js';
import type { RuleExpression } from './ruleExpression.js';

type Comparison = Extract<Condition, { kind: 'compare' }>['operator'];

const OPERATORS: Readonly<Record<string, { operator: Comparison; turned: Comparison }>> = {
  '=': { operator: '=', turned: '=' },
  '<>': { operator: '<>', turned: '<>' },
  '<': { operator: '<', turned: '>' },
  '<=': { operator: '<=', turned: '>=' },
  '>': { operator: '>', turned: '<' },
  '>=': { operator: '>=', turned: '<=' },
};

/** The expression of a rule independent of its dialect, as far as it is understood. */
export function analyzeCondition({ node, names }: RuleExpression): Condition {
  return new Analysis(names).condition(node);
}

class Analysis {
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  condition(node: Node): Condition {
    if ('BoolExpr' in node) {
      const parts = (node.BoolExpr.args ?? []).map((arg) => this.condition(arg));
      const [first] = parts;
      if (node.BoolExpr.boolop === 'NOT_EXPR') return first ? { kind: 'not', part: first } : other(node);
      return { kind: node.BoolExpr.boolop === 'AND_EXPR' ? 'and' : 'or', parts };
    }
    if ('NullTest' in node) {
      const column = columnOf(node.NullTest.arg);
      const isNegated = node.NullTest.nulltesttype === 'IS_NOT_NULL';
      return column === null ? other(node) : { kind: 'isNull', column, isNegated };
    }
    if ('A_Const' in node && node.A_Const.isnull) return { kind: 'constant', value: null };
    if ('A_Const' in node && node.A_Const.boolval) {
      return { kind: 'constant', value: node.A_Const.boolval.boolval ?? false };
    }
    return ('A_Expr' in node ? this.#operation(node.A_Expr) : null) ?? other(node);
  }

  #operation({ kind, name, lexpr, rexpr }: A_Expr): Condition | null {
    const [text = ''] = textsOf(name).slice(-1);
    const known = Object.hasOwn(OPERATORS, text) ? OPERATORS[text] : undefined;
    if (!known) return null;
    if (kind === 'AEXPR_OP') return this.#comparison(known, lexpr, rexpr);
    const column = columnOf(lexpr);
    if (column === null) return null;
    const isList = kind === 'AEXPR_IN' && rexpr !== undefined && 'List' in rexpr;
    const isArray = (kind === 'AEXPR_OP_ANY' && text === '=') || (kind === 'AEXPR_OP_ALL' && text === '<>');
    if (!isList && !isArray) return null;
    const items = isList ? (rexpr.List.items ?? []) : rexpr ? [rexpr] : [];
    const values = items.map((item) => this.#value(item));
    if (!values.every((value) => value !== null)) return null;
    return { kind: 'in', column, values, isNegated: text === '<>' };
  }

  #comparison(
    { operator, turned }: { operator: Comparison; turned: Comparison },
    left: Node | undefined,
    right: Node | undefined,
  ): Condition | null {
    const column = columnOf(left) ?? columnOf(right);
    const isTurned = columnOf(left) === null;
    const value = this.#value(isTurned ? left : right);
    if (column === null || value === null) return null;
    return { kind: 'compare', column, operator: isTurned ? turned : operator, value };
  }

  #value(node: Node | undefined): ConditionValue | null {
    const opened = node && openNode(node);
    if (opened?.kind === 'ParamRef') {
      const placeholder = this.#names[(opened.fields.number ?? 0) - 1];
      return placeholder === undefined ? null : { placeholder };
    }
    if (opened?.kind !== 'A_Const' || opened.fields.isnull || opened.fields.bsval) return null;
    const { ival, fval, boolval, sval } = opened.fields;
    if (ival) return { literal: ival.ival ?? 0 };
    if (fval) return { literal: Number(fval.fval) };
    return { literal: boolval ? (boolval.boolval ?? false) : (sval?.sval ?? '') };
  }
}

function columnOf(node: Node | undefined): string | null {
  if (!node || !('ColumnRef' in node)) return null;
  return textsOf(node.ColumnRef.fields).at(-1) ?? null;
}

function other(node: Node): Condition {
  const columns = new Set<string>();
  collectColumns(node, columns);
  return { kind: 'other', columns: [...columns] };
}

function collectColumns(value: unknown, columns: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectColumns(item, columns);
  if (!isFields(value)) return;
  const column = isFields(value.ColumnRef) ? columnOf(value as unknown as Node) : null;
  if (column !== null) columns.add(column);
  for (const child of Object.values(value)) collectColumns(child, columns);
}
