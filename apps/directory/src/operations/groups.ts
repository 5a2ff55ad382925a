import { AppError, GROUP_MEMBERS_MAX, invalidField, type Group } from '@gatehouse/contract';
import { type CallContext, createEvent, newId, requireVersion, untilWritten } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { canSeeTenant, groupPermissionsFor } from '../logic/authority.js';
import { applyChanges, changedFields, isUnchanged } from '../logic/changedFields.js';
import { fold } from '../logic/fold.js';
import type { GroupDocument, TenantDocument } from '../store/documents.js';
import { callOrigin } from './origins.js';
import { presentMembers } from './memberRecords.js';
import { groupState, toGroup } from './records.js';
import { dropGroup, dropGroupAsRead } from './groupWrites.js';
import { refuseDuplicates, requireGroupManager, requireReader } from './refusals.js';

const DUPLICATES = { name: { field: 'name', message: 'There is a group of this name in the same scope' } };

export async function listGroups(
  directory: Directory,
  input: Input<'groups', 'list'>,
  context: CallContext,
): Answer<'groups', 'list'> {
  const { organizationId, tenantKey: withinTenantKey } = requireReader(context.principal);
  const { search, type, tenantId, includeMembers, sort, order, page, limit } = input;
  const searchFolded = search === undefined ? undefined : fold(search);
  const filter = { searchFolded, type: type === 'all' ? undefined : type, tenantId, withinTenantKey };
  const skip = (page - 1) * limit;
  const { records, total } = await directory.stores.groups.page(organizationId, filter, {
    sort,
    order,
    skip,
    limit,
  });
  const permissions = groupPermissionsFor(context.principal);
  const groups = records.map((group) => toGroup(group, permissions));
  const shown = includeMembers ? await withMembers(directory, organizationId, groups) : groups;
  return { groups: shown, total, page, limit, hasMore: skip + records.length < total };
}

/** Adds the members to each group. One answer holds at most as many as one group may have, so that it stays bounded. */
async function withMembers(directory: Directory, organizationId: string, groups: Group[]): Promise<Group[]> {
  const count = groups.reduce((sum, group) => sum + group.memberCount, 0);
  if (count > GROUP_MEMBERS_MAX) {
    throw invalidField('includeMembers', `these groups have ${count} members: use a smaller limit`);
  }
  const ids = groups.map((group) => group.id);
  const byGroup = await directory.stores.groupMembers.listAll(organizationId, ids);
  const members = await presentMembers(directory, organizationId, [...byGroup.values()].flat());
  const byId = new Map(members.map((member) => [member.id, member]));
  const membersOf = (group: Group) => (byGroup.get(group.id) ?? []).flatMap(({ id }) => byId.get(id) ?? []);
  return groups.map((group) => ({ ...group, members: membersOf(group) }));
}

export async function getGroup(
  { stores }: Directory,
  { id }: Input<'groups', 'get'>,
  context: CallContext,
): Answer<'groups', 'get'> {
  const reader = requireReader(context.principal);
  const group = await stores.groups.get(reader.organizationId, id);
  if (!canSeeTenant(reader, group.tenantKey)) throw new AppError('NOT_FOUND');
  return { group: toGroup(group, groupPermissionsFor(context.principal)) };
}

export async function createGroup(
  directory: Directory,
  { name, type, description, tenantId }: Input<'groups', 'create'>,
  context: CallContext,
): Answer<'groups', 'create'> {
  const { organizationId, userId: createdBy } = requireGroupManager(context.principal);
  const { groups, tenants } = directory.stores;
  const tenant = tenantId === undefined ? null : await tenants.find(organizationId, tenantId);
  if (tenantId !== undefined && !tenant) throw noTenant();
  const id = newId('group', context.operation);
  const scope = { type, tenantKey: tenant?._id ?? null, tenantId: tenant?.id ?? null };
  const draft = {
    _id: id,
    name,
    nameFolded: fold(name),
    description,
    ...scope,
    createdBy,
    memberCount: 0,
    members: [],
  };
  const origin = callOrigin(context);
  const data = { id, name, type, tenantId: scope.tenantId };
  const events = [createEvent('management.group.created.v1', id, { origin, data })];
  const written = { events, now: context.now };
  const group = await refuseDuplicates(DUPLICATES, () => groups.insert(organizationId, draft, written));
  await takeBackWithoutTenant(directory, group, { tenant, context });
  return { group: toGroup(group, groupPermissionsFor(context.principal)) };
}

const noTenant = () => invalidField('tenantId', 'names no tenant');

/** The groups of a tenant go with it; one that was stored after they went has to go too. */
async function takeBackWithoutTenant(
  directory: Directory,
  group: GroupDocument,
  { tenant, context }: { tenant: TenantDocument | null; context: CallContext },
): Promise<void> {
  if (!tenant || (await directory.stores.tenants.findByKey(tenant.organizationId, tenant._id))) return;
  await dropGroup(directory, group, callOrigin(context));
  throw noTenant();
}

export async function updateGroup(
  { stores }: Directory,
  { id, ...wanted }: Input<'groups', 'update'>,
  context: CallContext,
): Answer<'groups', 'update'> {
  const { organizationId } = requireGroupManager(context.principal);
  const { now } = context;
  const group = await untilWritten(async () => {
    const current = await stores.groups.get(organizationId, id);
    requireVersion(context, current.version);
    const changes = changedFields<Partial<GroupDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const next = applyChanges(current, changes);
    const { name, description } = next;
    const data = { ...groupState(next), changes };
    const events = [createEvent('management.group.updated.v1', id, { origin: callOrigin(context), data })];
    const set = { name, nameFolded: fold(name), description };
    return refuseDuplicates(DUPLICATES, () =>
      stores.groups.update(organizationId, current, { set, events, now }),
    );
  });
  return { group: toGroup(group, groupPermissionsFor(context.principal)) };
}

export async function deleteGroup(
  directory: Directory,
  { id }: Input<'groups', 'delete'>,
  context: CallContext,
): Answer<'groups', 'delete'> {
  const { organizationId } = requireGroupManager(context.principal);
  const { stores, services } = directory;
  requireVersion(context, (await stores.groups.get(organizationId, id)).version);
  const { isUsed } = await services.access.groups.isUsed(context, { id });
  if (isUsed) throw new AppError('CONFLICT', { message: 'Resources are still shared with the group' });
  const { name } = await untilWritten(async () => {
    const current = await stores.groups.get(organizationId, id);
    requireVersion(context, current.version);
    return (await dropGroupAsRead(directory, current, callOrigin(context))) ? current : null;
  });
  return { message: 'The group was deleted', deletedGroup: { id, name } };
}
