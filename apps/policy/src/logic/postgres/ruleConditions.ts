import type { CompiledCondition, CompiledReason, ParamValue } from '@gatehouse/contract';
import type { Node } from '@pgsql/types';
import type { ResolvedRule, RestrictionRequest } from '../model.js';
import { indexCatalog, type CatalogIndex, type KnownTable } from '../sql/catalogIndex.js';
import { reasonOf, Refusal } from '../sql/denials.js';
import { bindValues, type ValueBinding } from './bindValues.js';
import { compileRule, nameGoverned, type CompiledRule } from './compileRule.js';
import { recall, type Kept } from './memory.js';
import { combine } from './nodes.js';
import { printNode } from './printSelect.js';
import { parseRule, type RuleOrFault } from './ruleExpression.js';
import { verifyCondition } from './verifyPrinted.js';

/** What a table's rules come to. */
export interface TableRules {
  /** Everything that it was made of, as a text. */
  key: string;
  table: KnownTable;
  compiled: readonly BoundRule[];
  /** What the governed table is called within its subquery; null leaves it its own name. */
  governedAlias: string | null;
  /** The condition within that subquery with the values as literals, and rule by rule with the placeholders. */
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

/** What is kept from one statement to the next. */
export interface Memory {
  rules: Kept<RuleOrFault>;
  /** The rules of a table, bound to it with their values. */
  tables: Kept<TableRules>;
  /** Conditions as they are printed and proven. */
  conditions: Kept<string>;
  /** Conditions with parameters, which are numbered from where the ones before them end. */
  parameterized: Kept<Parameterized>;
}

interface Parameterized {
  node: Node;
  /** In the order of their numbers. */
  values: readonly ParamValue[];
}

/** The rules of the tables of one request, each bound to its table once. */
export class RuleCompiler {
  readonly reasons: CompiledReason[] = [];
  private readonly index: CatalogIndex;
  private readonly tables = new Map<KnownTable, TableRules>();
  private readonly ruleKeys = new Map<ResolvedRule, string>();

  constructor(
    private readonly request: RestrictionRequest,
    private readonly memory: Memory,
  ) {
    this.index = indexCatalog(request.catalog, request.dialect);
  }

  /** The rules that cover a table. Those that cannot be compiled or lack a value leave a reason. */
  compile(table: KnownTable, rules: readonly ResolvedRule[]): TableRules {
    const known = this.tables.get(table);
    if (known) return known;
    const { database, schema, name } = table;
    const place = JSON.stringify([this.index.number, this.request.pinnedSchema, database, schema, name]);
    const key = `${place}${rules.map((rule) => this.keyOf(rule)).join('')}`;
    const tableRules = this.memory.tables.get(key) ?? this.compileAll(key, table, rules);
    this.tables.set(table, tableRules);
    return tableRules;
  }

  /** A table's condition as it is shown, where the table goes by an alias or by its own name: printed, and proven. */
  describe(tableRules: TableRules, alias: string | null): CompiledCondition {
    const { key, table, compiled } = tableRules;
    const expression = recall(this.memory.conditions, `${JSON.stringify(alias)} ${key}`, () => {
      const node = conditionOutside(tableRules, alias);
      const text = printNode(node);
      verifyCondition(text, node);
      return text;
    });
    const rules = compiled.map(({ rule }) => rule.name);
    return { table: table.name, alias, schema: table.schema, expression, rules };
  }

  /**
   * The condition of a table within the subquery that restricts it. Every column is written with its table: a bare one that
   * the table turned out to lack would be looked for in the queries around it, and found there.
   * @param parameters takes the values in the order of their numbers; null writes them as literals
   */
  within(tableRules: TableRules, parameters: ParamValue[] | null): Node {
    if (parameters === null) return tableRules.literalWithin;
    const first = parameters.length;
    const { node, values } = recall(this.memory.parameterized, `${first} ${tableRules.key}`, () =>
      parameterize(tableRules, first),
    );
    for (const value of values) parameters.push(value);
    return node;
  }

  private keyOf(rule: ResolvedRule): string {
    const known = this.ruleKeys.get(rule) ?? JSON.stringify(rule);
    this.ruleKeys.set(rule, known);
    return known;
  }

  private compileAll(key: string, table: KnownTable, rules: readonly ResolvedRule[]): TableRules {
    const reasonsBefore = this.reasons.length;
    const compiled = rules.flatMap((rule) => this.compileOne(table, rule) ?? []);
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
    // The reasons are found anew for each request.
    if (this.reasons.length === reasonsBefore) this.memory.tables.set(key, tableRules);
    return tableRules;
  }

  private compileOne(table: KnownTable, rule: ResolvedRule): BoundRule | null {
    try {
      const parsed = recall(this.memory.rules, rule.expression, () => parseRule(rule.expression));
      if (parsed.fault) throw new Refusal('RULE_NOT_COMPILED', parsed.fault.message);
      const compiled = compileRule(parsed, table, {
        index: this.index,
        pinnedSchema: this.request.pinnedSchema,
      });
      const values = new Map(Object.entries(rule.values).map(([name, { value }]) => [name, value]));
      const missing = parsed.names.filter((name) => !values.has(name));
      for (const name of new Set([...rule.missing, ...missing])) {
        this.reasons.push(
          reasonOf('MISSING_VALUE', `the placeholder ${name} has no value`, { rule: rule.name }),
        );
      }
      if (missing.length > 0 || rule.missing.length > 0) return null;
      const literal = bindValues(compiled.node, { names: compiled.names, values, addParameter: null });
      return { rule, compiled, values, literal };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const code = error.reason.code === 'UNFIT_VALUE' ? 'UNFIT_VALUE' : 'RULE_NOT_COMPILED';
      const message = `on the table ${table.name}: ${error.reason.message}`;
      this.reasons.push(reasonOf(code, message, { rule: rule.name }));
      return null;
    }
  }
}

/** The rules of a table with parameters, as many of which as `before` are taken already. */
function parameterize({ openWithin }: TableRules, before: number): Parameterized {
  const values: ParamValue[] = [];
  const addParameter = (value: ParamValue): number => before + values.push(value);
  const bound = openWithin.map((rule) => bindValues(rule.node, { ...rule, addParameter }));
  return { node: combine('AND_EXPR', bound), values };
}

/** The condition of a table as it would be written where the table goes by an alias, or by its own name. */
function conditionOutside({ table, compiled }: TableRules, alias: string | null): Node {
  const taken = new Set(compiled.flatMap((entry) => [...entry.compiled.innerNames]));
  const within = alias ?? table.name;
  const names = { top: alias, within: taken.has(within) ? freeName(taken) : within };
  return combine(
    'AND_EXPR',
    compiled.map(({ literal }) => nameGoverned(literal, names)),
  );
}

function freeName(taken: ReadonlySet<string>): string {
  let name = 'governed';
  for (let number = 1; taken.has(name); number += 1) name = `governed_${number}`;
  return name;
}
