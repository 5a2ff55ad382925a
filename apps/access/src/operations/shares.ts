import {
  AppError,
  invalidField,
  SHARES_MAX,
  type GrantEntry,
  type RevokeEntry,
  type ShareRecord,
} from '@gatehouse/contract';
import { newId, requireVersion, type CallContext } from '@gatehouse/service';
import {
  findRefusedGrant,
  findRefusedRevocation,
  type GrantRefusal,
  type Granter,
  type RefusedEntry,
} from '../logic/decideGrant.js';
import {
  applyGrants,
  applyRevocations,
  type AppliedGrants,
  type ResolvedTarget,
  type Share,
} from '../logic/shares.js';
import type { ResourceHeader } from '../store/resourceDocument.js';
import { requireLevel } from './accessLevels.js';
import { requirePerson, type Person } from './asker.js';
import { changeResource } from './changeResource.js';
import { originOfCall, sharesEvent } from './resourceEvents.js';
import type { ResourceKind } from './resourceKind.js';
import { resolveGrants, resolveTarget, targetNameOf, targetNamesOf } from './shareEntries.js';
import { toShareRecord } from './shareRecords.js';
import type { TargetDirectory } from './targetDirectory.js';

/** What sharing resources of a kind needs. */
export interface Sharing {
  kind: ResourceKind;
  targets: TargetDirectory;
}

const REFUSALS: Record<GrantRefusal, string> = {
  not_allowed: 'Insufficient permissions',
  outside_tenant: 'Tenant users share only within their own tenant',
  exceeds_own_access: 'A share cannot exceed your own access',
};

function refuse({ reason }: RefusedEntry, where = ''): never {
  throw new AppError('FORBIDDEN', { message: where + REFUSALS[reason] });
}

async function requireGranter({ kind }: Sharing, person: Person, header: ResourceHeader): Promise<Granter> {
  const level = await requireLevel(kind, person, { resource: header, wanted: 'CONTRIBUTOR' });
  return { level, type: person.user.type, tenantKey: person.user.tenantKey };
}

/** Who shares, what, by which call. */
interface Request<Entry> {
  person: Person;
  entries: readonly Entry[];
  context: CallContext;
}

async function decideGrants(
  sharing: Sharing,
  header: ResourceHeader,
  { person, entries, context }: Request<GrantEntry>,
): Promise<AppliedGrants> {
  const granter = await requireGranter(sharing, person, header);
  const grants = await resolveGrants(sharing.targets, entries, context);
  const refused = findRefusedGrant(granter, grants, header.shares);
  if (refused !== null) refuse(refused, `shares[${refused.index}]: `);
  const createdBy = person.principal.userId;
  const applied = applyGrants(header.shares, grants, {
    now: person.now,
    createdBy,
    newId: () => newId('share'),
  });
  if ('reason' in applied) {
    throw invalidField('shares', `a resource holds at most ${SHARES_MAX} shares: share with a group instead`);
  }
  return applied;
}

/**
 * Grants access: all entries or none. Granting again to the same scope and target changes the role and keeps the share.
 * Throws NOT_FOUND; FORBIDDEN below CONTRIBUTOR, above the caller's own level or outside a tenant user's tenant; and
 * INVALID_REQUEST for targets that do not exist, expiries that have passed, and too many shares.
 */
export async function grantShares(
  sharing: Sharing,
  { id, shares: entries }: { id: string; shares: GrantEntry[] },
  context: CallContext,
): Promise<{ message: string; shares: ShareRecord[] }> {
  const { kind } = sharing;
  const person = requirePerson(context, kind.type, id);
  let granted: readonly Share[] = [];
  await changeResource(kind, person, {
    id,
    async decide(header) {
      const applied = await decideGrants(sharing, header, { person, entries, context });
      granted = applied.granted;
      if (applied.changes.length === 0) return null;
      const changed = applied.changes.map(({ share }) => share);
      const event = { resourceId: id, shares: changed, origin: originOfCall(context) };
      return {
        change: { shares: applied.shares },
        events: [sharesEvent(kind, 'granted', event)],
      };
    },
  });
  const shares = granted.map((share) => toShareRecord(kind, id, share));
  return { message: `${kind.noun} shared successfully`, shares };
}

const nameKey = (scope: string, targetId: string | null) => `${scope} ${targetId ?? ''}`;

/**
 * The shares that the entries name, by the id of the target: it need not exist any more. A tenant user's entries that match
 * none are looked up, so that what it may not revoke is refused alike whether it is shared or not.
 */
async function findNamedTargets(
  { targets }: Sharing,
  header: ResourceHeader,
  { person, entries, context }: Request<RevokeEntry>,
): Promise<ResolvedTarget[]> {
  const byName = new Map<string, Share[]>();
  for (const share of header.shares) {
    const name = nameKey(share.scope, share.targetId);
    byName.set(name, [...(byName.get(name) ?? []), share]);
  }
  const matches = entries.map(
    (entry) => byName.get(nameKey(entry.scope, targetNameOf(entry)?.id ?? null)) ?? [],
  );
  if (person.user.type === 'organization') return matches.flat();
  const unmatched = entries.filter((_, index) => matches[index]?.length === 0);
  const known = await targets.findTargets(context, targetNamesOf(unmatched));
  const resolved = unmatched.map((entry) => resolveTarget(entry, known)).filter((target) => target !== null);
  return [...matches.flat(), ...resolved];
}

/**
 * Revokes access by scope and target: all entries or none; those that match no share do nothing. Throws NOT_FOUND,
 * PRECONDITION_FAILED, and FORBIDDEN as a grant does.
 */
export async function revokeShares(
  sharing: Sharing,
  { id, shares: entries }: { id: string; shares: RevokeEntry[] },
  context: CallContext,
): Promise<{ message: string; removed: ShareRecord[] }> {
  const { kind } = sharing;
  const person = requirePerson(context, kind.type, id);
  let removed: readonly Share[] = [];
  await changeResource(kind, person, {
    id,
    async decide(header) {
      const granter = await requireGranter(sharing, person, header);
      requireVersion(context, header.version);
      const named = await findNamedTargets(sharing, header, { person, entries, context });
      const refused = findRefusedRevocation(granter, named, header.shares);
      if (refused !== null) refuse(refused);
      const applied = applyRevocations(header.shares, named);
      removed = applied.removed;
      if (removed.length === 0) return null;
      const event = { resourceId: id, shares: removed, origin: originOfCall(context) };
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
