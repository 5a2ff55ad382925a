import type { PolyglotDialect } from './lexicon.js';
import type { Expression } from './tree.js';
import { isSameTree, mapExpressions } from './walk.js';

type Comparison = Extract<Expression, { kind: 'chain' | 'in' }>;

/** Operators that hold for equal texts. */
const EQUAL: ReadonlySet<string> = new Set(['=', 'IS NOT DISTINCT FROM', 'IS']);
/** These operators, and those that hold for different texts. */
export const EXACT_OPERATORS: ReadonlySet<string> = new Set([...EQUAL, '<>', 'IS DISTINCT FROM', 'IS NOT']);
const BINARY = { text: 'BINARY', isQuoted: true };

function castTo(type: string, operand: Expression): Expression {
  const form = { form: 'cast', type } as const;
  return { kind: 'call', form, isDistinct: false, arguments: [operand], filter: null };
}

/** The bytes of a text in the character set of the connection, which literals and parameters use. */
function bytesOf(operand: Expression): Expression {
  const isConstant = operand.kind === 'value' || operand.kind === 'string';
  return castTo('BINARY', isConstant ? operand : castTo('CHAR', operand));
}

function isNegative(comparison: Comparison): boolean {
  return comparison.kind === 'in' ? comparison.isNegated : !EQUAL.has(comparison.rest[0]?.operator ?? '');
}

function ofBytes(comparison: Comparison): Comparison {
  if (comparison.kind === 'in') {
    return {
      ...comparison,
      operand: bytesOf(comparison.operand),
      items: comparison.items.map(bytesOf),
    };
  }
  const rest = comparison.rest.map(({ operator, operand }) => ({ operator, operand: bytesOf(operand) }));
  return { ...comparison, first: bytesOf(comparison.first), rest };
}

/** Whether it tests for NULL: no texts are compared, and MySQL takes nothing but NULL after IS. */
function isNullTest(comparison: Comparison): boolean {
  const [link] = comparison.kind === 'chain' ? comparison.rest : [];
  return link !== undefined && /^IS(?: NOT)?$/.test(link.operator) && link.operand.kind === 'constant';
}

/**
 * Makes a comparison of texts by `=`, `<>`, `IN` and similar operators exact in every collation. On MySQL the
 * bytes are compared as well. The original comparison stays next to that, because an index can serve it and
 * equal bytes always satisfy it. On SQLite the binary collation is used, which most indexes use too.
 */
export function exactComparison(comparison: Comparison, dialect: PolyglotDialect): Expression {
  if (isNullTest(comparison)) return comparison;
  if (dialect === 'sqlite') return withBinaryCollation(comparison);
  if (dialect !== 'mysql') return comparison;
  const operator = isNegative(comparison) ? 'OR' : 'AND';
  const inner: Expression = {
    kind: 'chain',
    first: comparison,
    rest: [{ operator, operand: ofBytes(comparison) }],
  };
  return { kind: 'parenthesized', inner };
}

function withBinaryCollation(comparison: Comparison): Comparison {
  const collated = (operand: Expression): Expression => ({ kind: 'collate', operand, collation: BINARY });
  return comparison.kind === 'in'
    ? { ...comparison, operand: collated(comparison.operand) }
    : { ...comparison, first: collated(comparison.first) };
}

/** An operand that is searched in the rows of a query, as bytes. */
export function exactQueryOperand(operand: Expression, dialect: PolyglotDialect): Expression {
  if (dialect === 'sqlite') return { kind: 'collate', operand, collation: BINARY };
  return dialect === 'mysql' ? bytesOf(operand) : operand;
}

/** The column of a query, as bytes. */
export function exactQueryItem(item: Expression, dialect: PolyglotDialect): Expression {
  return dialect === 'mysql' ? bytesOf(item) : item;
}

/** An expression without the additions for exact text comparison, as its author would write it. */
export function withoutExactness(expression: Expression, dialect: PolyglotDialect): Expression {
  if (dialect !== 'mysql' && dialect !== 'sqlite') return expression;
  return mapExpressions(expression, (node) => {
    if (dialect === 'sqlite') {
      const isBinary = node.kind === 'collate' && node.collation.text.toUpperCase() === 'BINARY';
      return isBinary ? withoutExactness(node.operand, dialect) : undefined;
    }
    const pair = node.kind === 'parenthesized' && node.inner.kind === 'chain' ? node.inner : null;
    const first = pair?.first;
    if (pair === null || (first?.kind !== 'chain' && first?.kind !== 'in')) return undefined;
    return pair.rest.length === 1 && isSameTree(exactComparison(first, dialect), node) ? first : undefined;
  });
}
