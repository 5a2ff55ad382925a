import { ACCESS_LEVELS, AppError, type BlockingRecord } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { MigrationDocument } from '../../store/migrations.js';
import { carryToEnd } from './carryOut.js';
import { actorOf, locksOf } from './migrate.js';
import { ownOrigin, type Answer, type Input, type Migrations } from './migrations.js';
import { requireMigrator } from './readFacts.js';
import { getVisible } from './readMigrations.js';
import { toMigration } from './records.js';
import { newLease } from './sweep.js';

/** The first write of a copy is the only one, as long as nobody has touched it. */
const UNTOUCHED_REVISION = 1;
const NAMED_MAX = 10;

const createdIds = ({ created: { domains, datamodels, visuals } }: MigrationDocument) => ({
  domainIds: domains.map(({ newId }) => newId),
  datamodelIds: datamodels.map(({ newId }) => newId),
  visualIds: visuals.map(({ newId }) => newId),
});

/** What the migration has made or replaced, as far as somebody has written it since. What is gone is in nobody's way. */
async function findChanged(migrations: Migrations, document: MigrationDocument): Promise<BlockingRecord[]> {
  const { organizationId, targetProjectId: projectId, targetDashboardId, isReplacing } = document;
  const { services } = migrations;
  const { visualIds, ...recordIds } = createdIds(document);
  const origin = await ownOrigin(migrations, document);
  const place = { organizationId, projectId };
  const none = { connectionIds: [], assistantProfileIds: [] };
  const [resources, records] = await Promise.all([
    services.access.copies.states(origin, { ...place, dashboardIds: [targetDashboardId], visualIds }),
    services.semantics.copies.states(origin, { ...place, ...recordIds, ...none }),
  ]);
  const made = [...resources.visuals, ...(isReplacing ? [] : resources.dashboards)]
    .filter(({ revision }) => revision !== UNTOUCHED_REVISION)
    .map(({ id, title }) => ({ id, title }));
  const models = [...records.domains, ...records.datamodels]
    .filter(({ revision }) => revision !== UNTOUCHED_REVISION)
    .map(({ id, name }) => ({ id, title: name }));
  return [...made, ...models, ...(isReplacing ? findOverwritten(document, resources.dashboards) : [])];
}

type DashboardStates = Awaited<
  ReturnType<Migrations['services']['access']['copies']['states']>
>['dashboards'];

/** The replaced dashboard, unless it is still what the migration has left. */
function findOverwritten(document: MigrationDocument, [dashboard]: DashboardStates): BlockingRecord[] {
  const { targetDashboardId: id, steps } = document;
  const step = steps.find(({ targetId }) => targetId === id);
  if (dashboard === undefined) return [{ id, title: step?.title ?? '' }];
  return dashboard.version === step?.version ? [] : [{ id, title: dashboard.title }];
}

/** Throws CONFLICT, naming what stands in the way, unless all that the migration left is as it left it and only its own. */
async function requireUntouched(
  migrations: Migrations,
  document: MigrationDocument,
  context: CallContext,
): Promise<void> {
  const { targetProjectId: projectId, targetDashboardId } = document;
  const { domainIds, datamodelIds, visualIds } = createdIds(document);
  const ids = [...domainIds, ...datamodelIds, ...visualIds];
  const exceptIds = [...visualIds, targetDashboardId];
  const [changed, uses] = await Promise.all([
    findChanged(migrations, document),
    migrations.services.access.copies.uses(context, { projectId, ids, exceptIds }),
  ]);
  if (changed.length === 0 && uses.count === 0) return;
  const message = 'What the migration made has been changed or is used since';
  throw new AppError('CONFLICT', { message, blockedBy: [...changed, ...uses.seen].slice(0, NAMED_MAX) });
}

/** Throws FORBIDDEN for an AUTHOR who may not, or no longer, write the dashboard that was migrated to. */
async function requireWriter(
  { services }: Migrations,
  { targetProjectId: projectId, targetDashboardId: dashboardId }: MigrationDocument,
  context: CallContext,
): Promise<void> {
  if (requireMigrator(context).role === 'ADMIN') return;
  const { dashboard } = await services.access.copies.targets(context, { projectId, dashboardId });
  if (dashboard === null || ACCESS_LEVELS.indexOf(dashboard.level) >= ACCESS_LEVELS.indexOf('EDITOR')) return;
  throw new AppError('FORBIDDEN', { message: 'Rolling back needs EDITOR access to the dashboard' });
}

const IN_PROGRESS = ['planned', 'running', 'rolling_back'];

/**
 * Restores what was before a migration. Throws MIGRATION_IN_PROGRESS, and CONFLICT where that is not possible, naming what stands
 * in the way. One that was rolled back stays so.
 */
export async function rollBack(
  migrations: Migrations,
  { id }: Input<'rollback'>,
  context: CallContext,
): Answer<'rollback'> {
  const document = await getVisible(migrations, id, context);
  if (document.status === 'rolled_back') return { migration: toMigration(document) };
  if (IN_PROGRESS.includes(document.status)) throw new AppError('MIGRATION_IN_PROGRESS');
  if (document.status === 'failed')
    throw new AppError('CONFLICT', { message: 'The migration failed: nothing of it is left' });
  await requireWriter(migrations, document, context);
  await requireUntouched(migrations, document, context);
  const undoActor = actorOf(requireMigrator(context), context.requestId);
  const begun = await migrations.store.beginRollback(document, {
    locks: locksOf(document),
    lease: newLease(migrations),
    undoActor,
    now: context.now,
  });
  if (!begun) throw new AppError('MIGRATION_IN_PROGRESS');
  await migrations.afterStep('rollback');
  return { migration: toMigration(await carryToEnd(migrations, begun)) };
}
