import type { CallContext } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import type { UserDocument } from '../store/documents.js';
import { groupKeyOf } from './keys.js';
import { findPerson, type Person } from './people.js';
import { toUserFacts } from './records.js';

/**
 * Facts for other services, which decide with them for whoever calls. They reach no caller as they are, so any principal
 * may cause them to be read, also one with a dashboard token.
 */
export async function lookUpSubjects(
  { stores }: Directory,
  { tenantUserIds, orgUserIds, tenantIds, groupIds }: Input<'subjects', 'lookup'>,
  context: CallContext,
): Answer<'subjects', 'lookup'> {
  const { organizationId } = context.principal;
  const [tenantUsers, orgUsers, tenants, groups] = await Promise.all([
    tenantUserIds.length === 0 ? [] : stores.tenantUsers.listByIds(organizationId, tenantUserIds),
    orgUserIds.length === 0 ? [] : stores.orgUsers.listByIds(organizationId, orgUserIds),
    tenantIds.length === 0 ? [] : stores.tenants.listByIds(organizationId, tenantIds),
    groupIds.length === 0 ? [] : stores.groups.listByKeys(organizationId, groupIds),
  ]);
  const personOf = ({ id, _id: key, name, email, role }: UserDocument) => ({ id, key, name, email, role });
  return {
    tenantUsers: tenantUsers.map((user) => ({
      ...personOf(user),
      tenantId: user.tenantId,
      tenantKey: user.tenantKey,
    })),
    orgUsers: orgUsers.map(personOf),
    tenants: tenants.map(({ id, _id: key, name }) => ({ id, key, name })),
    groups: groups.map(({ _id: id, name, type, tenantId, tenantKey }) => {
      return { id, key: groupKeyOf(id), name, type, tenantId, tenantKey };
    }),
  };
}

/** Whether there is such a project; like all of these facts, for whoever calls. */
export async function getSubjectProject(
  { stores }: Directory,
  { projectId }: Input<'subjects', 'getProject'>,
  context: CallContext,
): Answer<'subjects', 'getProject'> {
  const project = await stores.projects.findByKey(context.principal.organizationId, projectId);
  return { project: project && { id: project._id, name: project.name } };
}

export async function getSubjectUser(
  directory: Directory,
  { userId }: Input<'subjects', 'getUser'>,
  context: CallContext,
): Answer<'subjects', 'getUser'> {
  const { organizationId } = context.principal;
  const person = await findPerson(directory, organizationId, userId);
  if (!person) return { user: null };
  const groupIds = await directory.stores.groupMembers.listGroupIds(organizationId, person._id);
  return { user: toUserFacts(person, groupIds) };
}

export async function listSubjectUsers(
  directory: Directory,
  input: Input<'subjects', 'listUsers'>,
  context: CallContext,
): Answer<'subjects', 'listUsers'> {
  const { organizationId } = context.principal;
  const { groupMembers } = directory.stores;
  const ofGroups =
    input.groupIds.length === 0 ? [] : await groupMembers.listUserKeys(organizationId, input.groupIds);
  const keys = [...new Set([...input.userKeys, ...ofGroups])];
  const people = await listReached(directory, organizationId, { ...input, keys });
  const userKeys = people.map((person) => person._id);
  const groupIds = await groupMembers.listGroupIdsOf(organizationId, userKeys);
  return { users: people.map((person) => toUserFacts(person, groupIds.get(person._id) ?? [])) };
}

type Selectors = Input<'subjects', 'listUsers'> & { keys: string[] };

/** Org users by id, then tenant users by id, from after the last one of the page before. */
async function listReached(
  { stores }: Directory,
  organizationId: string,
  selectors: Selectors,
): Promise<Person[]> {
  const { keys, tenantKeys, allOrgUsers, allTenantUsers, withinTenantKey, after, limit } = selectors;
  const hasOrgUsers =
    withinTenantKey === undefined && after?.type !== 'tenant' && (allOrgUsers || keys.length > 0);
  const orgUsers = hasOrgUsers
    ? await stores.orgUsers.listReached(organizationId, {
        keys,
        reachesAll: allOrgUsers,
        afterId: after?.id,
        limit,
      })
    : [];
  const hasTenantUsers = allTenantUsers || keys.length > 0 || tenantKeys.length > 0;
  if (orgUsers.length === limit || !hasTenantUsers) return orgUsers;
  const tenantUsers = await stores.tenantUsers.listReached(organizationId, {
    keys,
    tenantKeys,
    withinTenantKey,
    reachesAll: allTenantUsers,
    afterId: after?.type === 'tenant' ? after.id : undefined,
    limit: limit - orgUsers.length,
  });
  return [...orgUsers, ...tenantUsers];
}
