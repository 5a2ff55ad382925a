import type { ParamValue } from '@gatehouse/contract';
import type { Node, SelectStmt } from '@pgsql/types';
import type { Restriction, RestrictionRequest } from '../model.js';
import { indexCatalog, type TableName } from '../sql/catalogIndex.js';
import { reasonOf, Refusal, refused } from '../sql/denials.js';
import { rulesOf } from '../sql/matchRules.js';
import { checkTree } from './checkTree.js';
import { locateIn, parseSelect, positionOfByte } from './parser.js';
import { printSelect } from './printSelect.js';
import { qualifyBuiltIns } from './qualifyBuiltIns.js';
import type { RuleCompiler, TableRules } from './ruleConditions.js';
import { EMPTY_SCOPE } from './scopes.js';
import { StatementNames, type GovernedReference } from './statementNames.js';
import { tableKey, verifyPrinted } from './verifyPrinted.js';
import { ScopeWalker } from './walkScopes.js';

/** PostgreSQL's protocol counts the parameters of a statement in sixteen bits. */
const PARAMETERS_MAX = 65_535;

/** Restricts one statement. Every table in it is printed with its schema, and every governed one in a subquery of its own. */
export function restrictStatement(
  sql: string,
  request: RestrictionRequest,
  compiler: RuleCompiler,
): Restriction {
  const index = indexCatalog(request.catalog, request.dialect);
  const names = new StatementNames(request, index, (byte) => positionOfByte(sql, byte));
  try {
    const tree = parseSelect(sql, 'statement');
    locateIn(sql, () => {
      checkTree('SelectStmt', tree, 'statement');
      checkTop(tree);
      qualifyBuiltIns(tree);
      new ScopeWalker(names).walkSelect(tree, EMPTY_SCOPE);
    });
    const references = names.governed.map((reference) => ({
      ...reference,
      tableRules: compiler.compile(reference.table, reference.rules),
    }));
    const reasons = [...names.reasons, ...compiler.reasons];
    if (reasons.length > 0) return refused(reasons, names.trace);
    const conditions = references.map(({ tableRules, alias }) => compiler.describe(tableRules, alias));
    const inlineSql = print(tree, references, { request, compiler, parameters: null });
    const parameters: ParamValue[] = [];
    const parameterized = print(tree, references, { request, compiler, parameters });
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

/** The statement is read, not a list of values that stands alone. */
function checkTop(tree: SelectStmt): void {
  if (tree.valuesLists) throw new Refusal('NOT_A_SELECT', 'not a SELECT');
}

type Reference = GovernedReference & { tableRules: TableRules };

/**
 * Puts the conditions into the subqueries, prints the statement and proves what was printed.
 * @param parameters takes the values in the order of their numbers; null writes them as literals
 */
function print(
  tree: SelectStmt,
  references: readonly Reference[],
  to: { request: RestrictionRequest; compiler: RuleCompiler; parameters: ParamValue[] | null },
): string {
  const { parameters, request, compiler } = to;
  const conditions = new Map<string, Node[]>();
  for (const { subquery, table, tableRules } of references) {
    const condition = compiler.within(tableRules, parameters);
    Object.assign(subquery, restriction(subquery, { condition, tableRules, rowBarrier: request.rowBarrier }));
    const key = tableKey(table.schema, table.name);
    conditions.set(key, [...(conditions.get(key) ?? []), condition]);
  }
  if (parameters && parameters.length > PARAMETERS_MAX) {
    throw new Refusal('TOO_LARGE', `more than ${PARAMETERS_MAX} values`);
  }
  const text = printSelect(tree);
  verifyPrinted(text, tree, { conditions, isGoverned: isGovernedBy(request) });
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
  // A subquery with an OFFSET is not merged into the query around it, so nothing of that is evaluated before the condition.
  const barrier: Partial<SelectStmt> = by.rowBarrier
    ? { limitOffset: { A_Const: { ival: {} } }, limitOption: 'LIMIT_OPTION_COUNT' }
    : {};
  return { fromClause: aliased, whereClause: by.condition, ...barrier };
}

function isGovernedBy({ catalog, dialect, rules }: RestrictionRequest): (name: TableName) => boolean {
  const index = indexCatalog(catalog, dialect);
  return (name) => {
    const { table } = index.resolve(name, null);
    return table !== undefined && rulesOf(table, rules, dialect).length > 0;
  };
}
