import { isDeepStrictEqual } from 'node:util';
import type { DiffSide, Params } from '@gatehouse/contract';
import { retryOnConflict, runInSlices, WriteConflict, type CallContext } from '@gatehouse/service';
import { createPolicyBudget, type ByteBudget } from '../limits/logic/byteBudget.js';
import type { ActorFacts, AssignmentFacts, ResolvedPolicies } from './logic/facts.js';
import { resolvePolicies } from './logic/resolvePolicies.js';
import type { Dependencies } from '../dependencies.js';
import {
  candidateKeys,
  getOneCandidate,
  readAssignmentFacts,
  withDefinitions,
  type DefinitionDrafts,
  type CandidateReader,
} from './readCandidates.js';
import type { DescribedConnection } from '../connections/findConnections.js';
import type { ConnectionRef } from '../store/documents.js';
import { findInlineFaults } from '../definitions/checkConfigs.js';
import { draftAssignmentFacts, draftDefinitionFacts } from './readDrafts.js';
import { refuseFaults } from '../admission/refusals.js';

export interface ResolutionInput {
  target: ConnectionRef;
  /** Reads the actor. */
  findActor(): Promise<ActorFacts>;
  options: Omit<DiffSide, 'actor'>;
  /** The `securityParams` of the actor's token. */
  tokenParams?: Params | undefined;
  /** The path of the input in the request, such as `after.`; empty at the top. */
  path: string;
  /** The path of the token's policies in an error, if it is no field of the request. */
  tokenPath?: string;
  /** Definitions that are checked but not stored. */
  drafts?: DefinitionDrafts;
}

/** The policies of an actor on a connection. */
export interface Resolution {
  actor: ActorFacts;
  described: DescribedConnection;
  resolved: ResolvedPolicies;
  /** What is left for a preview of them. */
  budget: ByteBudget;
}

/** Reads the stored assignments that apply: one, or all candidates. */
function readerOf(deps: Dependencies, { target, options, path }: ResolutionInput): CandidateReader {
  const { assignmentId } = options;
  if (assignmentId === undefined)
    return (actor) => deps.stores.assignments.listAssigned(target, candidateKeys(actor));
  return async () => {
    const assignment = await getOneCandidate(deps, target, { assignmentId, path });
    return withDefinitions(deps, target.projectId, [assignment]);
  };
}

/** What is read before the assignments. */
async function readGround(deps: Dependencies, { target, findActor }: ResolutionInput, context: CallContext) {
  const [described, actor] = await Promise.all([
    deps.connections.get(context, target.connectionId),
    findActor(),
  ]);
  return { described, actor };
}

type Ground = Awaited<ReturnType<typeof readGround>>;

/**
 * Throws WriteConflict if the connection or the actor has changed since it was read. An actor without an
 * assignment passes without a rule if the connection allows it. If that is no longer allowed, the assignment
 * may have been deleted afterwards: the actor had a rule as long as it needed one.
 */
async function requireSameGround(
  deps: Dependencies,
  { input, ground }: { input: ResolutionInput; ground: Ground },
  context: CallContext,
): Promise<void> {
  const { described, actor } = await readGround(deps, input, context);
  const isSame =
    isDeepStrictEqual(described.connection, ground.described.connection) &&
    isDeepStrictEqual(actor, ground.actor);
  if (!isSame) throw new WriteConflict();
}

/**
 * Resolves the policies of an actor on a connection without writing anything. The token of the caller counts
 * only as far as the input contains its policies and values. Independent reads run concurrently.
 */
export function resolveFor(
  deps: Dependencies,
  input: ResolutionInput,
  context: CallContext,
): Promise<Resolution> {
  return retryOnConflict(() => resolveOnce(deps, input, context));
}

async function resolveOnce(
  deps: Dependencies,
  input: ResolutionInput,
  context: CallContext,
): Promise<Resolution> {
  const { target, options } = input;
  const readStored = readerOf(deps, input);
  const ground = await readGround(deps, input, context);
  const { described, actor } = ground;
  const drafts = await loadDefinitionDrafts(deps, { ...input, described }, context);
  const [stored, draft] = await Promise.all([
    readAssignmentFacts(deps, () => readStored(actor), drafts),
    loadDraft(deps, { ...input, drafts }, context),
    refuseTokenPolicyFaults(deps, { ...input, described }),
  ]);
  const { dialect, unassignedActors } = described.connection;
  // A stored assignment was read with its definition, which governs the connection.
  const isGoverned =
    stored.length > 0 || (await deps.stores.definitions.hasAnyOf(target.projectId, target.connectionId));
  const isUnassigned = isGoverned && stored.length === 0 && draft.length === 0;
  if (isUnassigned && unassignedActors === 'allow') await requireSameGround(deps, { input, ground }, context);
  const request = {
    actor,
    connection: { dialect, unassignedActors },
    isGoverned,
    assignments: [...stored, ...draft],
    tokenPolicies: options.tokenPolicyInput ?? null,
    tokenParams: input.tokenParams ?? {},
    runtimeParams: options.runtimeParams ?? {},
    onlyTokenPolicies: options.ignorePersistedAssignments,
  };
  const budget = createPolicyBudget();
  return { actor, described, resolved: await runInSlices(resolvePolicies(request, budget)), budget };
}

async function loadDefinitionDrafts(
  deps: Dependencies,
  {
    options: { draftDefinition },
    path,
    described,
    drafts,
  }: ResolutionInput & { described: DescribedConnection },
  context: CallContext,
): Promise<DefinitionDrafts> {
  if (!draftDefinition) return drafts ?? new Map();
  const draft = { draft: draftDefinition, path: `${path}draftDefinition.`, described };
  const facts = await draftDefinitionFacts(deps, draft, context);
  return new Map([[facts.id, facts]]);
}

async function loadDraft(
  deps: Dependencies,
  { target, options, path, drafts }: ResolutionInput & { drafts: DefinitionDrafts },
  context: CallContext,
): Promise<AssignmentFacts[]> {
  const { draftAssignment: draft } = options;
  if (!draft) return [];
  const { connectionId } = target;
  const place = { draft, path: `${path}draftAssignment.`, connectionId, drafts };
  return [await draftAssignmentFacts(deps, place, context)];
}

async function refuseTokenPolicyFaults(
  deps: Dependencies,
  { options, path, tokenPath, described }: ResolutionInput & { described: DescribedConnection },
): Promise<void> {
  const { tokenPolicyInput: policies } = options;
  if (!policies) return;
  const place = { policies, path: tokenPath ?? `${path}tokenPolicyInput` };
  refuseFaults(await findInlineFaults(deps, place, described));
}
