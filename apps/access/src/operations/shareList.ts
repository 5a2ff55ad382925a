import { SHARE_TARGET_FIELD, type ShareList, type ShareScope } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { isAtLeast } from '../logic/roleCeiling.js';
import { isExpired, type Share } from '../logic/shares.js';
import type { ResourceHeader } from '../store/resourceDocument.js';
import { requireLevel } from './accessLevels.js';
import { requirePerson, type Person } from './asker.js';
import type { KnownTargets, TargetName } from './targetDirectory.js';
import type { Sharing } from './shares.js';

type Entry = ShareList['tenantWide'][number];
type ListedTarget = NonNullable<Entry['target']>;
type Group = Exclude<keyof ShareList, 'owner'>;

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

/** The name, and e-mail address, of the very target that has this key; one that is gone has no name any more. */
function describeTarget(known: KnownTargets, name: TargetName, key: string): ListedTarget {
  const target = known.find(name);
  if (target === undefined || target.key !== key) return { id: name.id, name: '' };
  return { id: name.id, name: target.name, ...(target.email === undefined ? {} : { email: target.email }) };
}

/** A tenant user is told of an owner of its own tenant, and of an org user without the address. */
function describeOwner(known: KnownTargets, header: ResourceHeader, { user }: Person): ShareList['owner'] {
  const owner = describeTarget(known, ownerNameOf(header), header.ownerKey);
  const { ownerType: type, ownerTenantKey } = header;
  if (user.type === 'organization') return { ...owner, type };
  if (type === 'organization') return { id: owner.id, name: owner.name, type };
  return ownerTenantKey === user.tenantKey ? { ...owner, type } : null;
}

/**
 * The shares of a resource by the kind of target, without those that have expired. A tenant user sees only those of its own
 * tenant; who granted them is shown from CONTRIBUTOR up. Throws NOT_FOUND.
 */
export async function listShares(
  { kind, targets }: Sharing,
  { id }: { id: string },
  context: CallContext,
): Promise<ShareList> {
  const person = requirePerson(context, kind.type, id);
  const { user, projectId, now } = person;
  const header = await kind.store.getHeader(projectId, id);
  const level = await requireLevel(kind, person, { resource: header, wanted: 'VIEWER' });
  const isListed = (share: Share) =>
    !isExpired(share, now) && (user.type === 'organization' || share.tenantKey === user.tenantKey);
  const shares = header.shares.filter(isListed);
  const names = [ownerNameOf(header), ...shares.map(targetNameOfShare).filter((name) => name !== null)];
  const known = await targets.findTargets(context, names);
  const list: ShareList = {
    owner: describeOwner(known, header, person),
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
  return list;
}
