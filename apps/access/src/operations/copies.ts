import { AppError, type AccessLevel, type InputOf, type OutputOf, type Services } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { ResourceHeader, SeenResource } from '../store/resourceDocument.js';
import { findLevel, findLevels } from './accessLevels.js';
import { requirePerson, type Person } from './asker.js';
import type { ResourceKind, ResourceKinds } from './resourceKind.js';

type Copies = Services['access']['procedures']['copies'];
type Input<V extends keyof Copies> = InputOf<Copies[V]>;
type Answer<V extends keyof Copies> = Promise<OutputOf<Copies[V]>>;

/** A page is one message between services, and is parsed at once. */
const PAGE = { count: 100, bytes: 4 * 1024 * 1024 };

/** The org user who copies a dashboard. Throws FORBIDDEN for everybody else, and for the token of another dashboard. */
function requireCopier(context: CallContext, dashboardId?: string): Person {
  const { principal } = context;
  const person = requirePerson(context, 'dashboard', dashboardId ?? principal.dashboardId);
  if (principal.kind !== 'orgUser' || principal.role === 'VIEWER') throw new AppError('FORBIDDEN');
  return person;
}

/** The same person in another project of the organization. */
function inProject(person: Person, projectId: string): Person {
  return { ...person, projectId, tokenDashboardId: undefined };
}

async function findVisible<T extends SeenResource | ResourceHeader>(
  kind: ResourceKind,
  person: Person,
  resources: readonly T[],
): Promise<{ resource: T; level: AccessLevel }[]> {
  const levels = await findLevels(kind, person, resources);
  return resources.flatMap((resource, index) => {
    const level = levels[index] ?? null;
    return level === null ? [] : [{ resource, level }];
  });
}

export async function readCopySource(
  { dashboards }: ResourceKinds,
  { dashboardId }: Input<'source'>,
  context: CallContext,
): Answer<'source'> {
  const person = requireCopier(context, dashboardId);
  const seen = await dashboards.store.findSeen(person.projectId, dashboardId, person.subjects);
  const level = seen && (await findLevel(dashboards, person, seen));
  if (!seen || !level) throw new AppError('NOT_FOUND');
  const { id, title, description, tags, isDataApp, template, version } = dashboards.toRecord(seen, level);
  return { dashboard: { id, title, description, tags, isDataApp, template, version, level } };
}

export async function readCopyVisuals(
  { visuals }: ResourceKinds,
  { ids, afterId = '' }: Input<'visuals'>,
  context: CallContext,
): Answer<'visuals'> {
  const person = requireCopier(context);
  const { projectId, subjects } = person;
  const found = await findVisible(
    visuals,
    person,
    await visuals.store.findManySeen(projectId, ids, subjects),
  );
  const byId = new Map(found.map(({ resource }) => [resource._id, resource]));
  const selection = { ids: [...byId.keys()], reach: null };
  // Read after the versions: what changed in between is taken for changed.
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

async function findTargetDashboard(
  { dashboards }: ResourceKinds,
  person: Person,
  id: string,
): Promise<Awaited<Answer<'targets'>>['dashboard']> {
  const [header] = await dashboards.store.copies.findHeaders(person, [id]);
  const level = header && (await findLevel(dashboards, person, header));
  if (!header || !level) return null;
  const whole = await dashboards.store.getHeaderWithBody(person.projectId, id);
  const { title, description, tags, isDataApp, template, version } = dashboards.toRecord(whole, level);
  const linkedVisualIds = whole.linkedVisualIds === undefined ? null : [...whole.linkedVisualIds];
  return { id, title, description, tags, isDataApp, template, linkedVisualIds, version, level };
}

export async function readCopyTargets(
  kinds: ResourceKinds,
  { projectId, dashboardId, visualIds: ids, visualTitles: titles }: Input<'targets'>,
  context: CallContext,
): Answer<'targets'> {
  const person = inProject(requireCopier(context), projectId);
  const { visuals } = kinds;
  const [dashboard, seen] = await Promise.all([
    dashboardId === undefined ? null : findTargetDashboard(kinds, person, dashboardId),
    visuals.store.copies.findTargets(person, { ids, titles }, person.subjects),
  ]);
  const visible = await findVisible(visuals, person, seen);
  return {
    dashboard,
    visuals: visible.map(({ resource: { _id: id, title, version } }) => ({ id, title, version })),
  };
}

const NAMED_MAX = 10;

export async function findCopyUses(
  kinds: ResourceKinds,
  { projectId, ids, exceptIds }: Input<'uses'>,
  context: CallContext,
): Answer<'uses'> {
  const person = inProject(requireCopier(context), projectId);
  const found = await Promise.all(
    [kinds.dashboards, kinds.visuals].map(async (kind) => {
      const holding = await kind.store.copies.findHolding(person, { ids, exceptIds });
      return { count: holding.length, seen: await findVisible(kind, person, holding) };
    }),
  );
  const seen = found.flatMap((each) => each.seen);
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    seen: seen.slice(0, NAMED_MAX).map(({ resource: { _id: id, title } }) => ({ id, title })),
  };
}
