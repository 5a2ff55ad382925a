import { AppError, invalidField } from '@gatehouse/contract';
import { type CallContext, createEvent, newId, requireVersion, untilWritten } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { canSeeTenant } from '../logic/authority.js';
import { changedFields, isUnchanged } from '../logic/changedFields.js';
import { fold } from '../logic/fold.js';
import type { TenantDocument } from '../store/documents.js';
import { newTenantKey } from './keys.js';
import { callOrigin } from './origins.js';
import { tenantState, toTenant } from './records.js';
import { refuseDuplicates, requireAdmin, requireReader } from './refusals.js';

const DUPLICATES = {
  name: { field: 'name', message: 'The organization has a tenant of this name' },
  id: { field: 'id', message: 'The organization has a tenant of this id' },
};

export async function listTenants(
  { stores }: Directory,
  { search, limit, offset }: Input<'tenants', 'list'>,
  context: CallContext,
): Answer<'tenants', 'list'> {
  const { organizationId, tenantKey: key } = requireReader(context.principal);
  const filter = { key, searchFolded: search === undefined ? undefined : fold(search) };
  const { records, total } = await stores.tenants.page(organizationId, filter, { skip: offset, limit });
  return { tenants: records.map(toTenant), total, limit, offset };
}

export async function getTenant(
  { stores }: Directory,
  { id }: Input<'tenants', 'get'>,
  context: CallContext,
): Answer<'tenants', 'get'> {
  const reader = requireReader(context.principal);
  const tenant = await stores.tenants.get(reader.organizationId, id);
  if (!canSeeTenant(reader, tenant._id)) throw new AppError('NOT_FOUND');
  return { tenant: toTenant(tenant) };
}

export async function createTenant(
  { stores }: Directory,
  { id = newId('tenant'), name }: Input<'tenants', 'create'>,
  context: CallContext,
): Answer<'tenants', 'create'> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const key = newTenantKey(context.operation);
  const data = { id, key, name, defaultOwnerId: null };
  const events = [createEvent('management.tenant.created.v1', id, { origin: callOrigin(context), data })];
  const draft = { _id: key, id, name, nameFolded: fold(name), defaultOwner: null };
  const tenant = await refuseDuplicates(DUPLICATES, () =>
    stores.tenants.insert(organizationId, draft, { events, now }),
  );
  return { tenant: toTenant(tenant) };
}

export async function updateTenant(
  directory: Directory,
  { id, name, defaultOwnerId }: Input<'tenants', 'update'>,
  context: CallContext,
): Answer<'tenants', 'update'> {
  const { organizationId } = requireAdmin(context.principal);
  const { tenants } = directory.stores;
  const { now } = context;
  const tenant = await untilWritten(async () => {
    const current = await tenants.get(organizationId, id);
    requireVersion(context, current.version);
    const changes = changedFields(toTenant(current), { name, defaultOwnerId });
    if (isUnchanged(changes)) return current;
    const defaultOwner = await resolveDefaultOwner(directory, current, defaultOwnerId);
    const set = { defaultOwner, ...(name === undefined ? {} : { name, nameFolded: fold(name) }) };
    const data = { ...tenantState({ ...current, ...set }), changes };
    const events = [createEvent('management.tenant.updated.v1', id, { origin: callOrigin(context), data })];
    return refuseDuplicates(DUPLICATES, () => tenants.update(organizationId, current, { set, events, now }));
  });
  return { tenant: toTenant(tenant) };
}

/** The default owner that an update asks for. The touch makes a deletion of that user, if one is under way, look again. */
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
    throw invalidField('defaultOwnerId', 'names no user of this tenant');
  }
  return { id, key: user._id };
}

/**
 * Deletes a tenant without users. Whoever creates a user touches the tenant after storing the user: so either the user is
 * seen here, or the touch makes this write look again, or the creator finds the tenant gone and takes the user back.
 */
export async function deleteTenant(
  { stores }: Directory,
  { id }: Input<'tenants', 'delete'>,
  context: CallContext,
): Answer<'tenants', 'delete'> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const deleted = await untilWritten(async () => {
    const current = await stores.tenants.get(organizationId, id);
    requireVersion(context, current.version);
    if (await stores.tenantUsers.hasAnyIn(organizationId, current._id)) {
      throw new AppError('CONFLICT', { message: 'The tenant still has users' });
    }
    const data = tenantState(current);
    const events = [createEvent('management.tenant.deleted.v1', id, { origin: callOrigin(context), data })];
    return (await stores.tenants.delete(organizationId, current, { events, now })) ? current : null;
  });
  return { message: 'The tenant was deleted', deletedTenant: { id, name: deleted.name } };
}
