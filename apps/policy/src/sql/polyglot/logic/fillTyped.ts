import { UNKNOWN_TYPE, type SqlType } from '../../logic/columnTypes.js';
import { fitValue, needOf, type Scalar } from '../../logic/fitValue.js';
import type { BoundRule } from './bindRule.js';
import { ComparisonChecks, isTextual } from './comparisonChecks.js';
import { EXACT_OPERATORS, exactComparison, exactQueryItem, exactQueryOperand } from './exactText.js';
import {
  BOOLEAN,
  COMPARING_FUNCTIONS,
  ExpressionTypes,
  isArithmetic,
  isConnective,
  NUMBER,
  TEXT,
} from './expressionTypes.js';
import {
  appended,
  decimalNode,
  enclosedAfter,
  encloseNegated,
  hasPlaceholder,
  isNumber,
  isTextValue,
  itemsOf,
  placeholderOf,
  withItems,
  type NodeOf,
  type Placeholder,
} from './fillParts.js';
import type { PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';
import type { Expression, Query } from './tree.js';
import { certainty, scalarOf, valueNode, valueOf, type Values } from './fillValues.js';
import { mapExpressions, type AnyNode } from './walk.js';

const EXACT_NUMBER: SqlType = { family: 'decimal', declared: '' };

/**
 * Fills the placeholders of a rule, each with its value converted for the type that it is compared with. A
 * comparison is made exact or refused if an engine would convert the value, or treat different texts as
 * equal.
 * @throws Refusal for a missing value or one that does not fit
 */
export function fillTyped(rule: BoundRule, by: { values: Values; dialect: PolyglotDialect }): Expression {
  return encloseNegated(new TypedFiller(by.values, rule, by.dialect).fill(rule.expression));
}

class TypedFiller {
  readonly #types: ExpressionTypes;
  readonly #checks: ComparisonChecks;

  readonly #values: Values;
  readonly #dialect: PolyglotDialect;

  constructor(values: Values, { types, outer }: BoundRule, dialect: PolyglotDialect) {
    this.#values = values;
    this.#dialect = dialect;
    this.#types = new ExpressionTypes(types, values, dialect);
    this.#checks = new ComparisonChecks(this.#types, outer, dialect);
  }

  fill(expression: Expression): Expression {
    return mapExpressions(expression, (node) => this.#change(node));
  }

  /** The replacement of a node; undefined if only its parts are filled. */
  #change(node: AnyNode): Expression | undefined {
    if (node.kind === 'placeholder') return this.#free(node);
    if (node.kind === 'chain') return this.#chain(node);
    if (node.kind === 'prefix')
      return { ...node, operand: this.#fit(node.operand, node.operator === '-' ? NUMBER : BOOLEAN) };
    if (node.kind === 'in') return this.#in(node);
    if (node.kind === 'between') return this.#between(node);
    if (node.kind === 'like') return this.#like(node);
    if (node.kind === 'inQuery' || node.kind === 'quantified') return this.#besideQuery(node);
    if (node.kind === 'case') return this.#case(node);
    if (node.kind === 'call') this.#checkCall(node);
    return undefined;
  }

  /** An operand: a placeholder's value converted for the type; anything else with its placeholders filled. */
  #fit(node: Expression, type: SqlType | null): Expression {
    const placeholder = placeholderOf(node);
    if (placeholder === null) return this.fill(node);
    return this.#fitScalar(placeholder.name, { value: scalarOf(placeholder.name, this.#values), type });
  }

  /** A value that is not compared by itself. It may be compared as a part of its expression. */
  #free({ name }: Placeholder): Expression {
    const value = scalarOf(name, this.#values);
    return this.#fitScalar(name, { value, type: typeof value === 'number' ? EXACT_NUMBER : null });
  }

  #fitScalar(name: string, { value, type }: { value: Scalar; type: SqlType | null }): Expression {
    const plain = valueNode(value);
    if (type === null) return plain;
    const fitted = fitValue(value, type, this.#dialect);
    if (fitted === null) {
      const declared = type.declared === '' ? '' : ` with the type ${type.declared}`;
      return refuse(
        'UNFIT_VALUE',
        `the value of ${name} is compared with an operand${declared}: it must be ${needOf(type)}, and is a ${typeof value}`,
      );
    }
    return 'value' in fitted ? valueNode(fitted.value) : decimalNode(fitted.decimal);
  }

  #chain({ first, rest }: NodeOf<'chain'>): Expression {
    const [{ operator }] = rest as [NodeOf<'chain'>['rest'][number]];
    if (isConnective(operator)) {
      const condition = (node: Expression) => this.#fit(node, BOOLEAN);
      return {
        kind: 'chain',
        first: condition(first),
        rest: rest.map((link) => ({ ...link, operand: condition(link.operand) })),
      };
    }
    let raw = first;
    let filled: Expression | null = null;
    for (const link of rest) {
      filled = this.#link(raw, filled, link);
      raw = appended(raw, link);
    }
    return filled ?? first;
  }

  /** @param left the filled expression before the operator; null if that is the first operand */
  #link(
    raw: Expression,
    left: Expression | null,
    { operator, operand }: NodeOf<'chain'>['rest'][number],
  ): Expression {
    if (isArithmetic(operator) || operator === '||') {
      const type = operator === '||' ? TEXT : NUMBER;
      return appended(left ?? this.#fit(raw, type), { operator, operand: this.#fit(operand, type) });
    }
    if (!hasPlaceholder(raw) && !hasPlaceholder(operand))
      return appended(left ?? this.fill(raw), { operator, operand: this.fill(operand) });
    this.#checks.classes([raw, operand]);
    if (!EXACT_OPERATORS.has(operator)) this.#checks.order([raw, operand]);
    const { isText, sides } = this.#pair(raw, operand);
    const right = enclosedAfter(operator, sides[1]);
    const comparison = appended(left ?? sides[0], { operator, operand: right });
    if (!isText || !EXACT_OPERATORS.has(operator)) return comparison;
    this.#checks.outerTexts([raw, operand]);
    const rest = [{ operator, operand: right }];
    return exactComparison({ kind: 'chain', first: left ?? sides[0], rest }, this.#dialect);
  }

  /** Both sides of a comparison, and whether they are compared as texts. */
  #pair(left: Expression, right: Expression): { isText: boolean; sides: [Expression, Expression] } {
    if (left.kind === 'tuple' || right.kind === 'tuple')
      return { isText: false, sides: this.#tuples(left, right) };
    const sides: [Expression, Expression] = [
      this.#fit(left, this.#types.of(right)),
      this.#fit(right, this.#types.of(left)),
    ];
    return { isText: this.#checks.isOfText([left, right]) && !sides.some(isNumber), sides };
  }

  /** Rows are compared column by column. No engine compares texts in rows exactly. */
  #tuples(left: Expression, right: Expression): [Expression, Expression] {
    const side = (node: Expression, other: Expression): Expression => {
      if (node.kind !== 'tuple') return this.fill(node);
      const items = node.items.map((item, index) => {
        const compared = other.kind === 'tuple' ? other.items[index] : undefined;
        if (compared) this.#checks.classes([item, compared]);
        const fitted = this.#fit(item, compared ? this.#types.of(compared) : UNKNOWN_TYPE);
        this.#checks.inRow(item, fitted);
        return fitted;
      });
      return { ...node, items };
    };
    return [side(left, right), side(right, left)];
  }

  #in(node: NodeOf<'in'>): Expression {
    const [only, ...others] = node.items;
    const list =
      only?.kind === 'placeholder' && others.length === 0 ? valueOf(only.name, this.#values) : null;
    if (only?.kind === 'placeholder' && Array.isArray(list)) {
      if (list.length === 0) return certainty(node.isNegated);
      if (node.operand.kind === 'tuple') refuse('UNFIT_VALUE', `${only.name} is a list where rows belong`);
      const type = this.#types.of(node.operand);
      const items = list.map((value) => this.#fitScalar(only.name, { value, type }));
      const filled = { ...node, operand: this.fill(node.operand), items };
      return isTextual(type) && items.some(isTextValue) ? this.#exactIn(filled, node) : filled;
    }
    if (!hasPlaceholder(node.operand) && !node.items.some(hasPlaceholder))
      return { ...node, operand: this.fill(node.operand), items: node.items.map((item) => this.fill(item)) };
    if (node.operand.kind === 'tuple') {
      const items = node.items.map((item) => this.#tuples(node.operand, item)[1]);
      return { ...node, operand: this.#tuples(node.operand, node.items[0] ?? node.operand)[0], items };
    }
    for (const item of node.items) this.#checks.classes([node.operand, item]);
    const pairs = node.items.map((item) => this.#pair(node.operand, item));
    const items = pairs.map(({ sides }) => sides[1]);
    const operand = this.#checks.sameForm(pairs.map(({ sides }) => sides[0]));
    const filled = { ...node, operand, items };
    return pairs.some(({ isText }) => isText) ? this.#exactIn(filled, node) : filled;
  }

  #exactIn(filled: NodeOf<'in'>, { operand, items }: NodeOf<'in'>): Expression {
    this.#checks.list(items);
    this.#checks.outerTexts([operand, ...items]);
    return exactComparison(filled, this.#dialect);
  }

  #between({ operand, low, high, ...node }: NodeOf<'between'>): Expression {
    for (const bound of [low, high]) {
      this.#checks.classes([operand, bound]);
      this.#checks.order([operand, bound]);
    }
    const type = this.#types.of(operand);
    const bounds = placeholderOf(operand) === null ? [] : [low, high];
    for (const bound of bounds) this.#fit(operand, this.#types.of(bound));
    const filled = this.#fit(operand, bounds.length > 0 ? this.#types.of(low) : null);
    return { ...node, operand: filled, low: this.#fit(low, type), high: this.#fit(high, type) };
  }

  #like({ operand, pattern, escape, ...node }: NodeOf<'like'>): Expression {
    return {
      ...node,
      operand: this.#fit(operand, TEXT),
      pattern: this.#fit(pattern, TEXT),
      escape: escape && this.#fit(escape, TEXT),
    };
  }

  /** A value may be the operand, or part of the rows of the query. */
  #besideQuery(node: NodeOf<'inQuery' | 'quantified'>): Expression {
    const query = this.#query(node.query);
    const items = itemsOf(node.query);
    const [item] = items;
    if (item === undefined || ![node.operand, ...items].some(hasPlaceholder))
      return { ...node, operand: this.fill(node.operand), query };
    if (node.operand.kind === 'tuple') {
      const [operand, row] = this.#tuples(node.operand, { kind: 'tuple', items });
      return { ...node, operand, query: withItems(query, row.kind === 'tuple' ? row.items : []) };
    }
    const compared = [node.operand, item] as const;
    const isEquality = node.kind === 'inQuery' || EXACT_OPERATORS.has(node.operator);
    this.#checks.classes(compared);
    if (!isEquality) this.#checks.order(compared);
    const [operand, value] = this.#pair(...compared).sides;
    if (!isEquality || !this.#checks.areTextual(compared) || [operand, value].some(isNumber))
      return { ...node, operand, query: withItems(query, [value]) };
    this.#checks.outerTexts(compared);
    const exact = exactQueryOperand(operand, this.#dialect);
    return { ...node, operand: exact, query: withItems(query, [exactQueryItem(value, this.#dialect)]) };
  }

  #query(query: Query): Query {
    return mapExpressions(query, (node) => this.#change(node));
  }

  #case({ operand, branches, otherwise }: NodeOf<'case'>): Expression {
    const conditions = branches.map(({ condition }) => condition);
    const results = branches.map(({ result }) => result);
    this.#checks.agreement(otherwise === null ? results : [...results, otherwise]);
    return {
      kind: 'case',
      operand: operand && this.#caseOperand(operand, conditions),
      branches: branches.map(({ condition, result }) => ({
        condition:
          operand === null ? this.#fit(condition, BOOLEAN) : this.#fit(condition, this.#types.of(operand)),
        result: this.fill(result),
      })),
      otherwise: otherwise && this.fill(otherwise),
    };
  }

  /** The operand of a CASE. On MySQL its comparisons of texts cannot be made exact. */
  #caseOperand(operand: Expression, conditions: readonly Expression[]): Expression {
    if (![operand, ...conditions].some(hasPlaceholder)) return this.fill(operand);
    for (const condition of conditions) {
      this.#checks.classes([operand, condition]);
      this.#fit(operand, this.#types.of(condition));
    }
    const isText = conditions.some((condition) => this.#checks.isOfText([operand, condition]));
    if (isText && this.#dialect === 'mysql')
      refuse('UNFIT_VALUE', 'a string is compared by CASE: write CASE WHEN column = value');
    return isText ? exactQueryOperand(this.fill(operand), this.#dialect) : this.fill(operand);
  }

  #checkCall({ form, arguments: items }: NodeOf<'call'>): void {
    if (form.form !== 'function' || !COMPARING_FUNCTIONS.has(form.name.toLowerCase())) return;
    const isConditional = /^(?:IF|IIF)$/i.test(form.name);
    const [condition, ...results] = items;
    if (isConditional && condition !== undefined) this.#fit(condition, BOOLEAN);
    this.#checks.agreement(isConditional ? results : items);
  }
}
