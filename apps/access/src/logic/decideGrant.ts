import type { AccessLevel, ShareScope, UserType } from '@gatehouse/contract';
import { isAtLeast } from './roleCeiling.js';
import { shareKey, type ResolvedGrant, type ResolvedTarget, type Share } from './shares.js';

/** Who shares: the caller and its effective level on the resource. */
export interface Granter {
  level: AccessLevel | null;
  type: UserType;
  tenantKey: string | null;
}

/**
 * Why a grant or a revocation is refused. `not_allowed`: the caller may not share this resource at all.
 * `outside_tenant`: a tenant user shares inside its own tenant only. `exceeds_own_access`: nobody gives, changes or
 * takes a role above its own level.
 */
export type GrantRefusal = 'not_allowed' | 'outside_tenant' | 'exceeds_own_access';

/** The first refused entry of a request, and why. */
export interface RefusedEntry {
  index: number;
  reason: GrantRefusal;
}

/** The scopes whose target belongs to one tenant, or may: the only ones that a tenant user shares with. */
const IS_WITHIN_TENANT: Record<ShareScope, boolean> = {
  specific_tenant_user: true,
  all_tenant_users: true,
  specific_org_user: false,
  all_org_users: false,
  org_users_only: false,
  all_tenants_only: false,
  group: true,
};

function isInOwnTenant(granter: Granter, target: ResolvedTarget): boolean {
  return (
    IS_WITHIN_TENANT[target.scope] && granter.tenantKey !== null && target.tenantKey === granter.tenantKey
  );
}

function decideSharing(granter: Granter, target: ResolvedTarget): GrantRefusal | null {
  if (!isAtLeast(granter.level, 'CONTRIBUTOR')) return 'not_allowed';
  if (granter.type === 'tenant' && !isInOwnTenant(granter, target)) return 'outside_tenant';
  return null;
}

/** Whether the caller may grant the entry; `existing` is the share that it would change, if there is one. Null allows it. */
export function decideGrant(granter: Granter, entry: ResolvedGrant, existing?: Share): GrantRefusal | null {
  const refusal = decideSharing(granter, entry);
  if (refusal !== null) return refusal;
  if (!isAtLeast(granter.level, entry.role)) return 'exceeds_own_access';
  if (existing !== undefined && !isAtLeast(granter.level, existing.role)) return 'exceeds_own_access';
  return null;
}

/** Whether the caller may revoke what the entry names; `existing` is that share, if there is one. Null allows it. */
export function decideRevocation(
  granter: Granter,
  entry: ResolvedTarget,
  existing?: Share,
): GrantRefusal | null {
  const refusal = decideSharing(granter, entry);
  if (refusal !== null) return refusal;
  if (existing !== undefined && !isAtLeast(granter.level, existing.role)) return 'exceeds_own_access';
  return null;
}

/** The first entry of a grant that the caller may not make, decided on the shares as they are; null allows all of them. */
export function findRefusedGrant(
  granter: Granter,
  entries: readonly ResolvedGrant[],
  shares: readonly Share[],
): RefusedEntry | null {
  return findRefused(entries, shares, (entry, existing) => decideGrant(granter, entry, existing));
}

/** The first entry of a revocation that the caller may not make; null allows all of them. */
export function findRefusedRevocation(
  granter: Granter,
  entries: readonly ResolvedTarget[],
  shares: readonly Share[],
): RefusedEntry | null {
  return findRefused(entries, shares, (entry, existing) => decideRevocation(granter, entry, existing));
}

function findRefused<E extends ResolvedTarget>(
  entries: readonly E[],
  shares: readonly Share[],
  decide: (entry: E, existing?: Share) => GrantRefusal | null,
): RefusedEntry | null {
  const existing = new Map(shares.map((share) => [shareKey(share), share]));
  for (const [index, entry] of entries.entries()) {
    const reason = decide(entry, existing.get(shareKey(entry)));
    if (reason !== null) return { index, reason };
  }
  return null;
}
