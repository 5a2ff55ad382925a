import type { Random } from './random.js';

/**
 * A condition on the columns `a` and `b`, numbers, and `s`, a text, with few parentheses: only the order of
 * the operators determines what it means.
 */
export function writeCondition(random: Random, depth = 0): string {
  const tests = Array.from({ length: random.int(1, depth > 1 ? 1 : 3) }, () => writeTest(random, depth));
  return tests.reduce((left, right) => `${left} ${random.pick(['AND', 'OR'])} ${right}`);
}

function writeTest(random: Random, depth: number): string {
  const not = random.pick(['', '', 'NOT ', 'NOT ', 'NOT NOT ']);
  const inner = random.pick(['', 'NOT ']);
  const operand = () => writeOperand(random, depth);
  const text = random.pick(['s', 's', operand()]);
  return `${not}${random.pick([
    () => `${operand()} ${random.pick(['=', '<>', '<', '>='])} ${operand()}`,
    () => `${text} ${inner}LIKE ${random.pick(["'x%'", "'%1'", 's'])}`,
    () => `${operand()} ${inner}IN (1, 2, ${operand()})`,
    () => `${operand()} ${inner}IN (SELECT n FROM free)`,
    () => `${operand()} ${inner}BETWEEN ${operand()} AND ${operand()}`,
    () => `${operand()} IS ${inner}NULL`,
    () => (depth > 1 ? 'a' : `(${writeCondition(random, depth + 1)})`),
    () => `${inner}EXISTS (SELECT 1 FROM free WHERE n = a)`,
  ])()}`;
}

function writeOperand(random: Random, depth: number): string {
  const column = random.pick(['a', 'b']);
  return random.pick([
    () => column,
    () => column,
    () => String(random.int(0, 3)),
    () => `${column} + ${random.int(0, 2)}`,
    () => `${column} & 3`,
    () => `${column} << 1 | 1`,
    () => `${column} >> 1 + 1`,
    () => `- ${column}`,
    () => `${random.pick(['', '- ', '~ '])}+ ${column}`,
    () => 'LENGTH(s)',
    () => {
      if (depth > 1) return column;
      const when = writeCondition(random, depth + 1);
      return `CASE WHEN ${when} THEN a ELSE ${writeCondition(random, depth + 2)} END`;
    },
  ])();
}
