import { AppError, type GroupPermission } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { groupKey } from '../logic/shareScope.js';
import { isExpired } from '../logic/shares.js';
import { findLevels } from './accessLevels.js';
import { isAdmin, requirePerson, type Person } from './asker.js';
import type { ResourceKind, ResourceKinds } from './resourceKind.js';
import type { TargetDirectory } from './targetDirectory.js';

/** What questions about groups need. */
export interface GroupQuestions {
  kinds: ResourceKinds;
  targets: TargetDirectory;
}

async function findPermissions(
  kind: ResourceKind,
  person: Person,
  subject: string,
): Promise<GroupPermission[]> {
  const { projectId, now } = person;
  const resources = await kind.store.findReachedBy(projectId, subject);
  const levels = await findLevels(kind, person, resources);
  return resources.flatMap((resource, index) => {
    if (!isAdmin(person) && (levels[index] ?? null) === null) return [];
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
}

/**
 * What is shared with a group in the project: as far as the caller may see it, and to an ADMIN all of it. Throws NOT_FOUND
 * for a group that does not exist and, to a tenant user, for one outside its tenant.
 */
export async function listGroupPermissions(
  { kinds, targets }: GroupQuestions,
  { id }: { id: string },
  context: CallContext,
): Promise<{ groupId: string; permissions: GroupPermission[] }> {
  const person = requirePerson(context);
  const group = (await targets.findTargets(context, [{ field: 'groupId', id }])).find({
    field: 'groupId',
    id,
  });
  const isHidden = person.user.type === 'tenant' && group?.tenantKey !== person.user.tenantKey;
  if (group === undefined || isHidden) throw new AppError('NOT_FOUND');
  const permissions = await Promise.all([
    findPermissions(kinds.dashboards, person, group.key),
    findPermissions(kinds.visuals, person, group.key),
  ]);
  return { groupId: id, permissions: permissions.flat() };
}

/** Whether anything in the organization is shared with the group. Throws FORBIDDEN for those without a role. */
export async function isGroupUsed(
  { dashboards, visuals }: ResourceKinds,
  { id }: { id: string },
  context: CallContext,
): Promise<boolean> {
  const { organizationId, now } = requirePerson(context);
  const subject = groupKey(id);
  const isUsed = await Promise.all([
    dashboards.store.hasShareFor(organizationId, subject, now),
    visuals.store.hasShareFor(organizationId, subject, now),
  ]);
  return isUsed.includes(true);
}
