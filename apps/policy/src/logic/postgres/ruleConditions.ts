import type { CompiledReason, ParamValue } from '@gatehouse/contract';
import type { Node } from '@pgsql/types';
import type { ResolvedRule, RestrictionRequest } from '../model.js';
import type { CatalogIndex, KnownTable } from '../sql/catalogIndex.js';
import { reasonOf, Refusal } from '../sql/denials.js';
import { bindValues } from './bindValues.js';
import { compileRule, nameGoverned, type CompiledRule } from './compileRule.js';
import { combine } from './nodes.js';
import type { RuleOrFault } from './ruleExpression.js';

/** What a table's rules come to. */
export interface TableRules {
  table: KnownTable;
  compiled: readonly {
    rule: ResolvedRule;
    compiled: CompiledRule;
    values: ReadonlyMap<string, ParamValue>;
    /** The rule with its values as literals. */
    literal: Node;
  }[];
  /** What the governed table is called within its subquery; null leaves it its own name. */
  governedAlias: string | null;
}

/** The rules of the tables of one request, each bound to its table once. */
export class RuleCompiler {
  readonly reasons: CompiledReason[] = [];
  private readonly tables = new Map<KnownTable, TableRules>();

  constructor(
    private readonly request: RestrictionRequest,
    private readonly index: CatalogIndex,
    private readonly parse: (expression: string) => RuleOrFault,
  ) {}

  /** The rules that cover a table. Those that cannot be compiled or lack a value leave a reason. */
  compile(table: KnownTable, rules: readonly ResolvedRule[]): TableRules {
    const known = this.tables.get(table);
    if (known) return known;
    const compiled = rules.flatMap((rule) => this.compileOne(table, rule) ?? []);
    const correlated = compiled.filter((entry) => entry.compiled.isCorrelated);
    const taken = new Set(correlated.flatMap((entry) => [...entry.compiled.innerNames]));
    const tableRules = { table, compiled, governedAlias: taken.has(table.name) ? freeName(taken) : null };
    this.tables.set(table, tableRules);
    return tableRules;
  }

  private compileOne(table: KnownTable, rule: ResolvedRule): TableRules['compiled'][number] | null {
    try {
      const parsed = this.parse(rule.expression);
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

/**
 * The condition of a table within the subquery that restricts it. Every column is written with its table: a bare one that the
 * table turned out to lack would be looked for in the queries around it, and found there.
 */
export function conditionWithin(
  rules: TableRules,
  addParameter: ((value: ParamValue) => number) | null,
): Node {
  const { governedAlias, table } = rules;
  const name = governedAlias ?? table.name;
  return bindAll(rules, { top: name, within: name }, addParameter);
}

/** The condition of a table as it would be written where the table goes by an alias, or by its own name. */
export function conditionOutside(rules: TableRules, alias: string | null): Node {
  const taken = new Set(rules.compiled.flatMap((entry) => [...entry.compiled.innerNames]));
  const within = alias ?? rules.table.name;
  const names = { top: alias, within: taken.has(within) ? freeName(taken) : within };
  return bindAll(rules, names, null);
}

function bindAll(
  rules: TableRules,
  names: { top: string | null; within: string },
  addParameter: ((value: ParamValue) => number) | null,
): Node {
  const conditions = rules.compiled.map(({ compiled, values, literal }) => {
    if (addParameter === null) return nameGoverned(literal, names);
    return bindValues(nameGoverned(compiled.node, names), { names: compiled.names, values, addParameter });
  });
  return combine('AND_EXPR', conditions);
}

function freeName(taken: ReadonlySet<string>): string {
  let name = 'governed';
  for (let number = 1; taken.has(name); number += 1) name = `governed_${number}`;
  return name;
}
