import type { Node } from '@pgsql/types';
import type { ExpressionFault } from '../../logic/restriction.js';
import { Refusal } from '../../logic/denials.js';
import { markPlaceholders } from '../../logic/markPlaceholders.js';
import { checkTree, qualifyBuiltIns } from './checkTree.js';
import { openNode, isFields, isSameTree } from './trees.js';
import { locateIn, parseSelect } from './parser.js';

/** The tree of a rule, in which `$n` represents the placeholder `names[n - 1]`. */
export interface RuleExpression {
  node: Node;
  names: readonly string[];
}

export type RuleOrFault = (RuleExpression & { fault?: undefined }) | { fault: ExpressionFault };

const BARE = 'SELECT WHERE ';

/** Parses exactly one boolean expression with its placeholders. */
export function parseRule(expression: string): RuleOrFault {
  const marked = markPlaceholders(expression, 'postgres', (index) => `$${index + 1}`);
  if (marked.fault) return { fault: marked.fault };
  const bare = BARE + marked.text;
  try {
    const node = conditionOf(bare);
    // Both parses are needed: `a FOR READ ONLY` leaves no trace in the tree, and `a) OR (b` is valid within
    // parentheses.
    if (!isSameTree(node, conditionOf(`${BARE}(${marked.text})`))) throw notOne();
    // PostgreSQL continues an E'…' string after a line break, where this service reads another string.
    if (countMarkers(node) !== marked.names.length) {
      throw new Refusal('SYNTAX_ERROR', 'a placeholder may not stand within quotes');
    }
    locateIn(bare, () => checkTree(openNode(node)?.kind ?? '', openNode(node)?.fields, 'expression'));
    qualifyBuiltIns(node);
    if (!isBoolean(node)) throw new Refusal('SYNTAX_ERROR', 'is not a boolean expression');
    return { node, names: marked.names };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { fault: faultOf(error, marked.positionOf) };
  }
}

function countMarkers(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countMarkers(item), 0);
  if (!isFields(value)) return 0;
  return ('ParamRef' in value ? 1 : 0) + countMarkers(Object.values(value));
}

function notOne(): Refusal {
  return new Refusal('SYNTAX_ERROR', 'is not one expression');
}

function conditionOf(text: string): Node {
  const { whereClause, limitOption, op, ...others } = parseSelect(text, 'expression');
  const isAlone = Object.keys(others).length === 0;
  if (!whereClause || !isAlone || limitOption !== 'LIMIT_OPTION_DEFAULT' || op !== 'SETOP_NONE')
    throw notOne();
  return whereClause;
}

function faultOf({ reason }: Refusal, positionOf: (position: number) => number): ExpressionFault {
  const { message, position = null } = reason;
  return { message, position: position === null ? null : positionOf(Math.max(0, position - BARE.length)) };
}

const BOOLEAN_KINDS: ReadonlySet<string> = new Set([
  'BoolExpr',
  'NullTest',
  'BooleanTest',
  'SubLink',
  // Only the database knows whether a column, a call or a value is boolean.
  'ColumnRef',
  'FuncCall',
  'ParamRef',
  'CaseExpr',
  'CoalesceExpr',
  'A_Indirection',
]);

const NUMERIC_OPERATORS: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '^', '||', '#', '&', '|']);

function isBoolean(node: Node): boolean {
  const opened = openNode(node);
  if (!opened) return false;
  if (opened.kind === 'A_Const') return opened.fields.boolval !== undefined;
  if (opened.kind === 'TypeCast') {
    const name = opened.fields.typeName?.names?.at(-1);
    return name !== undefined && 'String' in name && name.String.sval === 'bool';
  }
  if (opened.kind !== 'A_Expr') return BOOLEAN_KINDS.has(opened.kind);
  const [operator] = opened.fields.name ?? [];
  const name = operator && 'String' in operator ? (operator.String.sval ?? '') : '';
  return (
    opened.fields.kind !== 'AEXPR_NULLIF' &&
    !(opened.fields.kind === 'AEXPR_OP' && NUMERIC_OPERATORS.has(name))
  );
}
