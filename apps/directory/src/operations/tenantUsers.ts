import { AppError, invalidField } from '@gatehouse/contract';
import { type CallContext, createEvent, requireVersion, untilWritten } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { canSeeTenant } from '../logic/authority.js';
import { callerContextOf } from '../logic/callerContext.js';
import { applyChanges, changedFields, isUnchanged } from '../logic/changedFields.js';
import { fold } from '../logic/fold.js';
import { foldPerson } from '../logic/personFields.js';
import type { TenantDocument, TenantUserDocument } from '../store/documents.js';
import { callOrigin } from './origins.js';
import { tenantNamesOf } from './people.js';
import { toTenantUser, userState } from './records.js';
import { refuseDuplicates, requireAdmin, requireTenantUserReader } from './refusals.js';
import { admitTenantUser } from './tenantUserWrites.js';

const DUPLICATES = {
  emailFolded: { field: 'email', message: 'The tenant has a user of this e-mail' },
  id: { field: 'id', message: 'The organization has a tenant user of this id' },
};
const LIMIT_DEFAULT = 50;

/** The part of a list that either paging mode asks for; the contract has refused a mixture. */
function pageOf({ limit, offset, page, pageSize }: Input<'tenantUsers', 'list'>) {
  if (page !== undefined && pageSize !== undefined) return { skip: page * pageSize, limit: pageSize };
  return { skip: offset ?? 0, limit: limit ?? LIMIT_DEFAULT };
}

export async function listTenantUsers(
  directory: Directory,
  input: Input<'tenantUsers', 'list'>,
  context: CallContext,
): Answer<'tenantUsers', 'list'> {
  const { organizationId, tenantKey: withinTenantKey } = requireTenantUserReader(context.principal);
  const { search, active: isActive, tenantId } = input;
  const searchFolded = search === undefined ? undefined : fold(search);
  const filter = { searchFolded, isActive, tenantId, withinTenantKey };
  const { records, total } = await directory.stores.tenantUsers.page(organizationId, filter, pageOf(input));
  const users = await present(directory, organizationId, records);
  return { users, total, userContext: callerContextOf(context.principal) };
}

export async function getTenantUser(
  directory: Directory,
  { id }: Input<'tenantUsers', 'get'>,
  context: CallContext,
): Answer<'tenantUsers', 'get'> {
  const reader = requireTenantUserReader(context.principal);
  const user = await directory.stores.tenantUsers.get(reader.organizationId, id);
  if (!canSeeTenant(reader, user.tenantKey)) throw new AppError('NOT_FOUND');
  return { user: await presentOne(directory, user) };
}

export async function createTenantUser(
  directory: Directory,
  { tenantId, ...person }: Input<'tenantUsers', 'create'>,
  context: CallContext,
): Answer<'tenantUsers', 'create'> {
  const { organizationId } = requireAdmin(context.principal);
  const { operation } = context;
  const tenant = await directory.stores.tenants.find(organizationId, tenantId);
  const user =
    tenant &&
    (await refuseDuplicates(DUPLICATES, () =>
      admitTenantUser(directory, { tenant, operation, ...person }, callOrigin(context)),
    ));
  if (!user) throw invalidField('tenantId', 'names no tenant');
  return { user: await presentOne(directory, user) };
}

export async function updateTenantUser(
  directory: Directory,
  { id, ...wanted }: Input<'tenantUsers', 'update'>,
  context: CallContext,
): Answer<'tenantUsers', 'update'> {
  const { organizationId } = requireAdmin(context.principal);
  const { tenantUsers } = directory.stores;
  const { now } = context;
  const user = await untilWritten(async () => {
    const current = await tenantUsers.get(organizationId, id);
    requireVersion(context, current.version);
    const changes = changedFields<Partial<TenantUserDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const next = applyChanges(current, changes);
    const { role, department, isActive } = next;
    const set = { ...foldPerson(next), role, department, isActive };
    const data = { ...userState(next), changes };
    const events = [
      createEvent('management.tenant_user.updated.v1', id, { origin: callOrigin(context), data }),
    ];
    return refuseDuplicates(DUPLICATES, () =>
      tenantUsers.update(organizationId, current, { set, events, now }),
    );
  });
  return { user: await presentOne(directory, user) };
}

export async function deleteTenantUser(
  directory: Directory,
  { id }: Input<'tenantUsers', 'delete'>,
  context: CallContext,
): Answer<'tenantUsers', 'delete'> {
  const { organizationId } = requireAdmin(context.principal);
  const { tenantUsers } = directory.stores;
  const { now } = context;
  const { email, name } = await untilWritten(async () => {
    const current = await tenantUsers.get(organizationId, id);
    requireVersion(context, current.version);
    const heir = await findHeir(directory, current);
    const data = { ...userState(current), heir };
    const events = [
      createEvent('management.tenant_user.deleted.v1', id, { origin: callOrigin(context), data }),
    ];
    return (await tenantUsers.delete(organizationId, current, { events, now })) ? current : null;
  });
  return { message: 'The tenant user was deleted', deletedUser: { id, email, name } };
}

/**
 * Who inherits what a user owned. Throws CONFLICT when the user itself is who inherits from others; the touch keeps it
 * from becoming so before it is deleted.
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

async function present(directory: Directory, organizationId: string, users: TenantUserDocument[]) {
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
