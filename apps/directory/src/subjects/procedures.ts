import type { UserFacts } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { Directory, DirectoryHandlers, Input, Output } from '../directory.js';
import { findPeopleById, findPerson } from '../people/findPeople.js';
import type { OrgUserDocument, PersonFacts, TenantUserDocument, UserDocument } from '../records/documents.js';
import { fold } from '../records/logic/foldedFields.js';
import { isOrgUserId, placeOf, userIdAt } from '../records/logic/userPlaces.js';
import { groupKeyOf } from '../records/subjectKeys.js';

/** The facts of an org user or a tenant user; only a tenant user has a `tenantKey`. */
type Person = PersonFacts<OrgUserDocument> | PersonFacts<TenantUserDocument>;

function toUserFacts(user: Person, groupIds: string[]): UserFacts {
  const { id: userId, _id: userKey, name, email, role, isActive } = user;
  const tenant =
    'tenantKey' in user
      ? { type: 'tenant' as const, tenantId: user.tenantId, tenantKey: user.tenantKey }
      : { type: 'organization' as const, tenantId: null, tenantKey: null };
  return { userId, userKey, name, email, role, isActive, ...tenant, groupIds };
}

/**
 * Looks up facts for other services, which base access decisions on them. The facts do not reach the caller
 * directly, so the request of any principal may cause the read, dashboard tokens included.
 */
async function lookUpSubjects(
  { stores }: Directory,
  { tenantUserIds, orgUserIds, tenantIds, groupIds }: Input<'subjects', 'lookup'>,
  context: CallContext,
): Promise<Output<'subjects', 'lookup'>> {
  const { organizationId } = context.principal;
  const [tenantUsers, orgUsers, tenants, groups] = await Promise.all([
    tenantUserIds.length === 0 ? [] : stores.tenantUsers.listByIds(organizationId, tenantUserIds),
    orgUserIds.length === 0 ? [] : stores.orgUsers.listByIds(organizationId, orgUserIds),
    tenantIds.length === 0 ? [] : stores.tenants.listByIds(organizationId, tenantIds),
    groupIds.length === 0 ? [] : stores.groups.listByKeys(organizationId, groupIds),
  ]);
  const personOf = ({ id, _id: key, name, email, role, isActive }: UserDocument) => {
    return { id, key, name, email, role, isActive };
  };
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

/** Finds a project by id. Like all subject facts, it is available to every principal. */
async function getSubjectProject(
  { stores }: Directory,
  { projectId }: Input<'subjects', 'getProject'>,
  context: CallContext,
): Promise<Output<'subjects', 'getProject'>> {
  const project = await stores.projects.findByKey(context.principal.organizationId, projectId);
  return { project: project && { id: project._id, name: project.name } };
}

async function listSubjectNames(
  { stores }: Directory,
  { emails }: Input<'subjects', 'listNames'>,
  context: CallContext,
): Promise<Output<'subjects', 'listNames'>> {
  const { principal } = context;
  const { organizationId } = principal;
  const folded = emails.map(fold);
  const [orgUsers, tenantUsers] = await Promise.all([
    stores.orgUsers.listByEmails(organizationId, folded),
    principal.kind === 'tenantUser'
      ? stores.tenantUsers.listByEmails(organizationId, principal.tenantKey, folded)
      : [],
  ]);
  const found = new Map([...tenantUsers, ...orgUsers].map(({ emailFolded, name }) => [emailFolded, name]));
  const people = emails.flatMap((email) => {
    const name = found.get(fold(email));
    return name === undefined ? [] : [{ email, name }];
  });
  return { people };
}

async function getSubjectUser(
  directory: Directory,
  { userId, groupIds: among }: Input<'subjects', 'getUser'>,
  context: CallContext,
): Promise<Output<'subjects', 'getUser'>> {
  const { organizationId } = context.principal;
  const person = await findPerson(directory, organizationId, userId);
  if (!person) return { user: null };
  const groupIds = await directory.stores.groupMembers.listGroupIds(organizationId, person._id, among);
  return { user: toUserFacts(person, groupIds) };
}

async function getSubjectUsers(
  directory: Directory,
  { userIds }: Input<'subjects', 'getUsers'>,
  context: CallContext,
): Promise<Output<'subjects', 'getUsers'>> {
  const { organizationId } = context.principal;
  const people = [...(await findPeopleById(directory, organizationId, userIds)).values()];
  return { users: await withGroups(directory, organizationId, people) };
}

async function withGroups(
  { stores }: Directory,
  organizationId: string,
  people: readonly Person[],
): Promise<UserFacts[]> {
  const userKeys = people.map((person) => person._id);
  const groupIds = await stores.groupMembers.listGroupIdsOf(organizationId, userKeys);
  return people.map((person) => toUserFacts(person, groupIds.get(person._id) ?? []));
}

async function listSubjectUsers(
  directory: Directory,
  input: Input<'subjects', 'listUsers'>,
  context: CallContext,
): Promise<Output<'subjects', 'listUsers'>> {
  const { organizationId } = context.principal;
  const { people, groupIdsOf } = await listWithMembers(directory, organizationId, input);
  return { users: people.map((person) => toUserFacts(person, groupIdsOf.get(person._id) ?? [])) };
}

/** What selects users: for org users and for tenant users, the keys that may be theirs. */
type Selectors = Input<'subjects', 'listUsers'> & { orgKeys: string[]; tenantUserKeys: string[] };

/** How many more members are looked up if too many of the first ones are not in the list. */
const MORE_MEMBERS = 4;

/**
 * Lists the selected users, among them the members of groups. Groups may be large, so only the members that
 * the page may contain are looked up: more of them if the first ones are inactive or of another tenant.
 */
async function listWithMembers(
  directory: Directory,
  organizationId: string,
  input: Input<'subjects', 'listUsers'>,
): Promise<{ people: Person[]; groupIdsOf: Map<string, string[]> }> {
  const { after, limit, userKeys, groupIds } = input;
  const start = after === undefined ? '' : placeOf(after.id);
  for (let count = limit; ; count *= MORE_MEMBERS) {
    const place = { after: start, count };
    const { members, isAll } = await directory.memberLists.findFirst(organizationId, groupIds, place);
    const groupIdsOf = new Map(members.map((member) => [member.key, member.groupIds]));
    const keysOf = (isWanted: (userId: string) => boolean) => {
      const wanted = members.filter(({ place: at }) => isWanted(userIdAt(at)));
      return [...new Set([...userKeys, ...wanted.map(({ key }) => key)])];
    };
    const selectors = {
      ...input,
      orgKeys: keysOf(isOrgUserId),
      tenantUserKeys: keysOf((userId) => !isOrgUserId(userId)),
    };
    const people = await listSelected(directory, organizationId, selectors);
    const end = members.at(-1)?.place ?? '';
    // A user after the last member that was looked up may come after others that were not.
    const isCertain = ({ id }: Person) => placeOf(id) <= end;
    if (isAll || (people.length === limit && people.every(isCertain))) return { people, groupIdsOf };
  }
}

/**
 * Lists the selected org users by id, then the selected tenant users by id, starting after the previous page.
 */
async function listSelected(
  { stores }: Directory,
  organizationId: string,
  selectors: Selectors,
): Promise<Person[]> {
  const { orgKeys, tenantUserKeys, tenantKeys, allOrgUsers, allTenantUsers } = selectors;
  const { withinTenantKey, after, limit } = selectors;
  const hasOrgUsers =
    withinTenantKey === undefined && after?.type !== 'tenant' && (allOrgUsers || orgKeys.length > 0);
  const orgUsers = hasOrgUsers
    ? await stores.orgUsers.listSelected(organizationId, {
        keys: orgKeys,
        includesAll: allOrgUsers,
        afterId: after?.id,
        limit,
      })
    : [];
  const hasTenantUsers = allTenantUsers || tenantUserKeys.length > 0 || tenantKeys.length > 0;
  if (orgUsers.length === limit || !hasTenantUsers) return orgUsers;
  const tenantUsers = await stores.tenantUsers.listSelected(organizationId, {
    keys: tenantUserKeys,
    tenantKeys,
    withinTenantKey,
    includesAll: allTenantUsers,
    afterId: after?.type === 'tenant' ? after.id : undefined,
    limit: limit - orgUsers.length,
  });
  return [...orgUsers, ...tenantUsers];
}

export function createSubjectProcedures(directory: Directory): DirectoryHandlers<'subjects'> {
  return {
    subjects: {
      lookup: (input, context) => lookUpSubjects(directory, input, context),
      getProject: (input, context) => getSubjectProject(directory, input, context),
      listNames: (input, context) => listSubjectNames(directory, input, context),
      getUser: (input, context) => getSubjectUser(directory, input, context),
      getUsers: (input, context) => getSubjectUsers(directory, input, context),
      listUsers: (input, context) => listSubjectUsers(directory, input, context),
    },
  };
}
