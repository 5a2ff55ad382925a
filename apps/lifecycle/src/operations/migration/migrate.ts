import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  type CommitResult,
  type CopyActor,
  type MigrationPreview,
  type MigrationResult,
  type OrgUserPrincipal,
} from '@gatehouse/contract';
import { hashSecret, newId, newKey, newSecret, outboxOf, type CallContext } from '@gatehouse/service';
import { planMigration, type MigrationPlan } from '../../logic/migration/plan.js';
import { codeOf, findProblems, type Judged } from '../../logic/migration/problems.js';
import { FORMER, type MigrationDocument } from '../../store/migrations.js';
import { carryToEnd } from './carryOut.js';
import { planHashOf, type Answer, type Input, type Migrations } from './migrations.js';
import { readJudged, requireMigrator } from './readFacts.js';
import { startedEvent } from './records.js';
import { newLease } from './sweep.js';

const NOT_COMMITTED: CommitResult = { status: 'not_configured', commitSha: null, commitUrl: null };

/** Throws the one error that names everything that is wrong with a request. */
function refuseProblems(judged: Judged): void {
  const problems = findProblems(judged);
  const code = codeOf(problems);
  if (code === null) return;
  throw new AppError(code, { fieldErrors: problems.map(({ field, message }) => ({ field, message })) });
}

/** Who asked, as it is stored with the migration and stands in the events of all that it writes. */
export function actorOf({ userId, userKey, tokenId }: OrgUserPrincipal, requestId: string): CopyActor {
  return { userId, userKey, tokenId, requestId };
}

function previewOf(judged: Judged, plan: MigrationPlan): MigrationPreview {
  const { dashboard, project } = judged.target;
  return {
    success: true,
    dryRun: true,
    plan: {
      targetProjectId: project.id,
      replaces: dashboard && { id: dashboard.id, title: dashboard.title },
      steps: plan.steps.map(({ name, action, sourceId, title }) => ({ name, action, sourceId, title })),
      reused: plan.reused,
      dropped: plan.dropped,
      planHash: planHashOf(plan.bound),
    },
  };
}

/** Who is named as the author of a commit. */
async function findAuthor({ services }: Migrations, context: CallContext) {
  const { userId, email } = requireMigrator(context);
  const { user } = await services.directory.subjects.getUser(context, { userId });
  return { name: user?.name ?? email, email };
}

/** What no other migration may touch meanwhile. */
export function locksOf(
  document: Pick<MigrationDocument, 'sourceDashboardId' | 'targetProjectId' | 'targetDashboardId'>,
): string[] {
  const { sourceDashboardId, targetProjectId, targetDashboardId } = document;
  return [`copy ${sourceDashboardId} ${targetProjectId}`, `write ${targetDashboardId}`];
}

interface Planned {
  judged: Judged;
  plan: MigrationPlan;
  migrationId: string;
  secretHash: string | null;
}

async function documentOf(
  migrations: Migrations,
  { judged, plan, migrationId, secretHash }: Planned,
  context: CallContext,
): Promise<MigrationDocument> {
  const { request, source, target } = judged;
  const principal = requireMigrator(context);
  const { now } = context;
  const message = plan.steps.some(({ action }) => action === 'commit') ? request.commitMessage : undefined;
  const ids = {
    sourceProjectId: source.projectId,
    sourceDashboardId: source.dashboard.id,
    targetProjectId: target.project.id,
    targetDashboardId: plan.targetDashboardId,
  };
  return {
    _id: migrationId,
    organizationId: principal.organizationId,
    ...ids,
    projectIds: [ids.sourceProjectId, ids.targetProjectId],
    isReplacing: target.dashboard !== null,
    status: 'planned',
    planHash: planHashOf(plan.bound),
    bound: plan.bound,
    steps: plan.steps.map(({ content: _content, ...step }) => ({ ...step, state: 'pending' })),
    created: plan.created,
    tags: target.dashboard?.tags ?? source.dashboard.tags,
    contentsKey: newKey(),
    expectedVersion: target.dashboard?.version ?? null,
    secretHash,
    commit: message === undefined ? null : { message, author: await findAuthor(migrations, context) },
    versionControl: message === undefined ? NOT_COMMITTED : null,
    actor: actorOf(principal, context.requestId),
    reason: null,
    locks: locksOf(ids),
    lease: newLease(migrations),
    createdAt: now,
    updatedAt: now,
    endedAt: null,
    ...outboxOf([]),
  };
}

/**
 * Writes the plan down, whole, before anything of it is done. Gives the migration that an earlier run of the same request
 * began, if one did. Throws MIGRATION_IN_PROGRESS.
 */
async function storePlan(
  { store, afterStep }: Migrations,
  document: MigrationDocument,
  { steps, former }: MigrationPlan,
): Promise<{ earlier: MigrationDocument | null }> {
  const contents = steps.flatMap(({ name, content }) => (content === null ? [] : [[name, content] as const]));
  const all = former === null ? contents : [...contents, [FORMER, former] as const];
  const texts = new Map(all.map(([name, content]) => [name, JSON.stringify(content)]));
  await store.insertContents(document.contentsKey, texts, document.createdAt);
  await afterStep('contents');
  const earlier = await store.insert({ ...document, ...outboxOf([startedEvent(document)]) });
  if (earlier !== null) await store.deleteContents(document.contentsKey);
  if (earlier === false) throw new AppError('MIGRATION_IN_PROGRESS');
  await afterStep('planned');
  return { earlier };
}

/** What a migration did. Throws why it failed, and COMMIT_FAILED with what was done all the same. */
function resultOf(document: MigrationDocument, secret: string): MigrationResult {
  const { reason, targetDashboardId: id, targetProjectId: projectId, tags } = document;
  if (reason !== null) {
    const isLeft = document.steps.some(({ state }) => state === 'kept');
    const rest = isLeft ? 'what was changed or used meanwhile stays' : 'nothing is left of the migration';
    throw new AppError('CONFLICT', { message: `${reason.message}: ${rest}` });
  }
  const title = document.steps.find(({ targetId }) => targetId === id)?.title ?? '';
  const isOwnSecret = document.secretHash !== null && document.secretHash === hashSecret(secret);
  const versionControl = document.versionControl ?? NOT_COMMITTED;
  const result: MigrationResult = {
    success: true,
    migrationId: document._id,
    dashboard: { id, title, projectId, secret: isOwnSecret ? secret : null, tags },
    createdResources: document.created,
    replaced: document.isReplacing,
    versionControl,
  };
  if (versionControl.status !== 'failed') return result;
  throw new AppError('COMMIT_FAILED', { done: { dashboardSaved: true, migration: result, versionControl } });
}

const POLL_MS = 50;
/** Shorter than a request may take. */
const WAIT_MAX_MS = 8000;

/** The migration once it has ended. Throws UNAVAILABLE when that takes long. */
async function awaitEnd({ store }: Migrations, document: MigrationDocument): Promise<MigrationDocument> {
  let current: MigrationDocument | null = document;
  for (const deadline = Date.now() + WAIT_MAX_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (current !== null && current.lease === undefined) return current;
    current = await store.find(document.organizationId, document._id);
  }
  throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
}

/** What an earlier run of the same request began; null where there was none. */
async function findEarlier({ store }: Migrations, id: string, { operation, principal }: CallContext) {
  return operation === undefined ? null : store.find(principal.organizationId, id);
}

/**
 * Copies a dashboard into another project. Throws what makes the request one that cannot be carried out, all of it at once and
 * before anything is written; MIGRATION_IN_PROGRESS; CONFLICT when it failed and was undone; COMMIT_FAILED.
 */
export async function migrate(
  migrations: Migrations,
  request: Input<'migrate'>,
  context: CallContext,
): Answer<'migrate'> {
  requireMigrator(context);
  const { operation } = context;
  const migrationId = newId('migration', operation);
  // Made of the key of the operation where there is one: a repetition is answered with the same secret, and none is stored.
  const secret = newSecret(operation, 'migrated dashboard');
  const begun = await findEarlier(migrations, migrationId, context);
  if (begun !== null) return resultOf(await awaitEnd(migrations, begun), secret);
  const judged = await readJudged(migrations, request, context);
  refuseProblems(judged);
  const plan = planMigration(judged, idsOf(context));
  if (request.dryRun) return previewOf(judged, plan);
  const secretHash = judged.target.dashboard === null ? hashSecret(secret) : null;
  const document = await documentOf(migrations, { judged, plan, migrationId, secretHash }, context);
  const { earlier } = await storePlan(migrations, document, plan);
  const ended = earlier === null ? carryToEnd(migrations, document) : awaitEnd(migrations, earlier);
  return resultOf(await ended, secret);
}

/** One id for each record that is copied, the same each time that it is asked for. */
function idsOf({ operation }: CallContext) {
  const ids = new Map<string, string>();
  return (noun: Parameters<typeof newId>[0], sourceId: string) => {
    const key = `${noun} ${sourceId}`;
    const id = ids.get(key) ?? newId(noun, operation, `copy of ${sourceId}`);
    ids.set(key, id);
    return id;
  };
}
