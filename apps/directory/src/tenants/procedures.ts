import { AppError, invalidField, withName, type EventData, type Tenant } from '@gatehouse/contract';
import { type CallContext, createEvent, newId, requireVersion, retryOnConflict } from '@gatehouse/service';
import { canSeeTenant } from '../authorization/logic/decideAccess.js';
import { requireAdmin, requireReader } from '../authorization/requireAccess.js';
import { callOrigin, type Directory, type DirectoryHandlers, type Input, type Output } from '../directory.js';
import { versionFieldsOf, type TenantDocument } from '../records/documents.js';
import { changedFields, isUnchanged } from '../records/logic/changedFields.js';
import { fold } from '../records/logic/foldedFields.js';
import { rejectDuplicates } from '../records/rejectDuplicates.js';
import { creationOf, newTenantKey } from '../records/subjectKeys.js';

const DUPLICATES = {
  name: { field: 'name', message: 'The organization has a tenant of this name' },
  id: { field: 'id', message: 'The organization has a tenant of this id' },
  idFolded: { field: 'id', message: 'The organization has a tenant whose id differs in case alone' },
};

function toTenant(tenant: TenantDocument): Tenant {
  const { id, name, organizationId, defaultOwner } = tenant;
  return { id, name, organizationId, defaultOwnerId: defaultOwner?.id ?? null, ...versionFieldsOf(tenant) };
}

/** The data of a tenant in events. */
function tenantState(tenant: TenantDocument): EventData<'management.tenant.deleted.v1'> {
  const { id, _id: key, name, defaultOwner } = tenant;
  return { id, key, name, defaultOwnerId: defaultOwner?.id ?? null };
}

async function listTenants(
  { stores }: Directory,
  { search, ids, limit, offset, cursor }: Input<'tenants', 'list'>,
  context: CallContext,
): Promise<Output<'tenants', 'list'>> {
  const { organizationId, tenantKey: key } = requireReader(context.principal);
  const searchFolded = search === undefined ? undefined : fold(search);
  const filter = { key, searchFolded, ids: ids?.split(',') };
  const page = { skip: offset, limit, cursor };
  const { records, ...rest } = await stores.tenants.page(organizationId, filter, page);
  return { tenants: records.map(toTenant), limit, offset, ...rest };
}

async function getTenant(
  { stores }: Directory,
  { id }: Input<'tenants', 'get'>,
  context: CallContext,
): Promise<Output<'tenants', 'get'>> {
  const reader = requireReader(context.principal);
  const tenant = await stores.tenants.get(reader.organizationId, id);
  if (!canSeeTenant(reader, tenant._id)) throw new AppError('NOT_FOUND');
  return { tenant: toTenant(tenant) };
}

async function createTenant(
  { stores }: Directory,
  { id: given, name }: Input<'tenants', 'create'>,
  context: CallContext,
): Promise<Output<'tenants', 'create'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { now, operation } = context;
  const id = given ?? newId('tenant', operation);
  const key = newTenantKey();
  const data = { id, key, name, defaultOwnerId: null };
  const events = [createEvent('management.tenant.created.v1', id, { origin: callOrigin(context), data })];
  const draft = { _id: key, id, name, nameFolded: fold(name), defaultOwner: null, ...creationOf(operation) };
  const tenant = await rejectDuplicates(DUPLICATES, () =>
    stores.tenants.insert(organizationId, draft, { events, now }),
  );
  return { tenant: toTenant(tenant) };
}

async function updateTenant(
  directory: Directory,
  { id, name, defaultOwnerId }: Input<'tenants', 'update'>,
  context: CallContext,
): Promise<Output<'tenants', 'update'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { tenants } = directory.stores;
  const { now } = context;
  const tenant = await retryOnConflict(async () => {
    const current = await tenants.get(organizationId, id);
    requireVersion(context, current.version);
    const changes = changedFields(toTenant(current), { name, defaultOwnerId });
    if (isUnchanged(changes)) return current;
    const defaultOwner = await resolveDefaultOwner(directory, current, defaultOwnerId);
    const set = { defaultOwner, ...(name === undefined ? {} : { name, nameFolded: fold(name) }) };
    const data = { ...tenantState({ ...current, ...set }), changes };
    const events = [createEvent('management.tenant.updated.v1', id, { origin: callOrigin(context), data })];
    return rejectDuplicates(DUPLICATES, () => tenants.update(organizationId, current, { set, events, now }));
  });
  return { tenant: toTenant(tenant) };
}

/**
 * Resolves the default owner that an update names. The touch makes a concurrent deletion of that user read
 * again before it writes.
 */
async function resolveDefaultOwner(
  { stores }: Directory,
  { organizationId, _id: tenantKey, defaultOwner }: TenantDocument,
  id: string | null | undefined,
): Promise<TenantDocument['defaultOwner']> {
  if (id === undefined || id === defaultOwner?.id) return defaultOwner;
  if (id === null) return null;
  const user = await stores.tenantUsers.find(organizationId, id);
  const isOfTenant = user?.tenantKey === tenantKey;
  if (!isOfTenant || !(await stores.tenantUsers.touch(organizationId, user._id))) {
    throw invalidField('defaultOwnerId', withName('names no user of this tenant', id), 'reference');
  }
  return { id, key: user._id };
}

/**
 * Deletes a tenant without users. `insertTenantUser` touches the tenant after it stores a user. So one of
 * three things happens: the check below finds the user, or the touch makes this operation read again, or
 * `insertTenantUser` finds that the tenant is deleted and deletes the user.
 */
async function deleteTenant(
  { stores }: Directory,
  { id }: Input<'tenants', 'delete'>,
  context: CallContext,
): Promise<Output<'tenants', 'delete'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const deleted = await retryOnConflict(async () => {
    const current = await stores.tenants.get(organizationId, id);
    requireVersion(context, current.version);
    if (await stores.tenantUsers.hasAnyIn(organizationId, current._id)) {
      throw new AppError('CONFLICT', { message: 'The tenant still has users' });
    }
    const data = tenantState(current);
    const events = [createEvent('management.tenant.deleted.v1', id, { origin: callOrigin(context), data })];
    await stores.tenants.delete(organizationId, current, { events, now });
    return current;
  });
  return { message: 'The tenant was deleted', deletedTenant: { id, name: deleted.name } };
}

export function createTenantProcedures(directory: Directory): DirectoryHandlers<'tenants'> {
  return {
    tenants: {
      list: (input, context) => listTenants(directory, input, context),
      create: (input, context) => createTenant(directory, input, context),
      get: (input, context) => getTenant(directory, input, context),
      update: (input, context) => updateTenant(directory, input, context),
      delete: (input, context) => deleteTenant(directory, input, context),
    },
  };
}
