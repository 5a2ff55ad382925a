import { createHash } from 'node:crypto';
import type { CompiledStatement } from '@gatehouse/contract';
import { createEvent, originOf, type CallContext } from '@gatehouse/service';
import { getActorFacts } from '../actors/findActors.js';
import type { Dependencies, Input, Result } from '../dependencies.js';
import type { ActorFacts } from '../preview/logic/facts.js';
import { restrict } from '../preview/makePreview.js';
import { resolveFor, type Resolution } from '../preview/resolveForActor.js';
import type { Restriction } from '../sql/logic/restriction.js';
import { subjectOf } from './logic/subject.js';

/**
 * The statements that are compiled at once. A statement that the compiler cannot finish ends the request, so
 * at most these run into its time limit.
 */
const AT_ONCE = 8;

/** Restricts statements by the policies of the bearer, or of the actor that the request names. */
export async function compileStatements(
  deps: Dependencies,
  { connectionId, statements, actor, runtimeParams }: Input<'statements', 'compile'>,
  context: CallContext,
): Result<'statements', 'compile'> {
  const { projectId, policies, securityParams } = context.principal;
  const subject = subjectOf(context.principal, { actor, runtimeParams });
  const findActor = async (): Promise<ActorFacts> =>
    'bearer' in subject
      ? subject.bearer
      : getActorFacts(deps, { actor: subject.named, path: 'actor.', mustBeActive: true }, context);
  const options = { ignorePersistedAssignments: false, runtimeParams, tokenPolicyInput: policies };
  const resolution = await resolveFor(
    deps,
    {
      target: { projectId, connectionId },
      findActor,
      options,
      tokenParams: securityParams,
      path: '',
      tokenPath: 'token.policies',
    },
    context,
  );
  const results = await compileAll(
    deps,
    resolution,
    statements.map(({ sql }) => sql),
  );
  if (deps.auditsCompilations) await record(deps, { resolution, statements, results }, context);
  return { ok: true, data: { dialect: resolution.described.connection.dialect, results } };
}

async function compileAll(
  deps: Dependencies,
  resolution: Resolution,
  statements: readonly string[],
): Promise<CompiledStatement[]> {
  const results: CompiledStatement[] = [];
  for (let start = 0; start < statements.length; start += AT_ONCE) {
    const part = statements.slice(start, start + AT_ONCE);
    const restricted = await Promise.all(part.map((sql) => restrict(deps, resolution, { sql })));
    results.push(...restricted.map(toStatement));
  }
  return results;
}

/** A restriction without its conditions and its trace, which only an ADMIN sees, in a preview. */
function toStatement({ status, sql, parameters, reasons }: Restriction): CompiledStatement {
  if (status === 'compiled' && sql !== null) return { status, sql, parameters, reasons: [] };
  if (status === 'denied' || status === 'invalid_sql') return { status, sql: null, parameters: [], reasons };
  const message = 'Statements in the dialect of this connection cannot be restricted.';
  return { status: 'denied', sql: null, parameters: [], reasons: [{ code: 'NO_REWRITER', message }] };
}

async function record(
  { stores }: Dependencies,
  {
    resolution,
    statements,
    results,
  }: {
    resolution: Resolution;
    statements: readonly { sql: string }[];
    results: readonly CompiledStatement[];
  },
  context: CallContext,
): Promise<void> {
  const { actor, described } = resolution;
  const data = {
    connectionId: described.connection.id,
    actorKind: actor.kind,
    actorId: actor.id,
    statements: statements.map(({ sql }, index) => ({
      status: results[index]?.status ?? '',
      sha256: createHash('sha256').update(sql).digest('hex'),
      reasons: results[index]?.reasons.map(({ code }) => code) ?? [],
    })),
  };
  const origin = originOf('policy', context);
  const event = createEvent('management.statement.compiled.v1', described.connection.id, { origin, data });
  await stores.compilations.insert(context.principal.projectId, event, context);
}
