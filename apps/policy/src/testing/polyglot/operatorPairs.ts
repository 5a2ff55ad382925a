import type { PolyglotDialect } from '../../sql/polyglot/logic/lexicon.js';
import type { Expression } from '../../sql/polyglot/logic/tree.js';

/** Writes an operator between two operands. */
type Operator = (left: string, right: string) => string;

const infix =
  (sign: string): Operator =>
  (left, right) =>
    `${left} ${sign} ${right}`;

const COMMON: readonly Operator[] = [
  ...['=', '<>', '<', '<=', '>', 'LIKE', 'NOT LIKE', 'AND', 'OR', '+', '-', '*', '/', '%'].map(infix),
  (left, right) => `${left} IN (${right}, 2)`,
  (left, right) => `${left} NOT IN (${right}, 2)`,
  (left, right) => `${left} BETWEEN ${right} AND 2`,
  (left, right) => `${left} NOT BETWEEN 0 AND ${right}`,
  ...['NULL', 'NOT NULL', 'TRUE', 'NOT TRUE'].map((test) => (left: string) => `${left} IS ${test}`),
];
const OWN: Readonly<Record<'mysql' | 'sqlite', readonly Operator[]>> = {
  mysql: ['<=>', 'XOR', 'DIV', 'REGEXP', 'NOT REGEXP', 'RLIKE'].map(infix),
  sqlite: [
    ...['==', '!=', 'IS', 'IS NOT', '||', 'GLOB', 'IS NOT DISTINCT FROM', 'IS DISTINCT FROM'].map(infix),
    (left) => `${left} COLLATE NOCASE`,
    (left, right) => `${left} LIKE ${right} ESCAPE '!'`,
  ],
};

/**
 * Every pair of operators around the columns `a`, `b` and `c`, without parentheses.
 * @param signs what may precede `a` and `b`
 */
export function operatorPairs(dialect: 'mysql' | 'sqlite', signs: readonly string[]): string[] {
  const operators = [...COMMON, ...OWN[dialect]];
  const pairs = operators.flatMap((first) =>
    operators.flatMap((second) =>
      signs.flatMap((sign) => [
        second(first(`${sign}a`, 'b'), 'c'),
        second(first('a', `${sign}b`), 'c'),
        first('a', second(`${sign}b`, 'c')),
      ]),
    ),
  );
  return [...new Set(pairs)];
}

const enclosed = (inner: Expression): Expression => ({ kind: 'parenthesized', inner });

/** The same expression with parentheses around every operation. */
export function parenthesize(node: Expression): Expression {
  if (node.kind === 'chain') return parenthesizeChain(node);
  const operand = 'operand' in node && node.operand !== null ? parenthesize(node.operand) : null;
  if (operand === null) return node;
  if (node.kind === 'between') {
    return enclosed({ ...node, operand, low: parenthesize(node.low), high: parenthesize(node.high) });
  }
  if (node.kind === 'like') return enclosed({ ...node, operand, pattern: parenthesize(node.pattern) });
  if (node.kind === 'in') return enclosed({ ...node, operand, items: node.items.map(parenthesize) });
  return node.kind === 'prefix' || node.kind === 'collate' ? enclosed({ ...node, operand }) : node;
}

/** The operators of a chain apply from left to right. */
function parenthesizeChain({ first, rest }: Expression & { kind: 'chain' }): Expression {
  return rest.reduce<Expression>((left, { operator, operand }) => {
    return enclosed({ kind: 'chain', first: left, rest: [{ operator, operand: parenthesize(operand) }] });
  }, parenthesize(first));
}

/** A table with every combination of a few values in `a`, `b` and `c`. */
export function operandRows(dialect: PolyglotDialect): string[] {
  const values = ['0', '1', '2', 'NULL', dialect === 'sqlite' ? "'a'" : '-1'];
  const rows = values.flatMap((a) => values.flatMap((b) => values.map((c) => `(${a}, ${b}, ${c})`)));
  return ['CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER)', `INSERT INTO t VALUES ${rows.join(', ')}`];
}
