import { isDeepStrictEqual } from 'node:util';
import type { Compiled, EntityReference, Preview, DiffSide } from '@gatehouse/contract';
import { count, retryOnConflict, WriteConflict, type CallContext } from '@gatehouse/service';
import type { ResolvedRule, Restriction, Unrestricted } from '../sql/logic/restriction.js';
import { getActorFacts } from '../actors/findActors.js';
import type { Dependencies, Result, Input } from '../dependencies.js';
import { toPolicyConnection } from '../connections/findConnections.js';
import { type Resolution, resolveFor } from './resolveForActor.js';
import { diffPreviews } from './logic/diffPreviews.js';
import { requireProjectAdmin } from '../admission/refusals.js';

/** The statement or the tables to compile policies for. Neither is set if nothing is to be compiled. */
export interface CompileRequest {
  sql?: string | undefined;
  referencedEntities?: EntityReference[] | undefined;
}

const nothing = (status: Unrestricted['status'], reasons: Compiled['reasons']): Restriction => {
  return { status, sql: null, parameters: [], inlineSql: null, conditions: [], reasons, trace: [] };
};

/** Counts the outcome of a restriction. */
function counted(restriction: Restriction): Restriction {
  count('decisions', { decision: 'sql_restriction', outcome: restriction.status });
  return restriction;
}

/**
 * Restricts a statement by the rules of a resolution. A refused resolution compiles to nothing.
 * @throws UNAVAILABLE if the engine fails or times out
 */
export async function restrict(
  deps: Pick<Dependencies, 'engineOf'>,
  { described, resolved }: Pick<Resolution, 'described' | 'resolved'>,
  { sql, referencedEntities }: CompileRequest,
): Promise<Restriction> {
  const { refusals, rules, sls, isGoverned } = resolved;
  if (sql === undefined && referencedEntities === undefined) return nothing('not_requested', refusals);
  if (refusals.length > 0) return counted(nothing('denied', refusals));
  const { dialect, rowBarrier } = described.connection;
  const request = {
    dialect,
    sql: sql ?? null,
    entities: sql === undefined ? (referencedEntities ?? []) : [],
    catalog: described.catalog,
    isGoverned,
    pinnedSchema: sls?.schema ?? null,
    allowedSchemas: sls?.allowedSchemas ?? null,
    rules,
    rowBarrier,
  };
  return counted(await deps.engineOf(described.organizationId).restrict(request));
}

async function describeRule(
  deps: Pick<Dependencies, 'engineOf'>,
  rule: ResolvedRule,
  { organizationId, connection: { dialect } }: Resolution['described'],
): Promise<Preview['rls']['rules'][number]> {
  const { name, definitionId, assignmentId, source, matcher, expression, values, missing } = rule;
  const params = Object.fromEntries(Object.entries(values).map(([key, { value }]) => [key, value]));
  const printed =
    missing.length > 0 ? null : deps.engineOf(organizationId).printExpression(expression, params, dialect);
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

/** The most rules that are sent to the compiler together. */
const RULES_PER_STEP = 100;

async function describeRules(
  deps: Pick<Dependencies, 'engineOf'>,
  { described, resolved: { rules }, budget }: Omit<Resolution, 'actor'>,
): Promise<Preview['rls']['rules']> {
  const found: Preview['rls']['rules'] = [];
  for (let start = 0; start < rules.length; start += RULES_PER_STEP) {
    const records = rules.slice(start, start + RULES_PER_STEP).map(async (rule) => {
      const record = await describeRule(deps, rule, described);
      budget.count(record.resolvedExpression);
      return record;
    });
    found.push(...(await Promise.all(records)));
  }
  return found;
}

/**
 * Compiles a preview. Secret values are shown as `***`, and no rule receives one.
 * @throws {TooLarge} if the preview is larger than its budget
 */
export async function makePreview(
  deps: Pick<Dependencies, 'engineOf'>,
  resolution: Resolution,
  request: CompileRequest,
): Promise<Preview> {
  const { actor, described, resolved, budget } = resolution;
  const { dialect } = described.connection;
  const [{ trace, ...compiled }, rules] = await Promise.all([
    restrict(deps, resolution, request),
    describeRules(deps, resolution),
  ]);
  budget.count([trace, compiled]);
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

/** Resolves and compiles the policies of an actor without writing anything. */
export async function previewPolicies(
  deps: Dependencies,
  { projectId, connectionId, sql, referencedEntities, actor, ...options }: Input<'previews', 'preview'>,
  context: CallContext,
): Result<'previews', 'preview'> {
  await requireProjectAdmin(deps, projectId, context);
  const target = { projectId, connectionId };
  const findActor = () => getActorFacts(deps, { actor, path: 'actor.' }, context);
  const resolution = await resolveFor(deps, { target, findActor, options, path: '' }, context);
  return { ok: true, data: await makePreview(deps, resolution, { sql, referencedEntities }) };
}

type Side = 'before' | 'after';

/** Resolves the policies of one side of a comparison. */
function resolveSide(
  deps: Dependencies,
  { input, name }: { input: Input<'previews', 'diff'>; name: Side },
  context: CallContext,
): Promise<Resolution> {
  const { projectId, connectionId, actor } = input;
  const { actor: sideActor, ...options }: DiffSide = input[name];
  const named =
    sideActor === undefined ? { actor, path: 'actor.' } : { actor: sideActor, path: `${name}.actor.` };
  const sideInput = {
    target: { projectId, connectionId },
    findActor: () => getActorFacts(deps, named, context),
    options,
    path: `${name}.`,
  };
  return resolveFor(deps, sideInput, context);
}

/**
 * Resolves both sides of a comparison as they were at one moment. The sides read different records, so a
 * change between their reads would appear as a difference. What two successive reads found was there in
 * between, while the other side was read.
 */
async function resolveSides(
  deps: Dependencies,
  input: Input<'previews', 'diff'>,
  context: CallContext,
): Promise<Record<Side, Resolution>> {
  const read = async () => {
    const [before, after] = await Promise.all([
      resolveSide(deps, { input, name: 'before' }, context),
      resolveSide(deps, { input, name: 'after' }, context),
    ]);
    return { before, after };
  };
  const factsOf = ({ before, after }: Record<Side, Resolution>) =>
    [before, after].map(({ actor, described: { connection }, resolved }) => [actor, connection, resolved]);
  return retryOnConflict(async () => {
    const first = await read();
    if (!isDeepStrictEqual(factsOf(first), factsOf(await read()))) throw new WriteConflict();
    return first;
  });
}

/** Compares two previews without writing anything. */
export async function diffPolicyPreviews(
  deps: Dependencies,
  input: Input<'previews', 'diff'>,
  context: CallContext,
): Result<'previews', 'diff'> {
  const { projectId, sql, referencedEntities } = input;
  await requireProjectAdmin(deps, projectId, context);
  const sides = await resolveSides(deps, input, context);
  const previewSide = (name: Side) => makePreview(deps, sides[name], { sql, referencedEntities });
  const [before, after] = await Promise.all([previewSide('before'), previewSide('after')]);
  return { ok: true, data: diffPreviews(before, after) };
}
