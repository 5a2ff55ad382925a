import { classOf, type SqlType } from '../../logic/columnTypes.js';
import { isConverting } from '../../logic/fitValue.js';
import type { ExpressionTypes } from './expressionTypes.js';
import { hasPlaceholder, isTextValue, itemsOf, placeholderOf } from './fillParts.js';
import type { PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';
import type { Column, Expression } from './tree.js';
import { isQueryExpression, isSameTree, walkTree } from './walk.js';

/** Checks the types of the two sides of comparisons. */
export class ComparisonChecks {
  readonly #types: ExpressionTypes;
  readonly #outer: ReadonlySet<Column>;
  readonly #dialect: PolyglotDialect;

  /** @param outer the columns in queries of the rule that belong to a query around them */
  constructor(types: ExpressionTypes, outer: ReadonlySet<Column>, dialect: PolyglotDialect) {
    this.#types = types;
    this.#outer = outer;
    this.#dialect = dialect;
  }

  /**
   * Refuses a value that is compared with another type within an expression, such as in the branches of a
   * CASE.
   */
  classes(compared: readonly [Expression, Expression]): void {
    // A single value is converted to the type that it is compared with.
    if (compared.every((node) => placeholderOf(node) === null)) this.agreement(compared);
  }

  /** Refuses a value among operands that an engine converts to one type, such as those of COALESCE. */
  agreement(operands: readonly Expression[]): void {
    if (!operands.some(hasPlaceholder)) return;
    const classes = operands.map((node) => this.#types.of(node)).flatMap((type) => type && classOf(type));
    const [first, ...others] = new Set(classes.filter((each) => each !== null));
    const [other] = others;
    if (first === undefined || other === undefined) return;
    const both = new Set([first, other]);
    const isMoment = both.has('moment') && both.has('text');
    const isOfText = both.has('unknown') && !both.has('number') && !both.has('boolean');
    const isStrict = both.has('unknown') && !isConverting(this.#dialect);
    if (others.length === 1 && (isMoment || isOfText || isStrict)) return;
    refuse(
      'UNFIT_VALUE',
      `an expression with a value is ${first}, and is compared with one that is ${other}`,
    );
  }

  /** If a type is unknown, MySQL may order a text by its leading number. */
  order(compared: readonly [Expression, Expression]): void {
    const types = compared.map((node) => this.#types.of(node));
    const isOfUnknown = types.some((type) => type?.family === 'unknown');
    if (this.#dialect !== 'mysql' || !compared.some(hasPlaceholder) || !isOfUnknown) return;
    refuse('UNFIT_VALUE', 'a value is put in order with an operand whose type the catalog does not state');
  }

  /** Refuses a text with a value in a row. @param fitted the item with its value */
  inRow(item: Expression, fitted: Expression): void {
    const isText = placeholderOf(item) === null ? isTextual(this.#types.of(item)) : isTextValue(fitted);
    if (isText && hasPlaceholder(item))
      refuse('UNFIT_VALUE', 'a string in a comparison of rows: compare each column by itself');
  }

  /** The operand of a list, as each item converted it. Refuses a value that two items convert differently. */
  sameForm([form, ...others]: readonly Expression[]): Expression {
    return form !== undefined && others.every((other) => isSameTree(form, other))
      ? form
      : refuse('UNFIT_VALUE', 'a value is searched in a list of several types: compare each by itself');
  }

  /**
   * Refuses numbers beside texts in a list of MySQL. Bytes are compared in addition, which is exact for the
   * texts, but not what the server does with the numbers.
   */
  list(items: readonly Expression[]): void {
    if (this.#dialect !== 'mysql' || this.areTextual(items)) return;
    refuse('UNFIT_VALUE', 'a string is in a list with numbers: compare each by itself');
  }

  /**
   * Refuses the exact comparison of a text from outside of a query in MySQL. MariaDB's subquery cache keeps
   * the results of a query by the columns from outside of it, and finds them by the collation of these
   * columns: the result for `ACME` is then that for `acme`.
   */
  outerTexts(operands: readonly Expression[]): void {
    if (this.#dialect !== 'mysql') return;
    for (const operand of operands) {
      walkTree(operand, (node) => {
        if (node.kind === 'column' && this.#outer.has(node) && isTextual(this.#types.of(node))) {
          const name = node.path.at(-1)?.text ?? '';
          refuse(
            'UNFIT_VALUE',
            `a string is compared with ${name} in a query: compare it outside of the query`,
          );
        }
        if (node.kind === 'scalarQuery') this.outerTexts(itemsOf(node.query));
        return isQueryExpression(node) ? 'skip' : undefined;
      });
    }
  }

  /** Whether a text is compared with a text, or possibly with one. */
  isOfText(compared: readonly Expression[]): boolean {
    return compared.some((node) => this.#types.of(node)?.family === 'text') && this.areTextual(compared);
  }

  /** Whether every operand may be a text. */
  areTextual(compared: readonly Expression[]): boolean {
    return compared.every((node) => {
      const type = this.#types.of(node);
      return type === null || isTextual(type);
    });
  }
}

/** MySQL compares a text with a binary column by bytes too. */
export function isTextual(type: SqlType | null): boolean {
  return type !== null && ['text', 'unknown', 'numeric', 'binary'].includes(type.family);
}
