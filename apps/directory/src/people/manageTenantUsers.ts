import { AppError, invalidField, withName } from '@gatehouse/contract';
import { type CallContext, createEvent, requireVersion, retryOnConflict } from '@gatehouse/service';
import { callerContextOf } from '../authorization/logic/callerContext.js';
import { canSeeTenant, isOfOtherTenant } from '../authorization/logic/decideAccess.js';
import { requireAdmin, requireTenantUserReader } from '../authorization/requireAccess.js';
import { callOrigin, type Change, type Directory, type Input, type Output } from '../directory.js';
import type { TenantDocument, TenantUserDocument } from '../records/documents.js';
import { applyChanges, changedFields, isUnchanged } from '../records/logic/changedFields.js';
import { fold, foldPerson } from '../records/logic/foldedFields.js';
import { rejectDuplicates } from '../records/rejectDuplicates.js';
import { tenantNamesOf } from './findPeople.js';
import { insertTenantUser } from './insertTenantUser.js';
import { toTenantUser, userState } from './presentPerson.js';

const DUPLICATES = {
  emailFolded: { field: 'email', message: 'The tenant has a user of this e-mail' },
  id: { field: 'id', message: 'The organization has a tenant user of this id' },
  idFolded: { field: 'id', message: 'The organization has a tenant user whose id differs in case alone' },
};
const LIMIT_DEFAULT = 50;

/** The page that a request selects in either paging mode. The contract rejects a mixture of both. */
function pageOf({ limit, offset, page, pageSize, cursor }: Input<'tenantUsers', 'list'>) {
  if (page !== undefined && pageSize !== undefined) return { skip: page * pageSize, limit: pageSize };
  return { skip: offset ?? 0, limit: limit ?? LIMIT_DEFAULT, cursor };
}

export async function listTenantUsers(
  directory: Directory,
  input: Input<'tenantUsers', 'list'>,
  context: CallContext,
): Promise<Output<'tenantUsers', 'list'>> {
  const { organizationId, tenantKey: withinTenantKey } = requireTenantUserReader(context.principal);
  const { search, active: isActive, tenantId } = input;
  const searchFolded = search === undefined ? undefined : fold(search);
  // For a tenant user, only a filter by its own tenant remains, which changes nothing.
  const ofTenant = withinTenantKey === null ? tenantId : undefined;
  const ids = isOfOtherTenant(context.principal, tenantId) ? [] : undefined;
  const filter = { searchFolded, ids, isActive, tenantId: ofTenant, withinTenantKey };
  const { tenantUsers } = directory.stores;
  const { records, ...rest } = await tenantUsers.pageWithExactTotal(organizationId, filter, pageOf(input));
  const users = await presentAll(directory, organizationId, records);
  return { users, ...rest, userContext: callerContextOf(context.principal) };
}

export async function getTenantUser(
  directory: Directory,
  { id }: Input<'tenantUsers', 'get'>,
  context: CallContext,
): Promise<Output<'tenantUsers', 'get'>> {
  const reader = requireTenantUserReader(context.principal);
  const user = await directory.stores.tenantUsers.get(reader.organizationId, id);
  if (!canSeeTenant(reader, user.tenantKey)) throw new AppError('NOT_FOUND');
  return { user: await presentOne(directory, user) };
}

export async function createTenantUser(
  directory: Directory,
  { tenantId, ...person }: Input<'tenantUsers', 'create'>,
  context: CallContext,
): Promise<Output<'tenantUsers', 'create'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { operation } = context;
  const { tenants, organizations } = directory.stores;
  const [tenant, organization] = await Promise.all([
    tenants.find(organizationId, tenantId),
    organizations.get(organizationId),
  ]);
  const user =
    tenant &&
    (await rejectDuplicates(DUPLICATES, () =>
      insertTenantUser(directory, { tenant, operation, ...person }, callOrigin(context)),
    ));
  if (!user) throw invalidField('tenantId', withName('names no tenant', tenantId), 'reference');
  return { user: toTenantUser(user, tenant.name, organization.name) };
}

export async function updateTenantUser(
  directory: Directory,
  input: Input<'tenantUsers', 'update'>,
  context: CallContext,
): Promise<Output<'tenantUsers', 'update'>> {
  requireAdmin(context.principal);
  const { ifMatch } = context;
  const user = await changeTenantUser(directory, input, { origin: callOrigin(context), ifMatch });
  return { user: await presentOne(directory, user) };
}

/** Changes a tenant user, for a request or for the platform. */
export async function changeTenantUser(
  directory: Directory,
  { id, ...wanted }: Input<'tenantUsers', 'update'>,
  { origin, ifMatch }: Change,
): Promise<TenantUserDocument> {
  const { tenantUsers } = directory.stores;
  const { organizationId, now } = origin;
  return retryOnConflict(async () => {
    const current = await tenantUsers.get(organizationId, id);
    requireVersion({ ifMatch }, current.version);
    const changes = changedFields<Partial<TenantUserDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const next = applyChanges(current, changes);
    const { role, department, isActive } = next;
    const set = { ...foldPerson(next), role, department, isActive };
    const data = { ...userState(next), changes };
    const events = [createEvent('management.tenant_user.updated.v1', id, { origin, data })];
    return rejectDuplicates(DUPLICATES, () =>
      tenantUsers.update(organizationId, current, { set, events, now }),
    );
  });
}

export async function deleteTenantUser(
  directory: Directory,
  { id }: Input<'tenantUsers', 'delete'>,
  context: CallContext,
): Promise<Output<'tenantUsers', 'delete'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { tenantUsers } = directory.stores;
  const { now } = context;
  const { email, name } = await retryOnConflict(async () => {
    const current = await tenantUsers.get(organizationId, id);
    requireVersion(context, current.version);
    const heir = await findHeir(directory, current);
    const data = { ...userState(current), heir };
    const events = [
      createEvent('management.tenant_user.deleted.v1', id, { origin: callOrigin(context), data }),
    ];
    await tenantUsers.delete(organizationId, current, { events, now });
    return current;
  });
  return { message: 'The tenant user was deleted', deletedUser: { id, email, name } };
}

/**
 * Finds the user who inherits the resources of a deleted user. Throws CONFLICT when the deleted user is the
 * default owner; the touch prevents it from becoming the default owner before it is deleted.
 */
async function findHeir(
  { stores }: Directory,
  { organizationId, tenantKey, _id: key }: TenantUserDocument,
): Promise<TenantDocument['defaultOwner']> {
  const touched = await stores.tenants.touchUnlessOwnedBy(organizationId, tenantKey, key);
  if (touched) return touched.defaultOwner;
  const tenant = await stores.tenants.findByKey(organizationId, tenantKey);
  if (!tenant) return null;
  throw new AppError('CONFLICT', {
    message: "The user is its tenant's default owner",
    blockedBy: [{ id: tenant.id, title: tenant.name }],
  });
}

async function presentAll(directory: Directory, organizationId: string, users: TenantUserDocument[]) {
  const [tenantNames, organization] = await Promise.all([
    tenantNamesOf(directory, organizationId, users),
    directory.stores.organizations.get(organizationId),
  ]);
  return users.map((user) => toTenantUser(user, tenantNames.get(user.tenantKey) ?? '', organization.name));
}

async function presentOne({ stores }: Directory, user: TenantUserDocument) {
  const [tenant, organization] = await Promise.all([
    stores.tenants.findByKey(user.organizationId, user.tenantKey),
    stores.organizations.get(user.organizationId),
  ]);
  return toTenantUser(user, tenant?.name ?? '', organization.name);
}
