import {
  AppError,
  isPerson,
  type audit,
  type InputOf,
  type OutputOf,
  type PersonPrincipal,
  type UserFacts,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { groupIdsAt, resourcesAt, usersAt, type ResourceThen } from './logic/past.js';
import type { HistoryStore, IdPage } from './store.js';

type History = (typeof audit)['procedures']['history'];
type UsersThen = OutputOf<History['users']>;
type ResourcesThen = OutputOf<History['resources']>;
type Linking = ResourcesThen['linking'];

function requirePerson({ principal }: CallContext): PersonPrincipal {
  if (!isPerson(principal)) throw new AppError('FORBIDDEN');
  return principal;
}

/** The named ids, or the next page of all. */
async function selectIds(
  { ids, afterId }: { ids?: string[] | undefined; afterId?: string | undefined },
  readPage: (afterId: string) => Promise<IdPage>,
): Promise<IdPage> {
  if (ids !== undefined) return { ids: [...new Set(ids)], nextAfterId: null };
  return readPage(afterId ?? '');
}

/** The users at a moment, with role, tenant and groups. A tenant user sees only its own tenant. */
export async function findPastUsers(
  store: HistoryStore,
  { at, ...selection }: InputOf<History['users']>,
  context: CallContext,
): Promise<UsersThen> {
  const principal = requirePerson(context);
  const { organizationId } = principal;
  const moment = new Date(at);
  // First, so that the result covers at least this time.
  const recorded = await store.findRecordedUntil(organizationId);
  const page = await selectIds(selection, (afterId) => store.listUserIds(organizationId, afterId));
  const then = (await usersAt(store.scanUserFacts(organizationId, page.ids), moment)).filter(
    ({ user }) => principal.kind !== 'tenantUser' || user.tenantKey === principal.tenantKey,
  );
  const userKeys = then.map(({ user }) => user.userKey);
  const groupIds = await groupIdsAt(store.scanGroupFacts(organizationId, userKeys), moment);
  const withGroups = (user: Omit<UserFacts, 'groupIds'>) => ({
    ...user,
    groupIds: groupIds.get(user.userKey) ?? [],
  });
  return {
    users: then.map(({ user, basedOn }) => ({ user: withGroups(user), basedOn })),
    recordedUntil: recorded?.toISOString() ?? null,
    nextAfterId: page.nextAfterId,
  };
}

/** The resources at a moment; for visuals, also the dashboards of their project that linked them then. */
export async function findPastResources(
  store: HistoryStore,
  { type, at, subjects, ...selection }: InputOf<History['resources']>,
  context: CallContext,
): Promise<ResourcesThen> {
  const { organizationId, projectId } = requirePerson(context);
  const readThen = async (ids: readonly string[]): Promise<ResourceThen[]> => {
    const then = await resourcesAt(store.scanResourceFacts(organizationId, ids, subjects), new Date(at));
    return then.filter(({ resource }) => resource.projectId === projectId);
  };
  const page = await selectIds(selection, (afterId) => store.listResourceIds(organizationId, afterId));
  const found = (await readThen(page.ids)).filter(({ resource }) => resource.type === type);
  const resources = found.map(({ resource, basedOn }) => ({ resource, basedOn }));
  const { nextAfterId } = page;
  if (type === 'dashboard' || found.length === 0) return { resources, linking: [], nextAfterId };
  const visualIds = new Set(found.map(({ resource }) => resource.id));
  const linkingIds = await store.listLinkingIds(organizationId, [...visualIds]);
  const linking: Linking = (await readThen(linkingIds)).flatMap(
    ({ resource: dashboard, linkedVisualIds }) => {
      const linked = linkedVisualIds.filter((id) => visualIds.has(id));
      return linked.length === 0 ? [] : [{ dashboard, linkedVisualIds: linked }];
    },
  );
  return { resources, linking, nextAfterId };
}
