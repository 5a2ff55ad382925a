import type {
  A_Expr,
  A_Expr_Kind,
  FuncCall,
  Node,
  SelectStmt,
  SortBy,
  SubLink,
  TypeName,
  WindowDef,
} from '@pgsql/types';
import { quoteName, printConstant, printFrame, printOperator, printValueFunction } from './printParts.js';
import { openNode, textsOf, type FieldsOf, type NodeKind } from './trees.js';

/** Types with a keyword of their own in the grammar, if they have no modifiers. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  bool: 'boolean',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  float4: 'real',
  float8: 'double precision',
  numeric: 'numeric',
  interval: 'interval',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamp with time zone',
  varchar: 'varchar',
};

/** Kinds that bind tighter than every operator, so they need no parentheses as operands. */
const ATOMS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'ColumnRef',
  'ParamRef',
  'FuncCall',
  'CaseExpr',
  'CoalesceExpr',
  'MinMaxExpr',
  'RowExpr',
  'A_ArrayExpr',
  'SQLValueFunction',
  'GroupingFunc',
]);

export type SubqueryPrinter = (select: SelectStmt) => string;
type ExpressionPrinters = { [K in NodeKind]?: (fields: FieldsOf<K>, print: SubqueryPrinter) => string };

/**
 * Prints an expression. Every operand except names and calls gets parentheses, because the tree does not keep
 * them. Every name that would not read back as itself is quoted.
 * @param print prints the subqueries
 */
export function printExpression(node: Node, print: SubqueryPrinter): string {
  const opened = openNode(node);
  const printer =
    opened && (PRINTERS[opened.kind] as ((fields: unknown, print: SubqueryPrinter) => string) | undefined);
  // A kind that is allowed but not printed would be a defect. Every printed text is parsed and compared.
  if (!printer) throw new Error(`cannot print ${opened?.kind ?? 'an empty node'}`);
  return printer(opened.fields, print);
}

export function printList(nodes: readonly Node[] | undefined, print: SubqueryPrinter): string {
  return (nodes ?? []).map((node) => printExpression(node, print)).join(', ');
}

export function printNames(nodes: readonly Node[] | undefined, separator = ', '): string {
  return textsOf(nodes).map(quoteName).join(separator);
}

/** `name AS (…)` in a WINDOW clause takes the same specification as `OVER (…)`. */
export function printWindow(window: WindowDef, print: SubqueryPrinter): string {
  const parts = [
    window.refname === undefined ? '' : quoteName(window.refname),
    window.partitionClause ? `PARTITION BY ${printList(window.partitionClause, print)}` : '',
    window.orderClause ? `ORDER BY ${printList(window.orderClause, print)}` : '',
    printFrame(window, (node) => printOperand(node, print)),
  ];
  return `(${parts.filter(Boolean).join(' ')})`;
}

function printOptional(node: Node | undefined, print: SubqueryPrinter): string {
  return node ? printExpression(node, print) : '';
}

function printOperand(node: Node | undefined, print: SubqueryPrinter): string {
  if (!node) return '';
  const text = printExpression(node, print);
  const opened = openNode(node);
  if (opened?.kind === 'A_Const') return text.startsWith('-') ? `(${text})` : text;
  if (opened?.kind === 'SubLink' && opened.fields.testexpr === undefined) return text;
  return opened && ATOMS.has(opened.kind) ? text : `(${text})`;
}

const PRINTERS: ExpressionPrinters = {
  ColumnRef: ({ fields }) =>
    (fields ?? []).map((field) => ('String' in field ? quoteName(field.String.sval ?? '') : '*')).join('.'),
  ParamRef: ({ number }) => `$${number ?? 0}`,
  A_Const: printConstant,
  A_Expr: printOperation,
  BoolExpr: ({ boolop, args }, print) => {
    const operands = (args ?? []).map((arg) => printOperand(arg, print));
    return boolop === 'NOT_EXPR'
      ? `NOT ${operands[0]}`
      : operands.join(boolop === 'AND_EXPR' ? ' AND ' : ' OR ');
  },
  NullTest: ({ arg, nulltesttype }, print) =>
    `${printOperand(arg, print)} ${nulltesttype === 'IS_NULL' ? 'IS NULL' : 'IS NOT NULL'}`,
  BooleanTest: ({ arg, booltesttype }, print) =>
    `${printOperand(arg, print)} ${(booltesttype ?? '').replaceAll('_', ' ')}`,
  SubLink: printSubLink,
  FuncCall: printCall,
  NamedArgExpr: ({ name, arg }, print) => `${quoteName(name ?? '')} => ${printOptional(arg, print)}`,
  CaseExpr: ({ arg, args, defresult }, print) => {
    const subject = arg ? ` ${printOperand(arg, print)}` : '';
    const otherwise = defresult ? ` ELSE ${printExpression(defresult, print)}` : '';
    return `CASE${subject} ${(args ?? []).map((when) => printExpression(when, print)).join(' ')}${otherwise} END`;
  },
  CaseWhen: ({ expr, result }, print) =>
    `WHEN ${printOptional(expr, print)} THEN ${printOptional(result, print)}`,
  CoalesceExpr: ({ args }, print) => `COALESCE(${printList(args, print)})`,
  MinMaxExpr: ({ op, args }, print) =>
    `${op === 'IS_LEAST' ? 'LEAST' : 'GREATEST'}(${printList(args, print)})`,
  RowExpr: ({ args, row_format }, print) =>
    `${row_format === 'COERCE_EXPLICIT_CALL' ? 'ROW' : ''}(${printList(args, print)})`,
  A_ArrayExpr: ({ elements }, print) => `ARRAY[${printList(elements, print)}]`,
  A_Indirection: ({ arg, indirection }, print) =>
    `(${printOptional(arg, print)})${(indirection ?? []).map((part) => printExpression(part, print)).join('')}`,
  A_Indices: ({ is_slice, lidx, uidx }, print) =>
    is_slice
      ? `[${printOptional(lidx, print)} : ${printOptional(uidx, print)}]`
      : `[${printOptional(uidx, print)}]`,
  CollateClause: ({ arg, collname }, print) =>
    `${printOperand(arg, print)} COLLATE ${printNames(collname, '.')}`,
  TypeCast: ({ arg, typeName }, print) =>
    `CAST(${printOptional(arg, print)} AS ${printType(typeName ?? {}, print)})`,
  SQLValueFunction: printValueFunction,
  GroupingFunc: ({ args }, print) => `GROUPING(${printList(args, print)})`,
  GroupingSet: ({ kind, content }, print) => {
    if (kind === 'GROUPING_SET_EMPTY') return '()';
    const word = {
      GROUPING_SET_ROLLUP: 'ROLLUP',
      GROUPING_SET_CUBE: 'CUBE',
      GROUPING_SET_SETS: 'GROUPING SETS',
    };
    return `${word[kind as keyof typeof word]} (${printList(content, print)})`;
  },
  SortBy: printSort,
  List: ({ items }, print) => `(${printList(items, print)})`,
  ResTarget: ({ name, val }, print) =>
    `${printOptional(val, print)}${name === undefined ? '' : ` AS ${quoteName(name)}`}`,
};

function printOperation(operation: A_Expr, print: SubqueryPrinter): string {
  const operator = printOperator(operation.name);
  const left = printOperand(operation.lexpr, print);
  const { rexpr, kind = 'AEXPR_OP' } = operation;
  if (operator.includes('BETWEEN')) {
    const bounds = rexpr && 'List' in rexpr ? (rexpr.List.items ?? []) : [];
    return `${left} ${operator} ${bounds.map((bound) => printOperand(bound, print)).join(' AND ')}`;
  }
  // The right side has parentheses of its own.
  if (kind === 'AEXPR_OP_ANY') return `${left} ${operator} ANY (${printOptional(rexpr, print)})`;
  if (kind === 'AEXPR_OP_ALL') return `${left} ${operator} ALL (${printOptional(rexpr, print)})`;
  const not = operator === '<>' || operator.startsWith('!') ? 'NOT ' : '';
  if (kind === 'AEXPR_IN') return `${left} ${not}IN ${printOptional(rexpr, print)}`;
  const right = printOperand(rexpr, print);
  if (kind === 'AEXPR_NULLIF') return `NULLIF(${left}, ${right})`;
  const word = OPERATOR_WORDS[kind];
  // Trimming would copy the operand at each of up to 700 levels.
  if (word === undefined) return `${left === '' ? '' : `${left} `}${operator} ${right}`;
  return `${left} ${kind === 'AEXPR_LIKE' || kind === 'AEXPR_ILIKE' ? not : ''}${word} ${right}`;
}

/** Operations that the grammar writes as words. */
const OPERATOR_WORDS: Partial<Record<A_Expr_Kind, string>> = {
  AEXPR_DISTINCT: 'IS DISTINCT FROM',
  AEXPR_NOT_DISTINCT: 'IS NOT DISTINCT FROM',
  AEXPR_LIKE: 'LIKE',
  AEXPR_ILIKE: 'ILIKE',
};

function printSubLink(link: SubLink, print: SubqueryPrinter): string {
  const select = link.subselect && 'SelectStmt' in link.subselect ? print(link.subselect.SelectStmt) : '';
  const test = printOperand(link.testexpr, print);
  const operator = printOperator(link.operName);
  if (link.subLinkType === 'EXISTS_SUBLINK') return `EXISTS (${select})`;
  if (link.subLinkType === 'ARRAY_SUBLINK') return `ARRAY(${select})`;
  if (link.subLinkType === 'ALL_SUBLINK') return `${test} ${operator} ALL (${select})`;
  if (link.subLinkType !== 'ANY_SUBLINK') return `(${select})`;
  return link.operName ? `${test} ${operator} ANY (${select})` : `${test} IN (${select})`;
}

function printCall(call: FuncCall, print: SubqueryPrinter): string {
  const args = (call.args ?? []).map((arg) => printExpression(arg, print));
  const last = args.pop();
  if (last !== undefined) args.push(call.func_variadic ? `VARIADIC ${last}` : last);
  const order = call.agg_order ? `ORDER BY ${printList(call.agg_order, print)}` : '';
  const inner = [
    call.agg_distinct ? 'DISTINCT ' : '',
    call.agg_star ? '*' : args.join(', '),
    order && !call.agg_within_group ? ` ${order}` : '',
  ].join('');
  const within = order && call.agg_within_group ? ` WITHIN GROUP (${order})` : '';
  const filter = call.agg_filter ? ` FILTER (WHERE ${printExpression(call.agg_filter, print)})` : '';
  return `${printNames(call.funcname, '.')}(${inner})${within}${filter}${printOver(call.over, print)}`;
}

function printOver(window: WindowDef | undefined, print: SubqueryPrinter): string {
  if (!window) return '';
  return ` OVER ${window.name === undefined ? printWindow(window, print) : quoteName(window.name)}`;
}

function printSort({ node, sortby_dir, sortby_nulls }: SortBy, print: SubqueryPrinter): string {
  const direction = sortby_dir === 'SORTBY_ASC' ? ' ASC' : sortby_dir === 'SORTBY_DESC' ? ' DESC' : '';
  const nulls =
    sortby_nulls === 'SORTBY_NULLS_FIRST'
      ? ' NULLS FIRST'
      : sortby_nulls === 'SORTBY_NULLS_LAST'
        ? ' NULLS LAST'
        : '';
  return `${printOptional(node, print)}${direction}${nulls}`;
}

function printType(type: TypeName, print: SubqueryPrinter): string {
  const [schema, name = ''] = textsOf(type.names);
  const word = schema === 'pg_catalog' && !type.typmods ? TYPE_WORDS[name] : undefined;
  const modifiers = type.typmods ? `(${printList(type.typmods, print)})` : '';
  const bounds = (type.arrayBounds ?? []).map((bound) => {
    const size = 'Integer' in bound ? (bound.Integer.ival ?? 0) : -1;
    return size >= 0 ? `[${size}]` : '[]';
  });
  return `${word ?? printNames(type.names, '.')}${modifiers}${bounds.join('')}`;
}
