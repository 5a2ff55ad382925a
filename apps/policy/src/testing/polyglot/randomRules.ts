import type { ParamValue } from '@gatehouse/contract';
import type { Random } from './random.js';

/** The texts of a column, some of which are equal in a collation that ignores case, accents or spaces. */
export const STORED_TEXTS = ['acme', 'ACME', 'acme ', 'acmé', 'other', '', null] as const;
const TEXTS = ['acme', 'ACME', 'acme ', 'x'];

/** A rule with its values. */
export interface RandomRule {
  expression: string;
  values: Record<string, ParamValue>;
  /** The expression with its values as literals. */
  literal: string;
}

/**
 * Generates rules of nested comparisons between the text column `r`, the number column `n` and placeholders,
 * with and without parentheses. Texts are compared only beside a placeholder.
 */
export class RuleWriter {
  readonly #dialect: 'mysql' | 'sqlite';
  readonly #random: Random;
  #values: Record<string, ParamValue> = {};

  constructor(dialect: 'mysql' | 'sqlite', random: Random) {
    this.#dialect = dialect;
    this.#random = random;
  }

  rule(): RandomRule {
    this.#values = {};
    const expression = this.#condition(3);
    const values = this.#values;
    const literal = expression.replaceAll(/\{\{ (\w+) \}\}/g, (_, name: string) => {
      const value = values[name] ?? '';
      return Array.isArray(value) ? value.map(literalOf).join(', ') : literalOf(value);
    });
    return { expression, values, literal };
  }

  #placeholder(value: ParamValue): string {
    const name = `p${Object.keys(this.#values).length}`;
    this.#values[name] = value;
    return `{{ ${name} }}`;
  }

  #text(): string {
    return this.#placeholder(this.#random.pick(TEXTS));
  }

  #condition(depth: number): string {
    const random = this.#random;
    if (depth === 0 || random.isLucky(0.3)) return this.#comparison(depth);
    const inner = () => this.#condition(depth - 1);
    const outer = random.pick([
      () => `${inner()} ${random.pick(['AND', 'OR', '=', '<>'])} ${inner()}`,
      () => `NOT ${inner()}`,
      () => `${inner()} ${random.pick(['IS TRUE', 'IS NULL', 'IN (1, 2)', 'BETWEEN 1 AND 2', 'LIKE 1'])}`,
      () => `CASE WHEN ${inner()} THEN ${inner()} ELSE ${inner()} END`,
      () => `${this.#placeholder(random.isLucky(0.5))} = ${inner()}`,
    ]);
    return random.isLucky(0.7) ? `(${outer()})` : outer();
  }

  #comparison(depth: number): string {
    const random = this.#random;
    const own = this.#dialect === 'mysql' ? ['<=>'] : ['IS', 'IS NOT', 'IS DISTINCT FROM'];
    const operator = random.pick(['=', '<>', '=', '<>', ...own]);
    const list = this.#random.isLucky(0.3) ? [this.#random.pick(TEXTS), 'other'] : this.#random.pick(TEXTS);
    return random.pick([
      () => `${this.#operand(depth)} ${operator} ${this.#text()}`,
      () => `${this.#text()} ${operator} ${this.#operand(depth)}`,
      () => `${this.#operand(depth)} ${random.pick(['IN', 'NOT IN'])} (${this.#placeholder(list)})`,
      () => `${this.#text()} ${random.pick(['IN', 'NOT IN'])} (r, ${this.#text()})`,
      () => `${this.#operand(depth)} IN (SELECT ${this.#text()})`,
      () => `EXISTS (SELECT 1 FROM others AS o WHERE o.n = t.n AND t.r = ${this.#text()})`,
      () => `(SELECT o.r FROM others AS o WHERE o.n = 1 AND o.r = ${this.#text()}) = ${this.#text()}`,
      () => `n = ${this.#placeholder(random.int(-1, 2))}`,
      () => (this.#dialect === 'sqlite' ? `n IS ${this.#placeholder(-random.int(0, 2))}` : 'n IS NULL'),
    ])();
  }

  #operand(depth: number): string {
    return this.#random.pick([
      () => 'r',
      () => 'r',
      () => '(r)',
      () => '(SELECT r)',
      () => `COALESCE(r, ${this.#text()})`,
      () => (depth > 0 ? `CASE WHEN ${this.#comparison(depth - 1)} THEN r ELSE ${this.#text()} END` : 'r'),
    ])();
  }
}

function literalOf(value: string | number | boolean): string {
  if (typeof value === 'string') return `'${value}'`;
  return typeof value === 'number' && value < 0 ? `(${value})` : String(value).toUpperCase();
}
