import { SHARES_MAX, type AccessLevel, type ShareScope, type UserType } from '@gatehouse/contract';
import { isAtLeast, type ShareFacts } from '../../decisions/logic/access.js';

/** The target of one request entry, after its lookup. */
export interface ResolvedTarget {
  scope: ShareScope;
  /** From `subjectOfShare`. */
  subject: string;
  /** The public id of the target; null for a scope without a target. */
  targetId: string | null;
  /** The key of the tenant that the target belongs to or is; null for org users, ORG_GROUPs and no target. */
  tenantKey: string | null;
}

/** One entry of a grant. */
export interface ResolvedGrant extends ResolvedTarget {
  role: AccessLevel;
  expiresAt: Date | null;
}

/** A share as stored inside its resource. */
export interface Share extends ShareFacts, ResolvedTarget {
  createdAt: Date;
  createdBy: string;
}

/** The caller of a grant or revocation, with its effective level on the resource. */
export interface Granter {
  level: AccessLevel | null;
  type: UserType;
  tenantKey: string | null;
}

/**
 * The reason for which a grant or revocation is denied. `not_allowed`: the caller may not share this
 * resource. `outside_tenant`: a tenant user shares only inside its own tenant. `exceeds_own_access`: no
 * caller grants, changes or revokes a role above its own level.
 */
export type GrantDenial = 'not_allowed' | 'outside_tenant' | 'exceeds_own_access';

/** The message of `outside_tenant`. */
export const OUTSIDE_TENANT = 'Tenant users share only within their own tenant';

/** The first denied entry of a request. */
export interface DeniedEntry {
  index: number;
  reason: GrantDenial;
}

/** The scopes that a tenant user may share with: those whose target can belong to one tenant. */
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

function decideSharing(granter: Granter, target: ResolvedTarget): GrantDenial | null {
  if (!isAtLeast(granter.level, 'CONTRIBUTOR')) return 'not_allowed';
  if (granter.type === 'tenant' && !isInOwnTenant(granter, target)) return 'outside_tenant';
  return null;
}

/**
 * Decides whether the caller may grant the entry. Null allows it.
 *
 * @param existing the share that the grant would change, if there is one
 */
export function decideGrant(granter: Granter, entry: ResolvedGrant, existing?: Share): GrantDenial | null {
  const denial = decideSharing(granter, entry);
  if (denial !== null) return denial;
  if (!isAtLeast(granter.level, entry.role)) return 'exceeds_own_access';
  if (existing !== undefined && !isAtLeast(granter.level, existing.role)) return 'exceeds_own_access';
  return null;
}

/**
 * Decides whether the caller may revoke the entry. Null allows it.
 *
 * @param existing the share that the entry names, if there is one
 */
export function decideRevocation(
  granter: Granter,
  entry: ResolvedTarget,
  existing?: Share,
): GrantDenial | null {
  const denial = decideSharing(granter, entry);
  if (denial !== null) return denial;
  if (existing !== undefined && !isAtLeast(granter.level, existing.role)) return 'exceeds_own_access';
  return null;
}

/**
 * Returns the first entry that the caller may not grant, given the current shares; null allows all of them.
 */
export function findDeniedGrant(
  granter: Granter,
  entries: readonly ResolvedGrant[],
  shares: readonly Share[],
): DeniedEntry | null {
  return findDenied(entries, shares, (entry, existing) => decideGrant(granter, entry, existing));
}

/** Returns the first entry that the caller may not revoke; null allows all of them. */
export function findDeniedRevocation(
  granter: Granter,
  entries: readonly ResolvedTarget[],
  shares: readonly Share[],
): DeniedEntry | null {
  return findDenied(entries, shares, (entry, existing) => decideRevocation(granter, entry, existing));
}

function findDenied<E extends ResolvedTarget>(
  entries: readonly E[],
  shares: readonly Share[],
  decide: (entry: E, existing?: Share) => GrantDenial | null,
): DeniedEntry | null {
  const { shares: known, places } = placeNamed(shares, entries);
  for (const [index, entry] of entries.entries()) {
    const reason = decide(entry, known[places.get(shareKey(entry)) ?? known.length]);
    if (reason !== null) return { index, reason };
  }
  return null;
}

type Named = Pick<ResolvedTarget, 'scope' | 'subject'>;

/** Shares with the same key are one share: same scope, same target. */
function shareKey({ scope, subject }: Named): string {
  return `${scope} ${subject}`;
}

/**
 * Returns a copy of the shares, and the places of those that the entries name. There may be very many others,
 * whose keys are not needed.
 */
function placeNamed(
  existing: readonly Share[],
  entries: readonly Named[],
): { shares: Share[]; places: Map<string, number> } {
  const subjects = new Set(entries.map(({ subject }) => subject));
  const shares: Share[] = [];
  const places = new Map<string, number>();
  for (const share of existing) {
    const key = subjects.has(share.subject) ? shareKey(share) : null;
    const place = (key === null ? undefined : places.get(key)) ?? shares.length;
    shares[place] = share;
    if (key !== null) places.set(key, place);
  }
  return { shares, places };
}

/** The impure inputs of grants: the time, the granter's id, and new share ids. */
export interface GrantContext {
  /** The number of further shares of the resource, which no entry names. */
  others?: number;
  now: Date;
  createdBy: string;
  newId: () => string;
}

/** One share that grants created or changed. */
export interface ShareChange {
  share: Share;
  /** The share before the change; null for a new share. */
  previous: Share | null;
}

/** The outcome of a grant. */
export interface AppliedGrants {
  shares: Share[];
  /** One share for each entry, in the order of the entries, as stored in `shares`. */
  granted: Share[];
  /** The shares that differ from before, each once. Empty if there is nothing to write. */
  changes: ShareChange[];
}

/** The reason for which grants were not applied. `too_many`: more than `SHARES_MAX` shares. */
export interface RejectedGrants {
  reason: 'too_many';
}

/** Whether two states of a share grant the same. */
export function isSameGrant(a: Share, b: Share): boolean {
  return a.role === b.role && a.expiresAt?.getTime() === b.expiresAt?.getTime();
}

/**
 * Applies the entries in order. A repeated grant to the same scope and target changes the role and the
 * expiry, and keeps the share. Of two entries with the same target, the later one takes effect.
 */
export function applyGrants(
  existing: readonly Share[],
  entries: readonly ResolvedGrant[],
  { others = 0, now, createdBy, newId }: GrantContext,
): AppliedGrants | RejectedGrants {
  const { shares, places } = placeNamed(existing, entries);
  const before = new Map([...places].map(([key, place]) => [key, shares[place]]));
  for (const { scope, subject, targetId, tenantKey, role, expiresAt } of entries) {
    const key = shareKey({ scope, subject });
    const place = places.get(key) ?? shares.length;
    const known = shares[place] ?? {
      id: newId(),
      scope,
      subject,
      targetId,
      tenantKey,
      createdAt: now,
      createdBy,
    };
    shares[place] = { ...known, role, expiresAt };
    places.set(key, place);
  }
  if (shares.length + others > SHARES_MAX) return { reason: 'too_many' };

  const changes: ShareChange[] = [];
  const granted: Share[] = [];
  const reported = new Set<string>();
  for (const entry of entries) {
    const key = shareKey(entry);
    const share = shares[places.get(key) ?? shares.length];
    if (share === undefined) continue;
    granted.push(share);
    const previous = before.get(key) ?? null;
    if (reported.has(key) || (previous !== null && isSameGrant(previous, share))) continue;
    reported.add(key);
    changes.push({ share, previous });
  }
  return { shares, granted, changes };
}

/** Removes the shares that the entries name by scope and target. Entries without a share change nothing. */
export function applyRevocations(
  existing: readonly Share[],
  entries: readonly Named[],
): { shares: Share[]; removed: Share[] } {
  const named = new Set(entries.map(shareKey));
  const shares: Share[] = [];
  const removed: Share[] = [];
  for (const share of existing) (named.has(shareKey(share)) ? removed : shares).push(share);
  return { shares, removed };
}
