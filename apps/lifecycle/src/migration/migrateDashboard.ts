import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  type CommitResult,
  type CopyActor,
  type FieldError,
  type MigrationPreview,
  type MigrationResult,
  type OrgUserPrincipal,
} from '@gatehouse/contract';
import { hashSecret, newId, newKey, newSecret, outboxOf, type CallContext } from '@gatehouse/service';
import type { Input, MigrationDependencies, Output } from './dependencies.js';
import { recordOf, type SourceFacts, type SourceVisual } from './logic/facts.js';
import { planMigration, type MigrationPlan, type PlannedStep } from './logic/plan.js';
import { codeOf, findProblems, type RequestFacts } from './logic/request.js';
import { hasSameReferences, visualContent } from './logic/visualCopies.js';
import { readRequestFacts, readVisualPages, requireMigrator } from './readFacts.js';
import { runMigration, startedEvent } from './runMigration.js';
import { planHashOf } from './runStep.js';
import type { MigrationDocument } from './documents.js';
import { FORMER, newLease } from './store.js';

const NOT_COMMITTED: CommitResult = { status: 'not_configured', commitSha: null, commitUrl: null };

/** Throws one error that names all problems of a request. */
function requireNoProblems(facts: RequestFacts): void {
  const problems = findProblems(facts);
  const code = codeOf(problems);
  if (code === null) return;
  const fieldErrors = problems.map((problem): FieldError => {
    const { field, message } = problem;
    return { field, message, code: problem.code === 'MISSING_MAPPING' ? 'required' : 'reference' };
  });
  throw new AppError(code, { fieldErrors });
}

/**
 * The requester, as it is stored with the migration and appears in the events of everything that it writes.
 */
export function actorOf(principal: OrgUserPrincipal, requestId: string): CopyActor {
  const { userId, userKey, tokenId, semanticDomainAccess } = principal;
  return { userId, userKey, tokenId, requestId, ...(semanticDomainAccess && { semanticDomainAccess }) };
}

function previewOf({ target }: RequestFacts, plan: MigrationPlan): MigrationPreview {
  const { dashboard, project } = target;
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

/** The author of the commit of a migration. */
async function findAuthor({ services }: MigrationDependencies, context: CallContext) {
  const { userId, email } = requireMigrator(context);
  const { user } = await services.directory.subjects.getUser.query({ userId }, { context });
  return { name: user?.name ?? email, email };
}

/**
 * The locks of a migration: one for the copy of a dashboard into a project, one for the dashboard that is
 * written.
 */
export function locksOf(
  document: Pick<MigrationDocument, 'sourceDashboardId' | 'targetProjectId' | 'targetDashboardId'>,
): string[] {
  const { sourceDashboardId, targetProjectId, targetDashboardId } = document;
  return [`copy ${sourceDashboardId} ${targetProjectId}`, `write ${targetDashboardId}`];
}

interface Planned {
  facts: RequestFacts;
  plan: MigrationPlan;
  migrationId: string;
  secretHash: string | null;
}

type PlannedDocument = Pick<Planned, 'facts' | 'plan'> & { document: MigrationDocument };

async function createDocument(
  deps: MigrationDependencies,
  { facts, plan, migrationId, secretHash }: Planned,
  context: CallContext,
): Promise<MigrationDocument> {
  const { request, source, target } = facts;
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
    commit: message === undefined ? null : { message, author: await findAuthor(deps, context) },
    versionControl: message === undefined ? NOT_COMMITTED : null,
    actor: actorOf(principal, context.requestId),
    reason: null,
    locks: locksOf(ids),
    createdAt: now,
    updatedAt: now,
    endedAt: null,
    ...outboxOf([]),
  };
}

type Texts = Map<string, string>;

interface PlannedContents {
  document: Pick<MigrationDocument, 'contentsKey' | 'createdAt'>;
  source: Pick<SourceFacts, 'visuals'>;
  plan: Pick<MigrationPlan, 'steps' | 'former' | 'replacementOf'>;
}

const isVisual = ({ action }: PlannedStep) => action === 'createVisual';

/** The contents of all steps but those of visuals, whose bodies the plan does not have. */
function plannedTexts({ plan: { steps, former } }: PlannedContents): Texts {
  const written = steps.filter((step) => step.content !== null && !isVisual(step));
  const texts = new Map(written.map(({ name, content }) => [name, JSON.stringify(content)]));
  return former === null ? texts : texts.set(FORMER, JSON.stringify(former));
}

/**
 * The contents of the copies of some visuals. A visual that refers to something else than it did when the
 * plan was made has none. Other changes are found when the plan is verified, before anything is written.
 */
function visualTexts({ source, plan }: PlannedContents, visuals: readonly SourceVisual[]): Texts {
  const names = new Map(plan.steps.filter(isVisual).map(({ name, sourceId }) => [sourceId, name]));
  const suited = visuals.filter((visual) => hasSameReferences(recordOf(source.visuals, visual.id), visual));
  return new Map(
    suited.map((visual) => [
      names.get(visual.id) ?? '',
      JSON.stringify(visualContent(visual, plan.replacementOf)),
    ]),
  );
}

/**
 * Stores the contents of a plan's steps. The bodies of visuals are read again, page by page, because all of
 * them may not fit in memory.
 */
export async function storeContents(
  deps: Pick<MigrationDependencies, 'store' | 'services' | 'pageShares'>,
  planned: PlannedContents,
  context: CallContext,
): Promise<void> {
  const { document, plan } = planned;
  const insert = (texts: Texts) => deps.store.insertContents(document.contentsKey, texts, document.createdAt);
  await insert(plannedTexts(planned));
  const ids = plan.steps.filter(isVisual).flatMap(({ sourceId }) => sourceId ?? []);
  const use = (page: SourceVisual[]) => insert(visualTexts(planned, page));
  await readVisualPages(deps, { ids, use }, context);
}

/**
 * Stores the whole plan before any step runs. Returns the migration that an earlier attempt of the same
 * request stored, or null. Throws MIGRATION_IN_PROGRESS and QUOTA_EXCEEDED.
 */
async function storePlan(
  deps: MigrationDependencies,
  { document, facts: { source }, plan }: PlannedDocument,
  context: CallContext,
): Promise<MigrationDocument | null> {
  const { store, afterStep } = deps;
  const { contentsKey } = document;
  await storeContents(deps, { document, source, plan }, context).catch(async (error: unknown) => {
    await store.deleteContents(contentsKey).catch(() => {});
    throw error;
  });
  await afterStep('contents');
  // Storing the contents may take longer than a lease lasts.
  document.lease = newLease(deps);
  const planned = { ...document, ...outboxOf([startedEvent(document)]) };
  const kept = plan.former === null ? undefined : JSON.stringify(plan.former);
  const earlier = await store.insert(planned, kept).catch(async (error: unknown) => {
    if (error instanceof AppError) await store.deleteContents(contentsKey);
    throw error;
  });
  if (earlier !== null) await store.deleteContents(contentsKey);
  await afterStep('planned');
  return earlier;
}

/**
 * The result of an ended migration. Throws the reason of a failure, and COMMIT_FAILED with the result as its
 * detail.
 */
function resultOf(document: MigrationDocument, secret: string): MigrationResult {
  const { reason, targetDashboardId: id, targetProjectId: projectId, tags } = document;
  if (reason !== null) {
    const isLeft = document.steps.some(({ state }) => state === 'kept');
    const rest = isLeft ? 'what was changed or used meanwhile stays' : 'nothing is left of the migration';
    const code = reason.code === 'QUOTA_EXCEEDED' ? reason.code : 'CONFLICT';
    throw new AppError(code, { message: `${reason.message}: ${rest}` });
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
/** Shorter than the time limit of a request. */
const WAIT_MAX_MS = 8000;

/** Waits for the end of a migration that another call runs. Throws UNAVAILABLE after 8 seconds. */
async function awaitEnd(
  { store }: MigrationDependencies,
  document: MigrationDocument,
): Promise<MigrationDocument> {
  let current: MigrationDocument | null = document;
  for (const deadline = Date.now() + WAIT_MAX_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (current !== null && current.lease === undefined) return current;
    current = await store.find(document.organizationId, document._id);
  }
  throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
}

/** Finds the migration that an earlier attempt of the same request began. */
async function findEarlier(
  { store }: MigrationDependencies,
  id: string,
  { operation, principal }: CallContext,
) {
  return operation === undefined ? null : store.find(principal.organizationId, id);
}

/** Creates one id for each copied record. Repeated calls for a record return the same id. */
function createNewIds({ operation }: CallContext) {
  const ids = new Map<string, string>();
  return (noun: Parameters<typeof newId>[0], sourceId: string) => {
    const key = `${noun} ${sourceId}`;
    const id = ids.get(key) ?? newId(noun, operation, `copy of ${sourceId}`);
    ids.set(key, id);
    return id;
  };
}

/**
 * Copies a dashboard into another project. Throws all problems of the request in one error before anything is
 * written. Also throws MIGRATION_IN_PROGRESS, QUOTA_EXCEEDED, CONFLICT when the migration failed and was
 * undone, and COMMIT_FAILED.
 */
export async function migrateDashboard(
  deps: MigrationDependencies,
  request: Input<'migrate'>,
  context: CallContext,
): Output<'migrate'> {
  requireMigrator(context);
  const { operation } = context;
  const migrationId = newId('migration', operation);
  // Derived from the operation key, if any: a retry returns the same secret, although no secret is stored.
  const secret = newSecret(operation, 'migrated dashboard');
  const begun = await findEarlier(deps, migrationId, context);
  if (begun !== null) return resultOf(await awaitEnd(deps, begun), secret);
  const facts = await readRequestFacts(deps, request, context);
  requireNoProblems(facts);
  const plan = planMigration(facts, createNewIds(context));
  if (request.dryRun) return previewOf(facts, plan);
  const secretHash = facts.target.dashboard === null ? hashSecret(secret) : null;
  const document = await createDocument(deps, { facts, plan, migrationId, secretHash }, context);
  const earlier = await storePlan(deps, { document, facts, plan }, context);
  const ended = earlier === null ? runMigration(deps, document) : awaitEnd(deps, earlier);
  return resultOf(await ended, secret);
}
