import { isArithmetic, isConnective } from './expressionTypes.js';
import { refuse } from './refuse.js';
import type { Expression } from './tree.js';
import { walkTree, type AnyNode } from './walk.js';

/** The kind of the outermost operator of an expression; null if it has none. */
type Level = 'condition' | 'test' | 'arithmetic' | 'concatenation' | null;

/**
 * Refuses operators whose order differs between servers, or between a server and the parser: `a = b LIKE c`
 * is `a = (b LIKE c)` in MySQL, and `a = b < c` is `a = (b < c)` in SQLite. Values are converted by the tree
 * of the parser, so it must be the tree of the server.
 * @throws Refusal for a test within a test, or `||` beside arithmetic, without parentheses
 */
export function checkOperatorOrder(expression: Expression): void {
  walkTree(expression, (node) => {
    if (node.kind === 'chain') checkChain(node);
    for (const operand of operandsOf(node)) checkOperand(levelOf(operand));
    return undefined;
  });
}

/** The operands that only the order of operators separates from the operator. */
function operandsOf(node: AnyNode): readonly (Expression | null)[] {
  if (node.kind === 'like') return [node.operand, node.pattern, node.escape];
  if (node.kind === 'between') return [node.operand, node.low, node.high];
  if (node.kind === 'prefix') return node.operator === '-' ? [node.operand] : [];
  const isLed = ['in', 'inQuery', 'quantified', 'collate'].includes(node.kind);
  return isLed && 'operand' in node ? [node.operand] : [];
}

/** The operators of a chain apply from left to right, and may be of several levels. */
function checkChain({ first, rest }: Expression & { kind: 'chain' }): void {
  let left = levelOf(first);
  for (const { operator, operand } of rest) {
    const level = levelOfOperator(operator);
    if (level !== 'condition') {
      for (const each of [left, levelOf(operand)]) {
        checkOperand(each);
        checkMixture(level, each);
      }
    }
    left = level;
  }
}

function checkOperand(level: Level): void {
  if (level !== 'test' && level !== 'condition') return;
  refuse('FORBIDDEN_CONSTRUCT', 'a comparison within a comparison needs parentheses');
}

/** `||` binds tighter than arithmetic in SQLite, and looser in other dialects. */
function checkMixture(one: Level, other: Level): void {
  const levels = new Set([one, other]);
  if (!levels.has('arithmetic') || !levels.has('concatenation')) return;
  refuse('FORBIDDEN_CONSTRUCT', '|| beside + - * / % needs parentheses');
}

const TESTS: ReadonlySet<string> = new Set(['like', 'between', 'in', 'inQuery', 'quantified']);

function levelOf(node: Expression | null): Level {
  if (node?.kind === 'chain') return levelOfOperator(node.rest.at(-1)?.operator ?? '');
  if (node?.kind === 'prefix') return node.operator === 'NOT' ? 'test' : null;
  return node !== null && TESTS.has(node.kind) ? 'test' : null;
}

function levelOfOperator(operator: string): Exclude<Level, null> {
  if (isConnective(operator)) return 'condition';
  if (isArithmetic(operator)) return 'arithmetic';
  return operator === '||' ? 'concatenation' : 'test';
}
