import { AppError, invalidField, type Group, withName } from '@gatehouse/contract';
import {
  type CallContext,
  createEvent,
  type EventOrigin,
  newId,
  requireVersion,
  retryOnConflict,
} from '@gatehouse/service';
import { canSeeTenant, groupPermissionsFor } from '../authorization/logic/decideAccess.js';
import { requireGroupManager, requireReader } from '../authorization/requireAccess.js';
import { callOrigin, type Directory, type Input, type Output } from '../directory.js';
import { versionFieldsOf, type GroupDocument, type TenantDocument } from '../records/documents.js';
import { applyChanges, changedFields, isUnchanged } from '../records/logic/changedFields.js';
import { fold } from '../records/logic/foldedFields.js';
import { rejectDuplicates } from '../records/rejectDuplicates.js';
import { presentMembers } from './manageMembers.js';

const DUPLICATES = { name: { field: 'name', message: 'There is a group of this name in the same scope' } };

function toGroup(group: GroupDocument, permissions: Group['permissions']): Group {
  const { _id: id, name, description, type, organizationId, tenantId, createdBy, memberCount } = group;
  const fields = { id, name, description, type, organizationId, tenantId, createdBy, memberCount };
  return { ...fields, permissions, ...versionFieldsOf(group) };
}

/** The data of a group in events. */
function groupState(group: GroupDocument) {
  const { _id: id, name, type, tenantId } = group;
  return { id, name, type, tenantId };
}

export async function listGroups(
  directory: Directory,
  input: Input<'groups', 'list'>,
  context: CallContext,
): Promise<Output<'groups', 'list'>> {
  const { organizationId, tenantKey: withinTenantKey } = requireReader(context.principal);
  const { search, type, tenantId, includeMembers, sort, order, page, limit, cursor } = input;
  const searchFolded = search === undefined ? undefined : fold(search);
  const filter = { searchFolded, type: type === 'all' ? undefined : type, tenantId, withinTenantKey };
  const skip = (page - 1) * limit;
  const place = { sort, order, skip, limit, cursor };
  const { records, ...rest } = await directory.stores.groups.page(organizationId, filter, place);
  const permissions = groupPermissionsFor(context.principal);
  const groups = records.map((group) => toGroup(group, permissions));
  const shown = includeMembers ? await withMembers(directory, organizationId, groups) : groups;
  return { groups: shown, page, limit, hasMore: rest.nextCursor !== null, ...rest };
}

/** The most members of all groups of one response. */
const LISTED_MEMBERS_MAX = 10_000;

/** Adds the members to each group. Throws INVALID_REQUEST, naming `includeMembers`, if there are too many. */
async function withMembers(directory: Directory, organizationId: string, groups: Group[]): Promise<Group[]> {
  const count = groups.reduce((sum, group) => sum + group.memberCount, 0);
  if (count > LISTED_MEMBERS_MAX) {
    throw invalidField(
      'includeMembers',
      `these groups have ${count} members, and a list has at most ${LISTED_MEMBERS_MAX}`,
      'range',
    );
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
): Promise<Output<'groups', 'get'>> {
  const reader = requireReader(context.principal);
  const group = await stores.groups.get(reader.organizationId, id);
  if (!canSeeTenant(reader, group.tenantKey)) throw new AppError('NOT_FOUND');
  return { group: toGroup(group, groupPermissionsFor(context.principal)) };
}

export async function createGroup(
  directory: Directory,
  { name, type, description, tenantId }: Input<'groups', 'create'>,
  context: CallContext,
): Promise<Output<'groups', 'create'>> {
  const { organizationId, userId: createdBy } = requireGroupManager(context.principal);
  const { groups, tenants } = directory.stores;
  const tenant = tenantId === undefined ? null : await tenants.find(organizationId, tenantId);
  if (tenantId !== undefined && !tenant) throw noTenant(tenantId);
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
  const group = await rejectDuplicates(DUPLICATES, () => groups.insert(organizationId, draft, written));
  await deleteIfTenantDeleted(directory, group, { tenant, context });
  return { group: toGroup(group, groupPermissionsFor(context.principal)) };
}

const noTenant = (id: string) => invalidField('tenantId', withName('names no tenant', id), 'reference');

/**
 * Deletes a new group again if its tenant was deleted meanwhile, because the deletion may have missed the
 * group.
 */
async function deleteIfTenantDeleted(
  directory: Directory,
  group: GroupDocument,
  { tenant, context }: { tenant: TenantDocument | null; context: CallContext },
): Promise<void> {
  if (!tenant || (await directory.stores.tenants.findByKey(tenant.organizationId, tenant._id))) return;
  await ensureGroupDeleted(directory, group, callOrigin(context));
  throw noTenant(tenant.id);
}

export async function updateGroup(
  { stores }: Directory,
  { id, ...wanted }: Input<'groups', 'update'>,
  context: CallContext,
): Promise<Output<'groups', 'update'>> {
  const { organizationId } = requireGroupManager(context.principal);
  const { now } = context;
  const group = await retryOnConflict(async () => {
    const current = await stores.groups.get(organizationId, id);
    requireVersion(context, current.version);
    const changes = changedFields<Partial<GroupDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const next = applyChanges(current, changes);
    const { name, description } = next;
    const data = { ...groupState(next), changes };
    const events = [createEvent('management.group.updated.v1', id, { origin: callOrigin(context), data })];
    const set = { name, nameFolded: fold(name), description };
    return rejectDuplicates(DUPLICATES, () =>
      stores.groups.update(organizationId, current, { set, events, now }),
    );
  });
  return { group: toGroup(group, groupPermissionsFor(context.principal)) };
}

export async function deleteGroup(
  directory: Directory,
  { id }: Input<'groups', 'delete'>,
  context: CallContext,
): Promise<Output<'groups', 'delete'>> {
  const { organizationId } = requireGroupManager(context.principal);
  const { stores, services } = directory;
  requireVersion(context, (await stores.groups.get(organizationId, id)).version);
  const { isUsed } = await services.access.groups.isUsed.query({ id }, { context });
  if (isUsed) throw new AppError('CONFLICT', { message: 'Resources are still shared with the group' });
  const { name } = await retryOnConflict(async () => {
    const current = await stores.groups.get(organizationId, id);
    requireVersion(context, current.version);
    await deleteAsRead(directory, current, callOrigin(context));
    return current;
  });
  return { message: 'The group was deleted', deletedGroup: { id, name } };
}

/** Deletes a group as it was read. Throws WriteConflict when it has changed since. */
async function deleteAsRead({ stores }: Directory, group: GroupDocument, origin: EventOrigin): Promise<void> {
  const { organizationId, _id: id } = group;
  const userIds = await stores.groups.listUserIds(organizationId, group);
  const data = { ...groupState(group), userIds };
  const events = [createEvent('management.group.deleted.v1', id, { origin, data })];
  const { now } = origin;
  const deletion = () => stores.groups.delete(organizationId, group, { events, now });
  await stores.groupMembers.whileDeleting(organizationId, group, { now, deletion });
}

/** Deletes a group even if it has changed since it was read. Does nothing when it is already deleted. */
export async function ensureGroupDeleted(
  directory: Directory,
  { organizationId, _id: id }: GroupDocument,
  origin: EventOrigin,
): Promise<void> {
  await retryOnConflict(async () => {
    const current = await directory.stores.groups.findByKey(organizationId, id);
    if (current) await deleteAsRead(directory, current, origin);
  });
}
