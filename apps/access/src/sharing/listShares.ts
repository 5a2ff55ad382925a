import { SHARE_TARGET_FIELD, type ShareList, type ShareScope } from '@gatehouse/contract';
import { decodeCursor, sliceOf, type CallContext, type ListSlice, type Slice } from '@gatehouse/service';
import { z } from 'zod';
import {
  findLevel,
  requireAdmin,
  requireLevel,
  requireUser,
  type UserRequester,
} from '../decisions/authorizeCaller.js';
import { isAtLeast, isExpired } from '../decisions/logic/access.js';
import type { ResourceHeader, ResourceKind } from '../resources/kind.js';
import type { SharingDependencies } from './grantShares.js';
import type { Share } from './logic/grants.js';
import type { KnownTargets, TargetName } from './resolveTargets.js';

type Entry = ShareList['tenantWide'][number];
type ListedTarget = NonNullable<Entry['target']>;
type Group = Exclude<keyof ShareList, 'owner' | 'nextCursor'>;

const GROUP_OF: Record<ShareScope, Group> = {
  specific_tenant_user: 'specificTenantUsers',
  all_tenant_users: 'tenantWide',
  specific_org_user: 'specificOrgUsers',
  all_org_users: 'orgWide',
  org_users_only: 'orgUsersOnly',
  all_tenants_only: 'allTenantsOnly',
  group: 'specificGroups',
};

function targetNameOfShare({ scope, targetId }: Share): TargetName | null {
  const field = SHARE_TARGET_FIELD[scope];
  return field === null || targetId === null ? null : { field, id: targetId };
}

function ownerNameOf({ ownerType, ownerId }: ResourceHeader): TargetName {
  return { field: ownerType === 'tenant' ? 'tenantUserId' : 'orgUserId', id: ownerId };
}

/** Returns the name and email address of the target with this key. A deleted target has an empty name. */
function describeTarget(known: KnownTargets, name: TargetName, key: string): ListedTarget {
  const target = known.find(name);
  if (target === undefined || target.key !== key) return { id: name.id, name: '' };
  return { id: name.id, name: target.name, ...(target.email === undefined ? {} : { email: target.email }) };
}

/**
 * Returns the owner. A tenant user gets only an owner of its own tenant, or an org user without the email
 * address.
 */
function describeOwner(
  known: KnownTargets,
  header: ResourceHeader,
  { user }: UserRequester,
): ShareList['owner'] {
  const owner = describeTarget(known, ownerNameOf(header), header.ownerKey);
  const { ownerType: type, ownerTenantKey } = header;
  if (user.type === 'organization') return { ...owner, type };
  if (type === 'organization') return { id: owner.id, name: owner.name, type };
  return ownerTenantKey === user.tenantKey ? { ...owner, type } : null;
}

interface ShareQuery extends ListSlice {
  id: string;
  scope?: 'organization' | undefined;
}

/** The resource, and the time and the id of the last share. No list of another resource takes it. */
const partEndOf = (resourceId: string) =>
  z.tuple([z.literal('shares'), z.literal(resourceId), z.number().int(), z.string()]);

/** Shares of one grant have the same time: their ids alone decide what follows a removed share. */
const compareShares = (a: Share, b: Share) =>
  a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);

/**
 * The shares after a cursor, in the order of their times and then of their ids. A list in one part needs no
 * order and keeps the one of the grants.
 */
function cutShares(shares: readonly Share[], { id: resourceId, limit, cursor }: ShareQuery): Slice<Share> {
  const endOf = ({ createdAt, id }: Share) => ['shares', resourceId, createdAt.getTime(), id];
  if (cursor === undefined && shares.length <= limit) return sliceOf([...shares], limit, endOf);
  const ordered = shares.toSorted(compareShares);
  if (cursor === undefined) return sliceOf(ordered.slice(0, limit + 1), limit, endOf);
  const [, , time, last] = decodeCursor(cursor, partEndOf(resourceId));
  const isAfter = ({ createdAt, id }: Share) =>
    createdAt.getTime() > time || (createdAt.getTime() === time && id > last);
  return sliceOf(ordered.filter(isAfter).slice(0, limit + 1), limit, endOf);
}

/** The requester of a list. An ADMIN may request any resource of the project, with a project token alone. */
function requireReader({ type }: ResourceKind, { id, scope }: ShareQuery, context: CallContext) {
  if (scope === undefined) return requireUser(context, type, id);
  const requester = requireUser(context);
  requireAdmin(requester);
  return requester;
}

/**
 * Lists the shares of a resource by scope, without expired shares. A tenant user gets only the shares of its
 * own tenant. The response contains the granters from CONTRIBUTOR up. An ADMIN may on request list the shares
 * of a resource without access to it. Throws NOT_FOUND, and FORBIDDEN if another caller makes that request.
 */
export async function listShares(
  { kind, targets }: SharingDependencies,
  query: ShareQuery,
  context: CallContext,
): Promise<ShareList> {
  const requester = requireReader(kind, query, context);
  const { user, projectId, now } = requester;
  const header = await kind.store.getHeader(projectId, query.id);
  const level =
    query.scope === undefined
      ? await requireLevel(kind, requester, { resource: header, wanted: 'VIEWER' })
      : await findLevel(kind, requester, header);
  const isListed = (share: Share) =>
    !isExpired(share, now) && (user.type === 'organization' || share.tenantKey === user.tenantKey);
  const listed = header.shares.filter(isListed);
  // Parts have an order of their own.
  const inOrder = header.shareParts === undefined ? listed : listed.toSorted(compareShares);
  const { records: shares, nextCursor } = cutShares(inOrder, query);
  const names = [ownerNameOf(header), ...shares.map(targetNameOfShare).filter((name) => name !== null)];
  const known = await targets.findTargets(context, names);
  const list: ShareList = {
    owner: describeOwner(known, header, requester),
    specificTenantUsers: [],
    tenantWide: [],
    specificOrgUsers: [],
    orgWide: [],
    orgUsersOnly: [],
    allTenantsOnly: [],
    specificGroups: [],
  };
  for (const share of shares) {
    const name = targetNameOfShare(share);
    list[GROUP_OF[share.scope]].push({
      id: share.id,
      type: kind.type,
      scope: share.scope,
      role: share.role,
      target: name && describeTarget(known, name, share.subject),
      grantedAt: share.createdAt.toISOString(),
      ...(isAtLeast(level, 'CONTRIBUTOR') ? { grantedBy: share.createdBy } : {}),
      expiresAt: share.expiresAt?.toISOString() ?? null,
    });
  }
  return nextCursor === null ? list : { ...list, nextCursor };
}
