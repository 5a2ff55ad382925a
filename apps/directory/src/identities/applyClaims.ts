import { OrgUserRole, TenantUserRole, type MappedPerson, type SignInRejection } from '@gatehouse/contract';
import { findAppError, type CallContext, type EventOrigin } from '@gatehouse/service';
import type { Directory } from '../directory.js';
import { addMembers, ensureUsersRemoved } from '../groups/manageMembers.js';
import type { Person } from '../people/findPeople.js';
import { changeOrgUser } from '../people/manageOrgUsers.js';
import { changeTenantUser } from '../people/manageTenantUsers.js';

/** The error of the given code is a decision; every other one is a failure. */
function isRefusal(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(findAppError(error)?.code ?? '');
}

/**
 * Gives a person the role and the groups of its claims, by the operations that requests use.
 *
 * @returns null, or why the sign-in is rejected: a sign-in never gives more than the claims
 */
export async function applyClaims(
  directory: Directory,
  { found, mapped }: { found: Person; mapped: MappedPerson },
  { origin, log }: { origin: EventOrigin; log: CallContext['log'] },
): Promise<SignInRejection | null> {
  try {
    await applyRole(directory, { found, mapped }, origin);
  } catch (error) {
    // The organization keeps at least one active ADMIN.
    if (isRefusal(error, 'CONFLICT')) return 'ROLE_NOT_APPLIED';
    throw error;
  }
  await applyGroups(directory, { found, mapped }, { origin, log });
  return null;
}

async function applyRole(
  directory: Directory,
  { found, mapped }: { found: Person; mapped: MappedPerson },
  origin: EventOrigin,
): Promise<void> {
  const { id } = found;
  const { role } = mapped;
  if (role === null || role === found.role) return;
  if ('tenantKey' in found)
    await changeTenantUser(directory, { id, role: TenantUserRole.parse(role) }, { origin });
  else await changeOrgUser(directory, { id, role: OrgUserRole.parse(role) }, { origin });
}

async function applyGroups(
  directory: Directory,
  { found, mapped }: { found: Person; mapped: MappedPerson },
  { origin, log }: { origin: EventOrigin; log: CallContext['log'] },
): Promise<void> {
  const { organizationId } = origin;
  const { _id: userKey, id: userId } = found;
  const current = new Set(await directory.stores.groupMembers.listGroupIds(organizationId, userKey));
  const changed = mapped.groups.filter(({ groupId, isMember }) => isMember !== current.has(groupId));
  // Access is taken before anything can fail, and makes room for the other groups.
  for (const { groupId } of changed.filter(({ isMember }) => !isMember))
    await ensureUsersRemoved(directory, { organizationId, groupId, userKeys: [userKey] }, origin);
  for (const { groupId } of changed.filter(({ isMember }) => isMember))
    await join(directory, { groupId, userId }, { origin, log });
}

/**
 * A group that does not exist, takes no such person, or has no room gives nothing. The operator finds it in
 * the log.
 */
async function join(
  directory: Directory,
  { groupId, userId }: { groupId: string; userId: string },
  { origin, log }: { origin: EventOrigin; log: CallContext['log'] },
): Promise<void> {
  try {
    await addMembers(directory, { id: groupId, userIds: [userId] }, { origin, addedBy: null });
  } catch (error) {
    if (!isRefusal(error, 'NOT_FOUND', 'INVALID_REQUEST', 'QUOTA_EXCEEDED')) throw error;
    log.warn({ groupId, userId }, 'the claims of a sign-in name a group that the person cannot join');
  }
}
