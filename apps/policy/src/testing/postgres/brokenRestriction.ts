import type { Node } from '@pgsql/types';
import { parseSelect } from '../../sql/postgres/logic/parser.js';
import { printSelect } from '../../sql/postgres/logic/printSelect.js';
import { selectAllFrom, combine } from '../../sql/postgres/logic/trees.js';
import { parseRule } from '../../sql/postgres/logic/ruleExpression.js';
import { bindValues } from '../../sql/postgres/logic/bindValues.js';
import { indexCatalog } from '../../sql/logic/catalogIndex.js';
import { rulesOf } from '../../sql/logic/matchRules.js';
import { refused } from '../../sql/logic/denials.js';
import type { Restriction, RestrictionRequest } from '../../sql/logic/restriction.js';

/**
 * A restriction with a common mistake: it restricts only the tables of the outermost FROM. A sound comparison
 * must detect it.
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
  const index = indexCatalog(request.catalog ?? { schemas: [] }, request.dialect);
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
