import {
  AppError,
  type AccessLevel,
  type InputOf,
  type OutputOf,
  type ResourceState,
  type Services,
} from '@gatehouse/contract';
import { findAppError, type CallContext } from '@gatehouse/service';
import {
  directLevel,
  findLevel,
  findLevels,
  requireUser,
  type UserRequester,
} from '../decisions/authorizeCaller.js';
import type { ResourceHeader, ResourceKind, ResourceKinds, SeenResource } from '../resources/kind.js';

type Copies = Services['access']['procedures']['copies'];
type Input<V extends keyof Copies> = InputOf<Copies[V]>;
type Output<V extends keyof Copies> = Promise<OutputOf<Copies[V]>>;

/** A page is one message between services and is parsed as a whole. */
const PAGE = { count: 100, bytes: 4 * 1024 * 1024 };

/**
 * Returns the org user who copies a dashboard. Throws FORBIDDEN otherwise, and for the token of another
 * dashboard.
 */
function requireCopier(context: CallContext, dashboardId?: string): UserRequester {
  const { principal } = context;
  const requester = requireUser(context, 'dashboard', dashboardId ?? principal.dashboardId);
  if (principal.kind !== 'orgUser' || principal.role === 'VIEWER') throw new AppError('FORBIDDEN');
  return requester;
}

/** Returns the same user in another project of the organization. */
function inProject(requester: UserRequester, projectId: string): UserRequester {
  return { ...requester, projectId, tokenDashboardId: undefined };
}

async function findVisible<T extends SeenResource | ResourceHeader>(
  kind: ResourceKind,
  requester: UserRequester,
  resources: readonly T[],
): Promise<{ resource: T; level: AccessLevel }[]> {
  const levels = await findLevels(kind, requester, resources);
  return resources.flatMap((resource, index) => {
    const level = levels[index] ?? null;
    return level === null ? [] : [{ resource, level }];
  });
}

/** Reads the dashboard to copy. Throws NOT_FOUND if the requester may not see it. */
export async function readCopySource(
  { dashboards }: ResourceKinds,
  { dashboardId }: Input<'source'>,
  context: CallContext,
): Output<'source'> {
  const requester = requireCopier(context, dashboardId);
  const seen = await dashboards.store.findSeenWithBody(requester.projectId, dashboardId, requester.subjects);
  const level = seen && (await findLevel(dashboards, requester, seen));
  if (!seen || !level) throw new AppError('NOT_FOUND');
  const { id, title, description, tags, isDataApp, template, version } = dashboards.toRecord(seen, level);
  return { dashboard: { id, title, description, tags, isDataApp, template, version, level } };
}

/**
 * Returns the visuals that a token reaches: with a dashboard token those that its dashboard gives view access
 * to, whatever else its user may see.
 */
async function reachedVisuals(
  { dashboards }: ResourceKinds,
  requester: UserRequester,
  ids: readonly string[],
): Promise<readonly string[]> {
  const { tokenDashboardId } = requester;
  if (tokenDashboardId === undefined) return ids;
  const [header] = await dashboards.store.copies.findHeaders(requester, [tokenDashboardId], []);
  const linked = new Set(header?.linkedVisualIds);
  return ids.filter((id) => linked.has(id));
}

/** Reads one page of the visuals to copy: those with the given ids that the requester may see. */
export async function readCopyVisuals(
  kinds: ResourceKinds,
  { ids: named, afterId = '' }: Input<'visuals'>,
  context: CallContext,
): Output<'visuals'> {
  const { visuals } = kinds;
  const requester = requireCopier(context);
  const { projectId, subjects } = requester;
  const ids = await reachedVisuals(kinds, requester, named);
  const found = await findVisible(
    visuals,
    requester,
    await visuals.store.findManySeen(projectId, ids, subjects),
  );
  const byId = new Map(found.map(({ resource }) => [resource._id, resource]));
  const selection = { ids: [...byId.keys()], readers: null };
  // Bodies are read after versions, so that a change in between counts as a change.
  const page = await visuals.store.findContents(projectId, selection, { ...PAGE, afterId });
  return {
    visuals: page.found.flatMap((content) => {
      const resource = byId.get(content._id);
      if (resource === undefined) return [];
      const { id, title, description, tags, frameObject, version } = visuals.toRecord(
        { ...resource, body: content.body },
        null,
      );
      return { id, title, description, tags, frameObject, version };
    }),
    nextAfterId: page.isCut ? (page.found.at(-1)?._id ?? null) : null,
  };
}

function nullIfDeleted(error: unknown): null {
  if (findAppError(error)?.code === 'NOT_FOUND') return null;
  throw error;
}

/** Returns the dashboard that a migration would replace; null if the requester may not see it. */
async function findTargetDashboard(
  { dashboards }: ResourceKinds,
  requester: UserRequester,
  id: string,
): Promise<Awaited<Output<'targets'>>['dashboard']> {
  const [header] = await dashboards.store.copies.findHeaders(requester, [id], requester.subjects);
  const level = header && (await findLevel(dashboards, requester, header));
  if (!header || !level) return null;
  const reading = dashboards.store.getHeaderWithBody(requester.projectId, id, requester);
  const whole = await reading.catch(nullIfDeleted);
  if (whole === null) return null;
  const { title, description, tags, isDataApp, template, version } = dashboards.toRecord(whole, level);
  const linkedVisualIds = whole.linkedVisualIds === undefined ? null : [...whole.linkedVisualIds];
  return { id, title, description, tags, isDataApp, template, linkedVisualIds, version, level };
}

/**
 * Reads the records of the target project that a migration may reuse or replace. A visual that the caller
 * sees only through another dashboard is not among them: the copy would keep that access and pass it on.
 */
export async function readCopyTargets(
  kinds: ResourceKinds,
  { projectId, dashboardId, visualIds: ids, visualTitles: titles }: Input<'targets'>,
  context: CallContext,
): Output<'targets'> {
  const requester = inProject(requireCopier(context), projectId);
  const { visuals } = kinds;
  const [dashboard, seen] = await Promise.all([
    dashboardId === undefined ? null : findTargetDashboard(kinds, requester, dashboardId),
    visuals.store.copies.findTargets(requester, { ids, titles }, requester.subjects),
  ]);
  const kept = new Set(dashboard?.linkedVisualIds);
  const conveyed = seen.filter(
    (visual) => kept.has(visual._id) || directLevel(visuals, requester, visual) !== null,
  );
  const visible = await findVisible(visuals, requester, conveyed);
  return {
    dashboard,
    visuals: visible.map(({ resource: { _id: id, title, version } }) => ({ id, title, version })),
  };
}

/** The largest number of uses that a response names. */
const NAMED_MAX = 10;

/** Counts the resources whose body contains one of the ids, and names some that the requester may see. */
export async function findCopyUses(
  kinds: ResourceKinds,
  { projectId, ids, exceptIds }: Input<'uses'>,
  context: CallContext,
): Output<'uses'> {
  const requester = inProject(requireCopier(context), projectId);
  const found = await Promise.all(
    [kinds.dashboards, kinds.visuals].map(async (kind) => {
      const holding = await kind.store.copies.findHolding(requester, { ids, exceptIds }, requester.subjects);
      return { count: holding.length, seen: await findVisible(kind, requester, holding) };
    }),
  );
  const seen = found.flatMap((each) => each.seen);
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    seen: seen.slice(0, NAMED_MAX).map(({ resource: { _id: id, title } }) => ({ id, title })),
  };
}

function stateOf({ _id: id, title, version, revision, copiedBy, replacedBy }: ResourceHeader): ResourceState {
  return { id, title, version, revision, copiedBy: copiedBy ?? null, replacedBy: replacedBy ?? null };
}

/** Reads the present state of copies and replaced dashboards. Only the platform calls it. */
export async function readCopyStates(
  { dashboards, visuals }: ResourceKinds,
  { dashboardIds, visualIds, ...place }: Input<'states'>,
): Output<'states'> {
  const [foundDashboards, foundVisuals] = await Promise.all([
    dashboards.store.copies.findHeaders(place, dashboardIds, []),
    visuals.store.copies.findHeaders(place, visualIds, []),
  ]);
  return { dashboards: foundDashboards.map(stateOf), visuals: foundVisuals.map(stateOf) };
}
