import { AppError, type GroupPermission, Id } from '@gatehouse/contract';
import { CursorTime, decodeCursor, sliceOf, type CallContext, type ListSlice } from '@gatehouse/service';
import { z } from 'zod';
import { findLevels, isAdmin, requireUser, type UserRequester } from '../decisions/authorizeCaller.js';
import { groupKey, isAtLeast, isExpired } from '../decisions/logic/access.js';
import type { CreationPosition, ResourceHeader, ResourceKind, ResourceKinds } from '../resources/kind.js';
import type { TargetLookup } from './resolveTargets.js';

/** The dependencies of {@link listGroupPermissions}. */
interface GroupPermissionDependencies {
  kinds: ResourceKinds;
  targets: TargetLookup;
}

/** The order of the list: dashboards before visuals, each the newest first. */
const ORDER = ['dashboards', 'visuals'] as const;
type KindName = (typeof ORDER)[number];
/** The group, and the kind and the resource of the last permission. No list of another group takes it. */
const partEndOf = (groupId: string) =>
  z.tuple([z.literal('permissions'), z.literal(groupId), z.enum(ORDER), CursorTime, Id]);

const HEADERS_PER_READ = 10;

interface Granted {
  permission: GroupPermission;
  place: { kindName: KindName } & CreationPosition;
}

/** The permissions on the resources that the caller may see. */
async function keepVisible(
  [kindName, kind]: readonly [KindName, ResourceKind],
  requester: UserRequester,
  { resources, subject }: { resources: readonly ResourceHeader[]; subject: string },
): Promise<Granted[]> {
  const levels = await findLevels(kind, requester, resources);
  return resources.flatMap((resource, index) => {
    if (!isAdmin(requester) && (levels[index] ?? null) === null) return [];
    const place = { kindName, createdAt: resource.createdAt, id: resource._id };
    const shares = resource.shares.filter(
      (share) => share.subject === subject && !isExpired(share, requester.now),
    );
    return shares.map(({ id, role, createdAt, expiresAt }) => ({
      place,
      permission: {
        shareId: id,
        resourceType: kind.type,
        resourceId: resource._id,
        title: resource.title,
        role,
        grantedAt: createdAt.toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
      },
    }));
  });
}

/**
 * Reads resources until more than `limit` permissions are visible, or none are left. So a cursor names only
 * resources that the caller may see.
 */
async function readPermissions(
  kinds: ResourceKinds,
  requester: UserRequester,
  { groupId, subject, limit, cursor }: { groupId: string; subject: string } & ListSlice,
): Promise<Granted[]> {
  const [, , first, createdAt, last] =
    cursor === undefined ? (['', '', ORDER[0]] as const) : decodeCursor(cursor, partEndOf(groupId));
  let after: CreationPosition | null = createdAt && last !== undefined ? { createdAt, id: last } : null;
  const granted: Granted[] = [];
  for (const name of ORDER.slice(ORDER.indexOf(first))) {
    let resources: ResourceHeader[];
    do {
      const part = { after, limit: HEADERS_PER_READ, subjects: requester.subjects };
      resources = await kinds[name].store.findReachedBy(requester.projectId, subject, part);
      granted.push(...(await keepVisible([name, kinds[name]], requester, { resources, subject })));
      if (granted.length > limit) return granted;
      const end = resources.at(-1);
      after = end === undefined ? null : { createdAt: end.createdAt, id: end._id };
    } while (resources.length === HEADERS_PER_READ);
    after = null;
  }
  return granted;
}

/**
 * Lists what is shared with a group in the project: the resources that the caller may see, or all of them for
 * an ADMIN. Throws NOT_FOUND for an unknown group and, for a tenant user, for a group outside its tenant.
 */
export async function listGroupPermissions(
  { kinds, targets }: GroupPermissionDependencies,
  { id, ...slice }: { id: string } & ListSlice,
  context: CallContext,
): Promise<{ groupId: string; permissions: GroupPermission[]; nextCursor: string | null }> {
  const requester = requireUser(context);
  const group = (await targets.findTargets(context, [{ field: 'groupId', id }])).find({
    field: 'groupId',
    id,
  });
  const isHidden = requester.user.type === 'tenant' && group?.tenantKey !== requester.user.tenantKey;
  if (group === undefined || isHidden) throw new AppError('NOT_FOUND');
  const granted = await readPermissions(kinds, requester, { groupId: id, subject: group.key, ...slice });
  const { records, nextCursor } = sliceOf(granted, slice.limit, ({ place }) => [
    'permissions',
    id,
    place.kindName,
    place.createdAt.getTime(),
    place.id,
  ]);
  return { groupId: id, permissions: records.map(({ permission }) => permission), nextCursor };
}

/**
 * Returns true if any resource of the organization is shared with the group. Throws FORBIDDEN without a role.
 */
export async function isGroupUsed(
  { dashboards, visuals }: ResourceKinds,
  { id }: { id: string },
  context: CallContext,
): Promise<boolean> {
  const { organizationId, now } = requireUser(context);
  const subject = groupKey(id);
  const isUsed = await Promise.all([
    dashboards.store.hasShareFor(organizationId, subject, now),
    visuals.store.hasShareFor(organizationId, subject, now),
  ]);
  return isUsed.includes(true);
}

/** Returns true if the requester's level is at least the group's on each resource. Projects may differ. */
async function areCovered(
  kind: ResourceKind,
  requester: UserRequester,
  { headers, subject }: { headers: readonly ResourceHeader[]; subject: string },
): Promise<boolean> {
  for (const projectId of new Set(headers.map((header) => header.projectId))) {
    const resources = headers.filter((header) => header.projectId === projectId);
    const levels = await findLevels(kind, { ...requester, projectId }, resources);
    const isCovered = resources.every(({ shares }, index) =>
      shares.every(
        (share) =>
          share.subject !== subject ||
          isExpired(share, requester.now) ||
          isAtLeast(levels[index] ?? null, share.role),
      ),
    );
    if (!isCovered) return false;
  }
  return true;
}

/**
 * Returns true if the caller has at least the group's access to every resource of the organization that is
 * shared with the group. Membership must not give more than the caller may grant. Throws FORBIDDEN without a
 * role.
 */
export async function isGroupCovered(
  { dashboards, visuals }: ResourceKinds,
  { id }: { id: string },
  context: CallContext,
): Promise<boolean> {
  const requester = requireUser(context);
  const subject = groupKey(id);
  const { organizationId } = requester;
  for (const kind of [dashboards, visuals]) {
    let headers: ResourceHeader[];
    let after = '';
    do {
      const page = { after, limit: HEADERS_PER_READ, subjects: requester.subjects };
      headers = await kind.store.findHeadersReachedBy(organizationId, subject, page);
      if (!(await areCovered(kind, requester, { headers, subject }))) return false;
      after = headers.at(-1)?._id ?? '';
    } while (headers.length === HEADERS_PER_READ);
  }
  return true;
}
