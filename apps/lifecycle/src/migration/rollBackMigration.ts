import { ACCESS_LEVELS, AppError, type BlockingRecord, type ProcedureOutput } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { Input, MigrationDependencies, Output } from './dependencies.js';
import { actorOf, locksOf } from './migrateDashboard.js';
import { requireMigrator } from './readFacts.js';
import { getVisible, toMigration } from './readMigrations.js';
import { runMigration } from './runMigration.js';
import { createSystemOrigin } from './runStep.js';
import { newLease } from './store.js';
import type { MigrationDocument } from './documents.js';

/** The revision of a copy that was not written since the migration created it. */
const UNTOUCHED_REVISION = 1;
/** The most records that a CONFLICT names. */
const NAMED_MAX = 10;

const createdIds = ({ created: { domains, datamodels, visuals } }: MigrationDocument) => ({
  domainIds: domains.map(({ newId }) => newId),
  datamodelIds: datamodels.map(({ newId }) => newId),
  visualIds: visuals.map(({ newId }) => newId),
});

/**
 * Finds the records that the migration created or replaced and that were written since. Deleted records do
 * not block. A created record has the name that the migration gave it: the caller may not see it any more.
 */
async function findChanged(
  deps: MigrationDependencies,
  document: MigrationDocument,
  context: CallContext,
): Promise<BlockingRecord[]> {
  const { organizationId, targetProjectId: projectId, targetDashboardId, isReplacing } = document;
  const { access, semantics } = deps.services;
  const { visualIds, ...recordIds } = createdIds(document);
  const origin = await createSystemOrigin(deps, document.actor.requestId);
  const scope = { organizationId, projectId };
  const none = { connectionIds: [], assistantProfileIds: [] };
  const [resources, records] = await Promise.all([
    access.copies.states.query(
      { ...scope, dashboardIds: [targetDashboardId], visualIds },
      { context: origin },
    ),
    semantics.copies.states.query({ ...scope, ...recordIds, ...none }, { context: origin }),
  ]);
  const { createdResources } = toMigration(document, requireMigrator(context));
  const names = new Map(
    Object.values(createdResources).flatMap((each) => each.map(({ newId, name }) => [newId, name] as const)),
  );
  const named = [...resources.visuals, ...records.domains, ...records.datamodels].map(({ id, revision }) => {
    return { id, revision, title: names.get(id) ?? id };
  });
  const created = [...named, ...(isReplacing ? [] : resources.dashboards)]
    .filter(({ revision }) => revision !== UNTOUCHED_REVISION)
    .map(({ id, title }) => ({ id, title }));
  return [...created, ...(isReplacing ? findOverwritten(document, resources.dashboards) : [])];
}

type DashboardStates = ProcedureOutput<'access.copies.states'>['dashboards'];

/**
 * The replaced dashboard, unless it still has the version that the migration wrote. If the former content
 * links more visuals, nothing else may have been written either: a new reader would see them.
 */
function findOverwritten(document: MigrationDocument, [dashboard]: DashboardStates): BlockingRecord[] {
  const { _id: migrationId, targetDashboardId: id, steps } = document;
  const step = steps.find(({ targetId }) => targetId === id);
  if (dashboard === undefined) return [{ id, title: step?.title ?? '' }];
  const { version, revision, replacedBy, title } = dashboard;
  const written = replacedBy?.migrationId === migrationId ? replacedBy.revision : undefined;
  const isUnchanged = version === step?.version && (written ?? revision) === revision;
  return isUnchanged ? [] : [{ id, title }];
}

function changedSince(blockedBy: BlockingRecord[]): AppError {
  const message = 'What the migration made has been changed or is used since';
  return new AppError('CONFLICT', { message, blockedBy: blockedBy.slice(0, NAMED_MAX) });
}

/**
 * Throws CONFLICT, naming the blocking records, if a record of the migration was changed or something else
 * uses it.
 */
async function requireUntouched(
  deps: MigrationDependencies,
  document: MigrationDocument,
  context: CallContext,
): Promise<void> {
  const { targetProjectId: projectId, targetDashboardId } = document;
  const { domainIds, datamodelIds, visualIds } = createdIds(document);
  const ids = [...domainIds, ...datamodelIds, ...visualIds];
  const exceptIds = [...visualIds, targetDashboardId];
  const [changed, uses] = await Promise.all([
    findChanged(deps, document, context),
    deps.services.access.copies.uses.query({ projectId, ids, exceptIds }, { context }),
  ]);
  if (changed.length === 0 && uses.count === 0) return;
  throw changedSince([...changed, ...uses.seen]);
}

/** Whether the target dashboard exists, even if the caller may not see it. */
async function isDashboardLeft(deps: MigrationDependencies, document: MigrationDocument): Promise<boolean> {
  const { organizationId, targetProjectId: projectId, targetDashboardId } = document;
  const { dashboards } = await deps.services.access.copies.states.query(
    { organizationId, projectId, dashboardIds: [targetDashboardId], visualIds: [] },
    { context: await createSystemOrigin(deps, document.actor.requestId) },
  );
  return dashboards.length > 0;
}

/** Throws FORBIDDEN for an AUTHOR without EDITOR access to the target dashboard, unless it was deleted. */
async function requireEditor(
  deps: MigrationDependencies,
  document: MigrationDocument,
  context: CallContext,
): Promise<void> {
  if (requireMigrator(context).role === 'ADMIN') return;
  const { targetProjectId: projectId, targetDashboardId: dashboardId } = document;
  const { targets } = deps.services.access.copies;
  const { dashboard } = await targets.query({ projectId, dashboardId }, { context });
  const level = dashboard === null ? -1 : ACCESS_LEVELS.indexOf(dashboard.level);
  if (level >= ACCESS_LEVELS.indexOf('EDITOR')) return;
  // A dashboard that the caller may not see is null too.
  if (dashboard === null && !(await isDashboardLeft(deps, document))) return;
  throw new AppError('FORBIDDEN', { message: 'Rolling back needs EDITOR access to the dashboard' });
}

const IN_PROGRESS = ['planned', 'running', 'rolling_back'];

/**
 * Restores the state before a completed migration. A rolled-back migration is returned as it is. Throws
 * MIGRATION_IN_PROGRESS, FORBIDDEN, and CONFLICT, naming the blocking records, when the state cannot be
 * restored.
 */
export async function rollBackMigration(
  deps: MigrationDependencies,
  { id }: Input<'rollback'>,
  context: CallContext,
): Output<'rollback'> {
  const principal = requireMigrator(context);
  const document = await getVisible(deps, id, context);
  if (document.status === 'rolled_back') return { migration: toMigration(document, principal) };
  if (IN_PROGRESS.includes(document.status)) throw new AppError('MIGRATION_IN_PROGRESS');
  if (document.status === 'failed')
    throw new AppError('CONFLICT', { message: 'The migration failed: nothing of it is left' });
  await requireEditor(deps, document, context);
  await requireUntouched(deps, document, context);
  const undoActor = actorOf(principal, context.requestId);
  const rollback = { locks: locksOf(document), lease: newLease(deps), undoActor, now: context.now };
  const begun = await deps.store.beginRollback(document, rollback);
  await deps.afterStep('rollback');
  const ended = await runMigration(deps, begun);
  // The dashboard was changed between the check and the undo.
  if (ended.status === 'completed') throw changedSince(await findChanged(deps, ended, context));
  return { migration: toMigration(ended, principal) };
}
