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

/** The longest results of one request together, in UTF-16 units: as long as that of one statement may be. */
const RESULTS_MAX = 4_194_304;

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

/**
 * Compiles one statement after the other, so that one request takes no more of the compiler and of the memory
 * than one statement does. A statement that the compiler cannot finish ends the request.
 */
async function compileAll(
  deps: Dependencies,
  resolution: Resolution,
  statements: readonly string[],
): Promise<CompiledStatement[]> {
  const results: CompiledStatement[] = [];
  let left = RESULTS_MAX;
  for (const sql of statements) {
    const result = left < 0 ? TOO_MANY : toStatement(await restrict(deps, resolution, { sql }));
    left -= JSON.stringify(result).length;
    results.push(left < 0 ? TOO_MANY : result);
  }
  return results;
}

/** The result of the statements that no longer fit into the response. */
const TOO_MANY: CompiledStatement = {
  status: 'denied',
  sql: null,
  parameters: [],
  reasons: [
    {
      code: 'TOO_LARGE',
      message: `the results of the request have more than ${RESULTS_MAX} characters: send fewer statements`,
    },
  ],
};

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
