import type { CallContext } from '@gatehouse/service';
import type { MigrationDependencies } from './dependencies.js';
import type { TargetFacts } from './logic/facts.js';
import { createSystemOrigin } from './runStep.js';

type Resources = Pick<TargetFacts, 'dashboard' | 'visuals'>;

/** The migrations among these ids that copied a dashboard. */
async function findMigrationsOf(
  { store }: MigrationDependencies,
  dashboardId: string,
  { organizationId, ids }: { organizationId: string; ids: Iterable<string | null | undefined> },
): Promise<Set<string>> {
  const named = [...new Set(ids)].flatMap((id) => id ?? []);
  const found = await Promise.all(named.map((id) => store.find(organizationId, id)));
  return new Set(
    found.flatMap((each) => (each !== null && each.sourceDashboardId === dashboardId ? [each._id] : [])),
  );
}

/**
 * Limits what a migration with a dashboard token replaces and reuses, because the holder of a dashboard's
 * secret chooses the user whose access counts. It may replace a dashboard that an earlier migration of its
 * dashboard created or replaced. It may reuse visuals that one created, and those that the replaced dashboard
 * links.
 */
export async function limitToOwnCopies(
  deps: MigrationDependencies,
  { projectId, resources }: { projectId: string; resources: Resources },
  { principal, requestId }: CallContext,
): Promise<Resources> {
  const { organizationId, dashboardId: ownId } = principal;
  if (ownId === undefined) return resources;
  const { dashboard, visuals } = resources;
  const dashboardIds = dashboard === null ? [] : [dashboard.id];
  const states = await deps.services.access.copies.states.query(
    { organizationId, projectId, dashboardIds, visualIds: visuals.map(({ id }) => id) },
    { context: await createSystemOrigin(deps, requestId) },
  );
  const [replaced] = states.dashboards;
  const replacedBy = replaced?.replacedBy?.isRestored === false ? replaced.replacedBy.migrationId : null;
  const ofDashboard = [replaced?.copiedBy, replacedBy];
  const ids = [...ofDashboard, ...states.visuals.map(({ copiedBy }) => copiedBy)];
  const own = await findMigrationsOf(deps, ownId, { organizationId, ids });
  const isOwn = (id: string | null | undefined) => typeof id === 'string' && own.has(id);
  const isReplaceable = ofDashboard.some(isOwn);
  const reusable = new Set([
    ...states.visuals.filter(({ copiedBy }) => isOwn(copiedBy)).map(({ id }) => id),
    ...(isReplaceable ? (dashboard?.linkedVisualIds ?? []) : []),
  ]);
  return {
    dashboard: isReplaceable ? dashboard : null,
    visuals: visuals.filter(({ id }) => reusable.has(id)),
  };
}
