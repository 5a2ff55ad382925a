import type { DiffSide, PolicyActor } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { ActorFacts, AssignmentFacts, ResolvedPolicies } from '../logic/model.js';
import { resolvePolicies } from '../logic/resolve.js';
import type { Policy } from '../policy.js';
import { getActorFacts } from './actors.js';
import {
  getOneCandidate,
  readAssignmentFacts,
  withDefinitions,
  type DefinitionDrafts,
} from './candidates.js';
import type { DescribedConnection } from './connections.js';
import type { CandidateReader } from './earlyCandidates.js';
import type { Ground } from '../store/assignments.js';
import { findInlineFaults } from './definitionChecks.js';
import { draftAssignmentFacts, draftDefinitionFacts } from './drafts.js';
import { refuseFaults } from './refusals.js';

/** What is asked about an actor on a connection, beside a statement. */
export type Question = Omit<DiffSide, 'actor'> & { actor: PolicyActor };

export interface Asked {
  ground: Ground;
  question: Question;
  /** Where the question stands in the request, as `after.`; empty at its top. */
  path: string;
  /** Where its actor stands. */
  actorPath: string;
  /** Definitions that are not saved but checked already. */
  drafts?: DefinitionDrafts;
}

/** The policies of an actor on a connection. */
export interface Resolution {
  actor: ActorFacts;
  described: DescribedConnection;
  resolved: ResolvedPolicies;
}

/** Reads the stored assignments to count: one, or all that may apply. */
function readerOf(policy: Policy, { ground, question, path }: Asked, context: CallContext): CandidateReader {
  const { actor, assignmentId } = question;
  if (assignmentId === undefined)
    return policy.candidates.begin(JSON.stringify([context.principal.organizationId, actor]), ground);
  return async () => {
    const assignment = await getOneCandidate(policy, ground, { assignmentId, path });
    return withDefinitions(policy, ground.projectId, [assignment]);
  };
}

/**
 * Resolves the policies of an actor on a connection, without writing anything. What the caller's own token brings does not
 * count: it is an ADMIN's, who asks about somebody else. Everything that does not depend on something else is read at once.
 */
export async function resolveFor(policy: Policy, asked: Asked, context: CallContext): Promise<Resolution> {
  const { ground, question } = asked;
  const readStored = readerOf(policy, asked, context);
  const [described, actor] = await Promise.all([
    policy.connections.get(context, ground.connectionId),
    getActorFacts(policy, { actor: question.actor, path: `${asked.actorPath}.` }, context),
  ]);
  const drafts = await loadDefinitionDrafts(policy, { ...asked, described }, context);
  const [stored, draft] = await Promise.all([
    readAssignmentFacts(policy, () => readStored(actor), drafts),
    loadDraft(policy, { ...asked, drafts }, context),
    refuseTokenPolicyFaults(policy, { ...asked, described }),
  ]);
  const { dialect, unassignedActors } = described.connection;
  // A stored assignment was found with its definition, which governs the connection.
  const isGoverned =
    stored.length > 0 || (await policy.stores.definitions.hasAnyOf(ground.projectId, ground.connectionId));
  const resolved = resolvePolicies({
    actor,
    connection: { dialect, unassignedActors },
    isGoverned,
    assignments: [...stored, ...draft],
    tokenPolicies: question.tokenPolicyInput ?? null,
    tokenParams: {},
    runtimeParams: question.runtimeParams ?? {},
    onlyTokenPolicies: question.ignorePersistedAssignments,
  });
  return { actor, described, resolved };
}

async function loadDefinitionDrafts(
  policy: Policy,
  { question: { draftDefinition }, path, described, drafts }: Asked & { described: DescribedConnection },
  context: CallContext,
): Promise<DefinitionDrafts> {
  if (!draftDefinition) return drafts ?? new Map();
  const draft = { draft: draftDefinition, path: `${path}draftDefinition.`, described };
  const facts = await draftDefinitionFacts(policy, draft, context);
  return new Map([[facts.id, facts]]);
}

async function loadDraft(
  policy: Policy,
  { ground, question, path, drafts }: Asked & { drafts: DefinitionDrafts },
  context: CallContext,
): Promise<AssignmentFacts[]> {
  const { draftAssignment: draft } = question;
  if (!draft) return [];
  const { connectionId } = ground;
  const place = { draft, path: `${path}draftAssignment.`, connectionId, drafts };
  return [await draftAssignmentFacts(policy, place, context)];
}

async function refuseTokenPolicyFaults(
  policy: Policy,
  { question, path, described }: Asked & { described: DescribedConnection },
): Promise<void> {
  const { tokenPolicyInput: policies } = question;
  if (!policies) return;
  const place = { policies, path: `${path}tokenPolicyInput` };
  refuseFaults(await findInlineFaults(policy, place, described.connection.dialect));
}
