import type { CompiledCondition, CompiledReason, ParamValue } from '@gatehouse/contract';
import type { Node } from '@pgsql/types';
import type { ResolvedRule, RestrictionRequest } from '../../logic/restriction.js';
import type { IndexCatalog, KnownTable, NumberedIndex } from '../../logic/catalogIndex.js';
import { Budget, REASONS_MAX } from '../../logic/bounds.js';
import { reasonOf, Refusal } from '../../logic/denials.js';
import { bindValues, type ValueBinding, checkValues } from './bindValues.js';
import { compileRule, nameGoverned, type CompiledRule } from './compileRule.js';
import { combine } from './trees.js';
import { printNode } from './printSelect.js';
import { parseRule, type RuleOrFault } from './ruleExpression.js';
import { verifyCondition } from './verifyPrinted.js';

/** A cache. Cached values are shared, so they must not change. */
export interface Kept<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/** The cached value of a key. The key must contain everything that the value depends on. */
export function recall<V>(kept: Kept<V>, key: string, make: () => V): V {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  kept.set(key, made);
  return made;
}

/** The compiled rules of a table. */
export interface TableRules {
  /** The cache key: all inputs of the compilation as text. */
  key: string;
  table: KnownTable;
  compiled: readonly BoundRule[];
  /** The alias of the governed table within its subquery; null keeps its own name. */
  governedAlias: string | null;
  /** The condition within that subquery: with the values as literals, and rule by rule with placeholders. */
  literalWithin: Node;
  openWithin: readonly (Omit<ValueBinding, 'addParameter'> & { node: Node })[];
}

interface BoundRule {
  rule: ResolvedRule;
  compiled: CompiledRule;
  values: ReadonlyMap<string, ParamValue>;
  /** The rule with its values as literals. */
  literal: Node;
}

/** The caches that are shared by statements. */
export interface Memory {
  indexCatalog: IndexCatalog;
  rules: Kept<RuleOrFault>;
  /** The rules of a table, bound with their values. */
  tables: Kept<TableRules>;
  /** Printed and verified conditions. */
  conditions: Kept<string>;
  /** Conditions with parameters. Their numbers continue those of earlier parameters. */
  parameterized: Kept<Parameterized>;
}

interface Parameterized {
  node: Node;
  /** In the order of their numbers. */
  values: readonly ParamValue[];
}

/** Compiles the rules of the tables of one request, once for each table. */
export class RuleCompiler {
  readonly reasons: CompiledReason[] = [];
  readonly budget = new Budget();
  /** The catalog of the request. */
  readonly index: NumberedIndex;
  readonly #tables = new Map<KnownTable, TableRules>();
  readonly #ruleKeys = new Map<ResolvedRule, string>();

  readonly #request: RestrictionRequest;
  readonly #memory: Memory;

  constructor(request: RestrictionRequest, memory: Memory) {
    this.#request = request;
    this.#memory = memory;
    this.index = memory.indexCatalog(request.catalog, request.dialect);
  }

  /** Compiles the rules that cover a table. A rule that cannot be compiled or lacks a value adds a reason. */
  compile(table: KnownTable, rules: readonly ResolvedRule[]): TableRules {
    const known = this.#tables.get(table);
    if (known) return known;
    const { database, schema, name } = table;
    const place = JSON.stringify([this.index.number, this.#request.pinnedSchema, database, schema, name]);
    const key = `${place}${rules.map((rule) => this.#keyOf(rule)).join('')}`;
    this.budget.spendCharacters(key.length);
    const tableRules = this.#memory.tables.get(key) ?? this.#compileAll(key, table, rules);
    this.#tables.set(table, tableRules);
    return tableRules;
  }

  /** The condition of a table for the response, under an alias or its own name, printed and verified. */
  describe(tableRules: TableRules, alias: string | null): CompiledCondition {
    const { key, table, compiled } = tableRules;
    this.budget.spendCharacters(key.length);
    const expression = recall(this.#memory.conditions, `${JSON.stringify(alias)} ${key}`, () => {
      const node = conditionOutside(tableRules, alias);
      const text = printNode(node);
      verifyCondition(text, node);
      return text;
    });
    const rules = compiled.map(({ rule }) => rule.name);
    this.budget.spendPrinted(rules.reduce((sum, name) => sum + name.length, expression.length));
    return { table: table.name, alias, schema: table.schema, expression, rules };
  }

  /**
   * The condition of a table within the subquery that restricts it. Every column is qualified: an unqualified
   * column that the table turns out to lack would resolve to an outer query.
   * @param parameters receives the values in the order of their numbers; null writes them as literals
   */
  within(tableRules: TableRules, parameters: ParamValue[] | null): Node {
    if (parameters === null) return tableRules.literalWithin;
    const first = parameters.length;
    this.budget.spendCharacters(tableRules.key.length);
    const { node, values } = recall(this.#memory.parameterized, `${first} ${tableRules.key}`, () =>
      parameterize(tableRules, first),
    );
    for (const value of values) parameters.push(value);
    return node;
  }

  #keyOf(rule: ResolvedRule): string {
    const known = this.#ruleKeys.get(rule) ?? JSON.stringify(rule);
    this.#ruleKeys.set(rule, known);
    return known;
  }

  #compileAll(key: string, table: KnownTable, rules: readonly ResolvedRule[]): TableRules {
    const compiled = rules.flatMap((rule) => this.#compileOne(table, rule) ?? []);
    const correlated = compiled.filter((entry) => entry.compiled.isCorrelated);
    const taken = new Set(correlated.flatMap((entry) => [...entry.compiled.innerNames]));
    const governedAlias = taken.has(table.name) ? freeName(taken) : null;
    const name = governedAlias ?? table.name;
    const named = (node: Node): Node => nameGoverned(node, { top: name, within: name });
    const literalWithin = combine(
      'AND_EXPR',
      compiled.map(({ literal }) => named(literal)),
    );
    const openWithin = compiled.map(({ compiled: { node, names }, values }) => {
      return { node: named(node), names, values };
    });
    const tableRules = { key, table, compiled, governedAlias, literalWithin, openWithin };
    // Reasons are not cached, so they are added for each request.
    if (compiled.length === rules.length) this.#memory.tables.set(key, tableRules);
    return tableRules;
  }

  #compileOne(table: KnownTable, rule: ResolvedRule): BoundRule | null {
    try {
      const parsed = recall(this.#memory.rules, rule.expression, () => parseRule(rule.expression));
      if (parsed.fault) throw new Refusal('RULE_NOT_COMPILED', parsed.fault.message);
      const compiled = compileRule(parsed, table, {
        index: this.index,
        pinnedSchema: this.#request.pinnedSchema,
        budget: this.budget,
      });
      const values = new Map(Object.entries(rule.values).map(([name, { value }]) => [name, value]));
      const missing = parsed.names.filter((name) => !values.has(name));
      for (const name of new Set([...rule.missing, ...missing])) {
        this.#addReason(
          reasonOf('MISSING_VALUE', `the placeholder ${name} has no value`, { rule: rule.name }),
        );
      }
      if (missing.length > 0 || rule.missing.length > 0) return null;
      checkValues(compiled.node, { names: compiled.names, values, types: compiled.types });
      const literal = bindValues(compiled.node, { names: compiled.names, values, addParameter: null });
      return { rule, compiled, values, literal };
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason.code === 'TOO_LARGE') throw error;
      const code = error.reason.code === 'UNFIT_VALUE' ? 'UNFIT_VALUE' : 'RULE_NOT_COMPILED';
      const message = `on the table ${table.name}: ${error.reason.message}`;
      this.#addReason(reasonOf(code, message, { rule: rule.name }));
      return null;
    }
  }

  #addReason(reason: CompiledReason): void {
    if (this.reasons.length < REASONS_MAX) this.reasons.push(reason);
  }
}

/** The rules of a table with parameters, numbered after `before` earlier ones. */
function parameterize({ openWithin }: TableRules, before: number): Parameterized {
  const values: ParamValue[] = [];
  const addParameter = (value: ParamValue): number => before + values.push(value);
  const bound = openWithin.map((rule) => bindValues(rule.node, { ...rule, addParameter }));
  return { node: combine('AND_EXPR', bound), values };
}

/** The condition of a table for use outside its subquery, under an alias or its own name. */
function conditionOutside({ table, compiled }: TableRules, alias: string | null): Node {
  const taken = new Set(compiled.flatMap((entry) => [...entry.compiled.innerNames]));
  const within = alias ?? table.name;
  const names = { top: within, within: taken.has(within) ? freeName(taken) : within };
  return combine(
    'AND_EXPR',
    compiled.map(({ literal }) => nameGoverned(literal, names)),
  );
}

/** A rule with a subquery in which the name stands for another table, so that it cannot name this one. */
export function findHidingRule({ compiled }: TableRules, name: string): ResolvedRule | undefined {
  return compiled.find((entry) => entry.compiled.innerNames.has(name))?.rule;
}

function freeName(taken: ReadonlySet<string>): string {
  let name = 'governed';
  for (let number = 1; taken.has(name); number += 1) name = `governed_${number}`;
  return name;
}
