import {
  access,
  AppError,
  invalidField,
  SHARE_TARGET_FIELD,
  SHARES_MAX,
  type CloudEvent,
  type GrantEntry,
  type RevokeEntry,
  type ShareRecord,
} from '@gatehouse/contract';
import {
  createEvent,
  newId,
  originOf,
  requireVersion,
  type CallContext,
  type EventOrigin,
} from '@gatehouse/service';
import { requireLevel, requireUser, type UserRequester } from '../decisions/authorizeCaller.js';
import { changeResource } from '../resources/changeResource.js';
import type { NeededShares, ResourceHeader, ResourceKind } from '../resources/kind.js';
import {
  applyGrants,
  applyRevocations,
  findDeniedGrant,
  findDeniedRevocation,
  isSameGrant,
  OUTSIDE_TENANT,
  type AppliedGrants,
  type Granter,
  type GrantDenial,
  type DeniedEntry,
  type ResolvedTarget,
  type Share,
  type ShareChange,
} from './logic/grants.js';
import {
  hiddenTargetOf,
  resolveGrants,
  resolveTarget,
  targetNameOf,
  targetNamesOf,
  type TargetLookup,
} from './resolveTargets.js';

/** The dependencies of sharing resources of one kind. */
export interface SharingDependencies {
  kind: ResourceKind;
  targets: TargetLookup;
}

const DENIALS: Record<GrantDenial, string> = {
  not_allowed: 'Insufficient permissions',
  outside_tenant: OUTSIDE_TENANT,
  exceeds_own_access: 'A share cannot exceed your own access',
};

function deny({ reason }: DeniedEntry, where = ''): never {
  throw new AppError('FORBIDDEN', { message: where + DENIALS[reason] });
}

async function requireGranter(
  { kind }: SharingDependencies,
  requester: UserRequester,
  header: ResourceHeader,
): Promise<Granter> {
  const level = await requireLevel(kind, requester, { resource: header, wanted: 'CONTRIBUTOR' });
  return { level, type: requester.user.type, tenantKey: requester.user.tenantKey };
}

/** One call to grant or revoke. */
interface Request<Entry> {
  requester: UserRequester;
  entries: readonly Entry[];
  context: CallContext;
}

async function decideGrants(
  sharing: SharingDependencies,
  header: ResourceHeader,
  { requester, entries, context }: Request<GrantEntry>,
): Promise<AppliedGrants> {
  const granter = await requireGranter(sharing, requester, header);
  const request = { entries, granterType: granter.type };
  const grants = await resolveGrants(sharing.targets, request, context);
  const denied = findDeniedGrant(granter, grants, header.shares);
  if (denied !== null) deny(denied, `shares[${denied.index}]: `);
  const createdBy = requester.principal.userId;
  const applied = applyGrants(header.shares, grants, {
    others: header.unreadShares ?? 0,
    now: requester.now,
    createdBy,
    newId: () => newId('share'),
  });
  if ('reason' in applied) {
    throw invalidField(
      'shares',
      `a resource holds at most ${SHARES_MAX} shares: share with a group instead`,
      'length',
    );
  }
  return applied;
}

/** Converts a share into its public record. */
function toShareRecord({ type }: ResourceKind, resourceId: string, share: Share): ShareRecord {
  const field = SHARE_TARGET_FIELD[share.scope];
  return {
    id: share.id,
    resourceId,
    resourceType: type,
    scope: share.scope,
    role: share.role,
    ...(field === null || share.targetId === null ? {} : { [field]: share.targetId }),
    createdAt: share.createdAt.toISOString(),
    createdBy: share.createdBy,
    expiresAt: share.expiresAt?.toISOString() ?? null,
  };
}

/** Creates the event of shares of one resource that were granted, changed, revoked or have expired. */
export function sharesEvent(
  { type }: ResourceKind,
  verb: 'granted' | 'revoked' | 'expired',
  { resourceId, shares, origin }: { resourceId: string; shares: readonly Share[]; origin: EventOrigin },
): CloudEvent {
  const states = shares.map(({ id, scope, role, targetId, subject, expiresAt }) => ({
    id,
    scope,
    role,
    targetId,
    subject,
    expiresAt: expiresAt?.toISOString() ?? null,
  }));
  const data = { resourceId, shares: states };
  return createEvent(`management.${type}_share.${verb}.v1`, resourceId, { origin, data });
}

/** The entries of one request. */
interface Entries<E> {
  id: string;
  shares: E[];
  /** To undo a grant: the share after it, which nothing may have changed since. */
  undone?: Share | undefined;
}

interface GrantEntries extends Entries<GrantEntry> {
  /** Called with the changes that the grant has made. */
  onGranted?: ((changes: readonly ShareChange[]) => void) | undefined;
}

/** The shares that a decision needs: the requester's, and those that the entries name. */
function neededShares(
  { subjects, user, principal }: UserRequester,
  entries: readonly (GrantEntry | RevokeEntry)[],
): NeededShares {
  const scope = user.type === 'tenant' ? 'specific_tenant_user' : 'specific_org_user';
  const named = entries.map((entry) => ({
    scope: entry.scope,
    targetId: targetNameOf(entry)?.id ?? null,
  }));
  return {
    subjects: subjects.filter((subject) => subject !== user.userKey),
    names: [{ scope, targetId: principal.userId }, ...named],
  };
}

/** Throws CONFLICT if the share of a grant to undo has changed since. */
function requireUnchanged({ shares }: ResourceHeader, undone: Share | undefined): void {
  const present = undone && shares.find(({ id }) => id === undone.id);
  if (undone && (present === undefined || !isSameGrant(present, undone))) throw new AppError('CONFLICT');
}

/**
 * Grants access: all entries or none. A repeated grant to the same scope and target changes the role and
 * keeps the share. Throws NOT_FOUND; FORBIDDEN below CONTRIBUTOR, above the caller's own level or outside a
 * tenant user's tenant; and INVALID_REQUEST for unknown targets, past expiries, and too many shares.
 */
export async function grantShares(
  sharing: SharingDependencies,
  { id, shares: entries, undone, onGranted }: GrantEntries,
  context: CallContext,
): Promise<{ message: string; shares: ShareRecord[] }> {
  const { kind } = sharing;
  const requester = requireUser(context, kind.type, id);
  let granted: readonly Share[] = [];
  let changes: readonly ShareChange[] = [];
  await changeResource(kind, requester, {
    id,
    needed: neededShares(requester, entries),
    async decide(header) {
      requireUnchanged(header, undone);
      const applied = await decideGrants(sharing, header, { requester, entries, context });
      ({ granted, changes } = applied);
      if (changes.length === 0) return null;
      const changed = changes.map(({ share }) => share);
      const event = { resourceId: id, shares: changed, origin: originOf(access.name, context) };
      return {
        change: { shares: applied.shares },
        events: [sharesEvent(kind, 'granted', event)],
      };
    },
  });
  onGranted?.(changes);
  const shares = granted.map((share) => toShareRecord(kind, id, share));
  return { message: `${kind.noun} shared successfully`, shares };
}

const nameKey = (scope: string, targetId: string | null) => `${scope} ${targetId ?? ''}`;

/**
 * Returns the shares that the entries name by target id, in the order of the entries. The target may have
 * been deleted. For a tenant user, entries that match no share are looked up, so that a denied revocation
 * does not disclose whether the share or the target exists.
 */
async function findNamedTargets(
  { targets }: SharingDependencies,
  header: ResourceHeader,
  { requester, entries, context }: Request<RevokeEntry>,
): Promise<ResolvedTarget[]> {
  const names = entries.map((entry) => nameKey(entry.scope, targetNameOf(entry)?.id ?? null));
  const byName = new Map(names.map((name): [string, Share[]] => [name, []]));
  for (const share of header.shares) byName.get(nameKey(share.scope, share.targetId))?.push(share);
  const matches = names.map((name) => byName.get(name) ?? []);
  if (requester.user.type === 'organization') return matches.flat();
  const unmatched = entries.filter((_, index) => matches[index]?.length === 0);
  const known = await targets.findTargets(context, targetNamesOf(unmatched));
  return entries.flatMap((entry, index): ResolvedTarget[] => {
    const matched = matches[index] ?? [];
    return matched.length > 0 ? matched : [resolveTarget(entry, known) ?? hiddenTargetOf(entry)];
  });
}

/**
 * Revokes access by scope and target: all entries or none. Entries that match no share have no effect. Throws
 * NOT_FOUND, PRECONDITION_FAILED, and FORBIDDEN under the same conditions as a grant.
 */
export async function revokeShares(
  sharing: SharingDependencies,
  { id, shares: entries, undone }: Entries<RevokeEntry>,
  context: CallContext,
): Promise<{ message: string; removed: ShareRecord[] }> {
  const { kind } = sharing;
  const requester = requireUser(context, kind.type, id);
  let removed: readonly Share[] = [];
  await changeResource(kind, requester, {
    id,
    needed: neededShares(requester, entries),
    async decide(header) {
      requireUnchanged(header, undone);
      const granter = await requireGranter(sharing, requester, header);
      requireVersion(context, header.version);
      const named = await findNamedTargets(sharing, header, { requester, entries, context });
      const denied = findDeniedRevocation(granter, named, header.shares);
      if (denied !== null) deny(denied);
      const applied = applyRevocations(header.shares, named);
      removed = applied.removed;
      if (removed.length === 0) return null;
      const event = { resourceId: id, shares: removed, origin: originOf(access.name, context) };
      return {
        change: { shares: applied.shares },
        events: [sharesEvent(kind, 'revoked', event)],
      };
    },
  });
  return {
    message: `${kind.noun} access revoked successfully`,
    removed: removed.map((share) => toShareRecord(kind, id, share)),
  };
}
