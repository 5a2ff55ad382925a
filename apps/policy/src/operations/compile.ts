import type { Compiled, EntityReference, Preview } from '@gatehouse/contract';
import { count } from '@gatehouse/service';
import type { ResolvedRule, Restriction } from '../logic/model.js';
import type { Policy } from '../policy.js';
import { toPolicyConnection } from './connections.js';
import { orUnavailable } from './definitionChecks.js';
import type { Resolution } from './resolution.js';

/** The statement, or the tables, that policies are compiled for; neither when nothing is. */
export interface CompileRequest {
  sql?: string | undefined;
  referencedEntities?: EntityReference[] | undefined;
}

const nothing = (status: Compiled['status'], reasons: Compiled['reasons']): Restriction => {
  return { status, sql: null, parameters: [], inlineSql: null, conditions: [], reasons, trace: [] };
};

/** Counts how a restriction ended. */
function counted(restriction: Restriction): Restriction {
  count('decisions', { decision: 'sql_restriction', outcome: restriction.status });
  return restriction;
}

/**
 * Restricts a statement by the rules of a resolution. A resolution that was refused compiles to nothing. Throws
 * UNAVAILABLE when the engine is gone or takes too long.
 */
export async function restrict(
  policy: Pick<Policy, 'engineOf'>,
  { described, resolved }: Omit<Resolution, 'actor'>,
  { sql, referencedEntities }: CompileRequest,
): Promise<Restriction> {
  const { refusals, rules, sls } = resolved;
  if (sql === undefined && referencedEntities === undefined) return nothing('not_requested', refusals);
  if (refusals.length > 0) return counted(nothing('denied', refusals));
  const { dialect, rowBarrier } = described.connection;
  const request = {
    dialect,
    sql: sql ?? null,
    entities: sql === undefined ? (referencedEntities ?? []) : [],
    catalog: described.catalog,
    pinnedSchema: sls?.schema ?? null,
    allowedSchemas: sls?.allowedSchemas ?? null,
    rules,
    rowBarrier,
  };
  return counted(await orUnavailable(policy.engineOf(dialect).restrict(request)));
}

async function describeRule(
  policy: Pick<Policy, 'engineOf'>,
  rule: ResolvedRule,
  dialect: Compiled['dialect'],
): Promise<Preview['rls']['rules'][number]> {
  const { name, definitionId, assignmentId, source, matcher, expression, values, missing } = rule;
  const params = Object.fromEntries(Object.entries(values).map(([key, { value }]) => [key, value]));
  const printed =
    missing.length > 0
      ? null
      : orUnavailable(policy.engineOf(dialect).printExpression(expression, params, dialect));
  return {
    name,
    definitionId,
    assignmentId,
    source,
    matcher,
    expression,
    resolvedExpression: await printed,
    params,
  };
}

/** What a preview answers. Secret values are `***` in it, and no rule takes one. */
export async function makePreview(
  policy: Pick<Policy, 'engineOf'>,
  resolution: Resolution,
  request: CompileRequest,
): Promise<Preview> {
  const { actor, described, resolved } = resolution;
  const { dialect } = described.connection;
  const [{ trace, ...compiled }, rules] = await Promise.all([
    restrict(policy, resolution, request),
    Promise.all(resolved.rules.map((rule) => describeRule(policy, rule, dialect))),
  ]);
  const { kind, id, name, email, tenantId, role } = actor;
  return {
    actor: { kind, id, name, email, tenantId, role },
    connection: toPolicyConnection(described.connection),
    assignments: resolved.assignments,
    cls: resolved.cls,
    sls: resolved.sls,
    rls: { rules },
    compiled: { ...compiled, dialect },
    trace: [...resolved.trace, ...trace],
  };
}
