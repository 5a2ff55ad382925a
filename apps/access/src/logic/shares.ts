import { SHARES_MAX, type AccessLevel, type ShareScope } from '@gatehouse/contract';
import type { ShareFacts } from './facts.js';

/** What one entry of a request names, once its target is known to exist. */
export interface ResolvedTarget {
  scope: ShareScope;
  /** As `subjectOfShare` writes it. */
  subject: string;
  /** The public id of the target; null where the scope names nobody. */
  targetId: string | null;
  /** The key of the tenant that the target belongs to or is; null for org users, ORG_GROUPs and nobody. */
  tenantKey: string | null;
}

/** One entry of a grant. */
export interface ResolvedGrant extends ResolvedTarget {
  role: AccessLevel;
  expiresAt: Date | null;
}

/** A share as it is stored inside its resource. */
export interface Share extends ShareFacts, ResolvedTarget {
  createdAt: Date;
  createdBy: string;
}

/** What grants need from outside: the moment, the granter's id, and new share ids. */
export interface GrantContext {
  now: Date;
  createdBy: string;
  newId: () => string;
}

/** One share that grants made or changed. */
export interface ShareChange {
  share: Share;
  /** As it was before; null when the share is new. */
  previous: Share | null;
}

/** The outcome of a grant. */
export interface AppliedGrants {
  shares: Share[];
  /** One for each entry, in their order, as they stand in `shares`. */
  granted: Share[];
  /** Those that differ from before, each once. Empty when there is nothing to write. */
  changes: ShareChange[];
}

/** Why grants were not applied. `too_many`: more than `SHARES_MAX` shares; a group reaches as many people with one. */
export interface RefusedGrants {
  reason: 'too_many';
}

/** True from the moment on at which the share grants nothing. */
export function isExpired(share: Pick<ShareFacts, 'expiresAt'>, now: Date): boolean {
  // Asked this way round an invalid date counts as past.
  return share.expiresAt !== null && !(share.expiresAt.getTime() > now.getTime());
}

/** The shares that grant nothing any more and are to be swept. */
export function expiredShares<S extends Pick<ShareFacts, 'expiresAt'>>(shares: readonly S[], now: Date): S[] {
  return shares.filter((share) => isExpired(share, now));
}

/** Two shares with the same key are one: same scope, same target. */
export function shareKey({ scope, subject }: Pick<ResolvedTarget, 'scope' | 'subject'>): string {
  return `${scope} ${subject}`;
}

function isSameGrant(a: Share, b: Share): boolean {
  return a.role === b.role && a.expiresAt?.getTime() === b.expiresAt?.getTime();
}

/**
 * Applies the entries in order. Granting again to the same scope and target changes the role and the expiry and keeps
 * the share; of two entries with the same target the later wins.
 */
export function applyGrants(
  existing: readonly Share[],
  entries: readonly ResolvedGrant[],
  { now, createdBy, newId }: GrantContext,
): AppliedGrants | RefusedGrants {
  const before = new Map(existing.map((share) => [shareKey(share), share]));
  const after = new Map(before);
  for (const { scope, subject, targetId, tenantKey, role, expiresAt } of entries) {
    const key = shareKey({ scope, subject });
    const known = after.get(key) ?? {
      id: newId(),
      scope,
      subject,
      targetId,
      tenantKey,
      createdAt: now,
      createdBy,
    };
    after.set(key, { ...known, role, expiresAt });
  }
  if (after.size > SHARES_MAX) return { reason: 'too_many' };

  const changes: ShareChange[] = [];
  const granted: Share[] = [];
  const told = new Set<string>();
  for (const entry of entries) {
    const key = shareKey(entry);
    const share = after.get(key);
    if (share === undefined) continue;
    granted.push(share);
    const previous = before.get(key) ?? null;
    if (told.has(key) || (previous !== null && isSameGrant(previous, share))) continue;
    told.add(key);
    changes.push({ share, previous });
  }
  return { shares: [...after.values()], granted, changes };
}

/** Takes away the shares that the entries name by scope and target; those that name none change nothing. */
export function applyRevocations(
  existing: readonly Share[],
  entries: readonly Pick<ResolvedTarget, 'scope' | 'subject'>[],
): { shares: Share[]; removed: Share[] } {
  const named = new Set(entries.map(shareKey));
  const shares: Share[] = [];
  const removed: Share[] = [];
  for (const share of existing) (named.has(shareKey(share)) ? removed : shares).push(share);
  return { shares, removed };
}
