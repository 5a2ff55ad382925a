import type { Node } from '@pgsql/types';
import { parseSelect } from '../logic/postgres/parser.js';
import { printSelect } from '../logic/postgres/printSelect.js';
import { selectAllFrom } from '../logic/postgres/nodes.js';
import { parseRule } from '../logic/postgres/ruleExpression.js';
import { bindValues } from '../logic/postgres/bindValues.js';
import { indexCatalog } from '../logic/sql/catalogIndex.js';
import { rulesOf } from '../logic/sql/matchRules.js';
import { combine } from '../logic/postgres/nodes.js';
import { refused } from '../logic/sql/denials.js';
import type { Restriction, RestrictionRequest } from '../logic/model.js';

/**
 * A restriction with the commonest of mistakes: it looks at the tables of the outermost FROM alone. A comparison that is worth
 * anything finds it out.
 */
export async function restrictOutermostOnly(request: RestrictionRequest): Promise<Restriction> {
  const tree = parseSelect(request.sql ?? '', 'statement');
  const restricted = (tree.fromClause ?? []).map((node) => restrictTable(node, request));
  if (tree.fromClause) tree.fromClause = restricted;
  const sql = printSelect(tree);
  return { ...refused([]), status: 'compiled', sql, inlineSql: sql };
}

function restrictTable(node: Node, request: RestrictionRequest): Node {
  if (!('RangeVar' in node)) return node;
  const { alias, ...range } = node.RangeVar;
  const index = indexCatalog(request.catalog, request.dialect);
  const name = { database: null, schema: range.schemaname ?? null, table: range.relname ?? '' };
  const { table } = index.resolve(name, null);
  const rules = table ? rulesOf(table, request.rules, request.dialect) : [];
  if (rules.length === 0) return node;
  const conditions = rules.flatMap((rule) => {
    const parsed = parseRule(rule.expression);
    if (parsed.fault) return [];
    const values = new Map(Object.entries(rule.values).map(([key, { value }]) => [key, value]));
    return [bindValues(parsed.node, { names: parsed.names, values, addParameter: null })];
  });
  const subquery = { ...selectAllFrom({ RangeVar: range }), whereClause: combine('AND_EXPR', conditions) };
  return {
    RangeSubselect: {
      subquery: { SelectStmt: subquery },
      alias: alias ?? { aliasname: range.relname ?? '' },
    },
  };
}
