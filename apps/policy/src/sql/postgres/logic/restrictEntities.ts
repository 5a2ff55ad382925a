import type { CompiledCondition, EntityReference } from '@gatehouse/contract';
import type { Restriction, RestrictionRequest } from '../../logic/restriction.js';
import type { CatalogIndex } from '../../logic/catalogIndex.js';
import { reasonOf, Refusal, refused } from '../../logic/denials.js';
import { describeDoubt, TableJudge } from '../../logic/matchRules.js';
import { foldName } from '../../logic/names.js';
import { findHidingRule, type RuleCompiler } from './ruleConditions.js';
import { traceOf } from './statementNames.js';
import { isSystemSchema } from './trees.js';

/** The conditions of tables, if there is no statement. */
export function restrictEntities(request: RestrictionRequest, compiler: RuleCompiler): Restriction {
  try {
    return describeEntities(request, compiler);
  } catch (error) {
    if (error instanceof Refusal) return refused([error.reason]);
    throw error;
  }
}

function describeEntities(request: RestrictionRequest, compiler: RuleCompiler): Restriction {
  const { dialect, isGoverned, rules, allowedSchemas } = request;
  const judge = new TableJudge(rules, dialect, compiler.budget);
  const { index } = compiler;
  const conditions: CompiledCondition[] = [];
  const trace: Restriction['trace'] = [];
  const { reasons } = compiler;
  for (const entity of request.entities) {
    const resolved = resolveEntity(entity, request, index);
    const table = resolved.table ?? resolved.name;
    const forbidden = judge.describeForbiddenSchema(entity.table, table, allowedSchemas);
    if (forbidden !== null) reasons.push(reasonOf('SCHEMA_NOT_ALLOWED', forbidden));
    if (table.schema !== null && isSystemSchema(table.schema)) {
      reasons.push(reasonOf('SYSTEM_CATALOG', `${entity.table} is a system catalog`));
    }
    const { covering, doubts } = judge.judge(table);
    const [doubt] = doubts;
    if (doubt || (isGoverned && !resolved.table)) {
      const message = describeDoubt(entity.table, resolved.table);
      reasons.push(reasonOf('UNKNOWN_TABLE', message, doubt && { rule: doubt.name }));
    }
    const entry = traceOf(table, covering);
    compiler.budget.spendPrinted(entry.name.length + entry.why.length);
    trace.push(entry);
    if (!resolved.table || covering.length === 0) continue;
    const tableRules = compiler.compile(resolved.table, covering);
    if (reasons.length > 0) continue;
    const { alias = null, table: written } = entity;
    const name = alias ?? resolved.table.name;
    const hiding = findHidingRule(tableRules, name);
    if (hiding) {
      const message = `on the table ${written}: a subquery has another table of the name ${name}`;
      reasons.push(reasonOf('RULE_NOT_COMPILED', message, { rule: hiding.name }));
    } else conditions.push(compiler.describe(tableRules, alias));
  }
  if (reasons.length > 0) return refused(reasons, trace);
  return {
    status: 'conditions_only',
    sql: null,
    parameters: [],
    inlineSql: null,
    conditions,
    reasons: [],
    trace,
  };
}

/** The names of an entity may be spelled as in the catalog, or as unquoted names in SQL. */
function resolveEntity(
  entity: EntityReference,
  { dialect, pinnedSchema }: RestrictionRequest,
  index: CatalogIndex,
): ReturnType<CatalogIndex['resolve']> {
  const { table } = entity;
  const schema = entity.schema ?? null;
  const database = entity.database ?? null;
  const exact = index.resolve({ database, schema, table }, pinnedSchema);
  if (exact.table) return exact;
  const fold = (name: string | null) => (name === null ? null : foldName(name, dialect));
  const folded = index.resolve(
    { database: fold(database), schema: fold(schema), table: foldName(table, dialect) },
    pinnedSchema,
  );
  return folded.table ? folded : exact;
}
