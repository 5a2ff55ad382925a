import type { CompiledCondition, EntityReference } from '@gatehouse/contract';
import type { Restriction, RestrictionRequest } from '../model.js';
import { indexCatalog, type CatalogIndex } from '../sql/catalogIndex.js';
import { reasonOf, refused } from '../sql/denials.js';
import { isSchemaAllowed, rulesInDoubt, rulesOf } from '../sql/matchRules.js';
import { foldName } from '../sql/names.js';
import type { RuleCompiler } from './ruleConditions.js';
import { traceOf } from './statementNames.js';
import { isSystemSchema } from './tables.js';

/** The conditions of some tables, when there is no statement to put them into. */
export function restrictEntities(request: RestrictionRequest, compiler: RuleCompiler): Restriction {
  const { dialect, rules, allowedSchemas } = request;
  const index = indexCatalog(request.catalog, dialect);
  const conditions: CompiledCondition[] = [];
  const trace: Restriction['trace'] = [];
  const { reasons } = compiler;
  for (const entity of request.entities) {
    const resolved = resolveEntity(entity, request, index);
    const table = resolved.table ?? resolved.name;
    if (!isSchemaAllowed(table.schema, allowedSchemas)) {
      reasons.push(reasonOf('SCHEMA_NOT_ALLOWED', `the schema ${table.schema ?? '?'} may not be read`));
    }
    if (table.schema !== null && isSystemSchema(table.schema)) {
      reasons.push(reasonOf('SYSTEM_CATALOG', `${entity.table} is a system catalog`));
    }
    const [doubt] = rulesInDoubt(table, rules, dialect);
    if (doubt) {
      const message = `the columns of ${entity.table} are not in the catalog, and a rule might cover it`;
      reasons.push(reasonOf('UNKNOWN_TABLE', message, { rule: doubt.name }));
    }
    const covering = resolved.table ? rulesOf(resolved.table, rules, dialect) : [];
    trace.push(traceOf(table, covering));
    if (!resolved.table || covering.length === 0) continue;
    const tableRules = compiler.compile(resolved.table, covering);
    if (reasons.length > 0) continue;
    conditions.push(compiler.describe(tableRules, entity.alias ?? null));
  }
  if (reasons.length > 0) return refused(reasons, trace);
  return {
    status: 'not_requested',
    sql: null,
    parameters: [],
    inlineSql: null,
    conditions,
    reasons: [],
    trace,
  };
}

/** An entity's names may be the catalog's own or as they are written in SQL without quotes. */
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
