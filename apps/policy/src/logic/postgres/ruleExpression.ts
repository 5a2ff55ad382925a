import type { Node } from '@pgsql/types';
import type { ExpressionFault } from '../model.js';
import { Refusal } from '../sql/denials.js';
import { markPlaceholders } from '../sql/placeholders.js';
import { checkTree } from './checkTree.js';
import { openNode } from './nodes.js';
import { locateIn, parseSelect } from './parser.js';
import { qualifyBuiltIns } from './qualifyBuiltIns.js';
import { isSameTree } from './trees.js';

/** A rule's expression: its tree, in which `$n` stands for the placeholder `names[n - 1]`. */
export interface RuleExpression {
  node: Node;
  names: readonly string[];
}

export type RuleOrFault = (RuleExpression & { fault?: undefined }) | { fault: ExpressionFault };

const BARE = 'SELECT WHERE ';

/** Parses one boolean expression with its placeholders, and nothing else. */
export function parseRule(expression: string): RuleOrFault {
  const marked = markPlaceholders(expression, 'postgres', (index) => `$${index + 1}`);
  if (marked.fault) return { fault: marked.fault };
  const bare = BARE + marked.text;
  try {
    const node = conditionOf(bare);
    // Neither way alone will do: `a FOR READ ONLY` leaves no trace in the tree, and `a) OR (b` fits in parentheses.
    if (!isSameTree(node, conditionOf(`${BARE}(${marked.text})`))) throw notOne();
    locateIn(bare, () => checkTree(openNode(node)?.kind ?? '', openNode(node)?.fields, 'expression'));
    qualifyBuiltIns(node);
    if (!isBoolean(node)) throw new Refusal('SYNTAX_ERROR', 'is not a boolean expression');
    return { node, names: marked.names };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { fault: faultOf(error, marked.positionOf) };
  }
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
  // Whether a column, a call or a value is boolean only the database knows.
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
