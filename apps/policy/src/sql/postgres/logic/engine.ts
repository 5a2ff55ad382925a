import type { ParamValue } from '@gatehouse/contract';
import type { Node, SelectStmt } from '@pgsql/types';
import type { Restriction, RestrictionRequest, SqlEngine } from '../../logic/restriction.js';
import type { TableName } from '../../logic/catalogIndex.js';
import { reasonOf, Refusal, refused } from '../../logic/denials.js';
import { TableJudge } from '../../logic/matchRules.js';
import { analyzeCondition } from './analyzeCondition.js';
import { bindValues } from './bindValues.js';
import { checkTree, qualifyBuiltIns } from './checkTree.js';
import { recall, RuleCompiler, type Memory, type TableRules } from './ruleConditions.js';
import { loadParser, locateIn, parseSelect, positionOfByte } from './parser.js';
import { printNode, printSelect } from './printSelect.js';
import { restrictEntities } from './restrictEntities.js';
import { parseRule, type RuleOrFault } from './ruleExpression.js';
import { EMPTY_SCOPE } from './scopes.js';
import { StatementNames, type GovernedReference } from './statementNames.js';
import { ExpectedConditions, verifyCondition, verifyPrinted } from './verifyPrinted.js';
import { ScopeWalker } from './walkScopes.js';

/** The PostgreSQL engine, based on PostgreSQL's own grammar. */
export async function createPostgresEngine(memory: Memory): Promise<SqlEngine> {
  await loadParser();
  const parse = (expression: string) => recall(memory.rules, expression, () => parseRule(expression));
  return {
    checkExpression: async (expression) => parse(expression).fault ?? null,
    analyzeExpression: async (expression) => {
      const rule = parse(expression);
      return rule.fault ? null : analyzeCondition(rule);
    },
    restrict: async (request) =>
      request.sql === null
        ? restrictEntities(request, new RuleCompiler(request, memory))
        : restrictStatement(request.sql, request, new RuleCompiler(request, memory)),
    printExpression: async (expression, values) => printRule(parse(expression), values),
  };
}

function printRule(rule: RuleOrFault, values: Readonly<Record<string, ParamValue>>): string | null {
  if (rule.fault) return null;
  try {
    const binding = { names: rule.names, values: new Map(Object.entries(values)), addParameter: null };
    const node = bindValues(rule.node, binding);
    const text = printNode(node);
    verifyCondition(text, node);
    return text;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** PostgreSQL's protocol has a 16-bit parameter count. */
const PARAMETERS_MAX = 65_535;

/**
 * Restricts one statement. Every table is printed with its schema, and every governed table in a subquery of
 * its own.
 */
function restrictStatement(sql: string, request: RestrictionRequest, compiler: RuleCompiler): Restriction {
  const { index, budget } = compiler;
  const judge = new TableJudge(request.rules, request.dialect, budget);
  const positionOf = (byte: number): number => positionOfByte(sql, byte);
  const names = new StatementNames(request, { index, judge, budget, positionOf });
  try {
    const tree = parseSelect(sql, 'statement');
    locateIn(sql, () => {
      checkTree('SelectStmt', tree, 'statement');
      checkTop(tree);
      qualifyBuiltIns(tree);
      new ScopeWalker(names, budget).walkSelect(tree, EMPTY_SCOPE);
    });
    const references = names.governed.map((reference) => ({
      ...reference,
      tableRules: compiler.compile(reference.table, reference.rules),
    }));
    const reasons = [...names.reasons, ...compiler.reasons];
    if (reasons.length > 0) return refused(reasons, names.trace);
    const conditions = references.map(({ tableRules, alias }) => compiler.describe(tableRules, alias));
    const inlineSql = print(tree, references, { request, compiler, judge, parameters: null });
    const parameters: ParamValue[] = [];
    const parameterized = print(tree, references, { request, compiler, judge, parameters });
    return {
      status: 'compiled',
      sql: parameterized,
      parameters,
      inlineSql,
      conditions,
      reasons: [],
      trace: names.trace,
    };
  } catch (error) {
    if (error instanceof RangeError) return refused([reasonOf('TOO_DEEP', 'nested too deeply')], names.trace);
    if (!(error instanceof Refusal)) throw error;
    return refused([error.reason], names.trace);
  }
}

/** Refuses a list of values as the whole statement. */
function checkTop(tree: SelectStmt): void {
  if (tree.valuesLists) throw new Refusal('NOT_A_SELECT', 'not a SELECT');
}

type Reference = GovernedReference & { tableRules: TableRules };

/**
 * Adds the conditions to the subqueries, prints the statement and verifies the printed text.
 * @param parameters receives the values in the order of their numbers; null writes them as literals
 */
function print(
  tree: SelectStmt,
  references: readonly Reference[],
  to: {
    request: RestrictionRequest;
    compiler: RuleCompiler;
    judge: TableJudge;
    parameters: ParamValue[] | null;
  },
): string {
  const { parameters, request, compiler } = to;
  const conditions = new ExpectedConditions();
  for (const { subquery, table, tableRules } of references) {
    const condition = compiler.within(tableRules, parameters);
    if (parameters && parameters.length > PARAMETERS_MAX) {
      throw new Refusal('TOO_LARGE', `more than ${PARAMETERS_MAX} values`);
    }
    Object.assign(subquery, restriction(subquery, { condition, tableRules, rowBarrier: request.rowBarrier }));
    conditions.add(table, condition);
  }
  const text = printSelect(tree);
  compiler.budget.spendPrinted(text.length);
  verifyPrinted(text, tree, { conditions, isGoverned: isGovernedBy(compiler, to.judge) });
  return text;
}

function restriction(
  { fromClause = [] }: SelectStmt,
  by: { condition: Node; tableRules: TableRules; rowBarrier: boolean },
): Partial<SelectStmt> {
  const { governedAlias } = by.tableRules;
  const aliased = fromClause.map((node) =>
    'RangeVar' in node && governedAlias !== null
      ? { RangeVar: { ...node.RangeVar, alias: { aliasname: governedAlias } } }
      : node,
  );
  // PostgreSQL does not merge a subquery with an OFFSET into the outer query, so no outer expression is
  // evaluated before the condition.
  const barrier: Partial<SelectStmt> = by.rowBarrier
    ? { limitOffset: { A_Const: { ival: {} } }, limitOption: 'LIMIT_OPTION_COUNT' }
    : {};
  return { fromClause: aliased, whereClause: by.condition, ...barrier };
}

function isGovernedBy({ index }: RuleCompiler, judge: TableJudge): (name: TableName) => boolean {
  return (name) => {
    const { table } = index.resolve(name, null);
    return table !== undefined && judge.judge(table).covering.length > 0;
  };
}
