import { AppError, type GroupPermission, Id } from '@gatehouse/contract';
import { decodeCursor, encodeCursor, type CallContext } from '@gatehouse/service';
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

type KindName = keyof ResourceKinds;
/** The order of the list: dashboards before visuals, each the newest first. */
const ORDER: readonly KindName[] = ['dashboards', 'visuals'];
/** The kind and the last resource of a part; null before the first resource of the kind. */
const PartEnd = z.tuple([z.enum(['dashboards', 'visuals']), z.number().int().nullable(), Id.nullable()]);

interface Part {
  permissions: GroupPermission[];
  /** The last resource that was read, if more follow; null before the first one. */
  end: CreationPosition | null;
  hasMore: boolean;
}

async function readPart(
  kind: ResourceKind,
  requester: UserRequester,
  { subject, after, limit }: { subject: string; after: CreationPosition | null; limit: number },
): Promise<Part> {
  const { projectId, now } = requester;
  const found = await kind.store.findReachedBy(projectId, subject, { after, limit: limit + 1 });
  const resources = found.slice(0, limit);
  const levels = await findLevels(kind, requester, resources);
  const permissions = resources.flatMap((resource, index) => {
    if (!isAdmin(requester) && (levels[index] ?? null) === null) return [];
    const shares = resource.shares.filter((share) => share.subject === subject && !isExpired(share, now));
    return shares.map(({ id, role, createdAt, expiresAt }) => ({
      shareId: id,
      resourceType: kind.type,
      resourceId: resource._id,
      title: resource.title,
      role,
      grantedAt: createdAt.toISOString(),
      expiresAt: expiresAt?.toISOString() ?? null,
    }));
  });
  const last = resources.at(-1);
  const end = last === undefined ? after : { createdAt: last.createdAt, id: last._id };
  return { permissions, end, hasMore: found.length > limit };
}

function startOf(cursor: string | undefined): { first: KindName; after: CreationPosition | null } {
  if (cursor === undefined) return { first: 'dashboards', after: null };
  const [first, time, id] = decodeCursor(cursor, PartEnd);
  return { first, after: time === null || id === null ? null : { createdAt: new Date(time), id } };
}

/** Reads a part of the permissions. It may have fewer than `limit` where the caller may not see some. */
async function readPermissions(
  kinds: ResourceKinds,
  requester: UserRequester,
  { subject, limit, cursor }: { subject: string; limit: number; cursor?: string | undefined },
): Promise<{ permissions: GroupPermission[]; nextCursor: string | null }> {
  const { first, after } = startOf(cursor);
  const permissions: GroupPermission[] = [];
  let position = after;
  for (const name of ORDER.slice(ORDER.indexOf(first))) {
    const wanted = { subject, after: position, limit: limit - permissions.length };
    const { permissions: found, end, hasMore } = await readPart(kinds[name], requester, wanted);
    permissions.push(...found);
    if (hasMore) {
      const nextCursor = encodeCursor([name, end?.createdAt.getTime() ?? null, end?.id ?? null]);
      return { permissions, nextCursor };
    }
    position = null;
  }
  return { permissions, nextCursor: null };
}

/**
 * Lists what is shared with a group in the project: the resources that the caller may see, or all of them for
 * an ADMIN. Throws NOT_FOUND for an unknown group and, for a tenant user, for a group outside its tenant.
 */
export async function listGroupPermissions(
  { kinds, targets }: GroupPermissionDependencies,
  { id, limit, cursor }: { id: string; limit: number; cursor?: string | undefined },
  context: CallContext,
): Promise<{ groupId: string; permissions: GroupPermission[]; nextCursor: string | null }> {
  const requester = requireUser(context);
  const group = (await targets.findTargets(context, [{ field: 'groupId', id }])).find({
    field: 'groupId',
    id,
  });
  const isHidden = requester.user.type === 'tenant' && group?.tenantKey !== requester.user.tenantKey;
  if (group === undefined || isHidden) throw new AppError('NOT_FOUND');
  const part = await readPermissions(kinds, requester, { subject: group.key, limit, cursor });
  return { groupId: id, ...part };
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

/** A header contains all shares of its resource, up to 10,000. */
const HEADERS_PER_PAGE = 50;

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
    let afterId = '';
    do {
      const page = { afterId, limit: HEADERS_PER_PAGE };
      headers = await kind.store.findHeadersReachedBy(organizationId, subject, page);
      if (!(await areCovered(kind, requester, { headers, subject }))) return false;
      afterId = headers.at(-1)?._id ?? '';
    } while (headers.length === HEADERS_PER_PAGE);
  }
  return true;
}
