import type { TenantUserRole } from '@gatehouse/contract';
import { createEvent, type EventOrigin, newId, type Operation, retryOnConflict } from '@gatehouse/service';
import type { Directory } from '../directory.js';
import type { TenantDocument, TenantUserDocument } from '../records/documents.js';
import { foldPerson, localPartOf } from '../records/logic/foldedFields.js';
import { creationOf, newUserKey } from '../records/subjectKeys.js';
import { userState } from './presentPerson.js';

/** A tenant user to insert. */
export interface NewTenantUser {
  tenant: TenantDocument;
  /** By default a new key. */
  key?: string;
  /** The operation that creates the user, if it may be repeated. */
  operation?: Operation | undefined;
  id?: string | undefined;
  email: string;
  /** Defaults to the local part of the e-mail. */
  name?: string | undefined;
  role: TenantUserRole;
  department: string;
  isActive: boolean;
}

/**
 * Stores a tenant user. Returns null, and deletes the user again, when the tenant was deleted meanwhile.
 *
 * @throws the database error when the id or the e-mail is taken.
 */
export async function insertTenantUser(
  directory: Directory,
  {
    tenant,
    key = newUserKey(),
    operation,
    id = newId('tenantUser', operation),
    email,
    name = localPartOf(email),
    ...settings
  }: NewTenantUser,
  origin: EventOrigin,
): Promise<TenantUserDocument | null> {
  const { tenants, tenantUsers } = directory.stores;
  const { organizationId, _id: tenantKey, id: tenantId } = tenant;
  const { now } = origin;
  const draft = {
    _id: key,
    id,
    ...creationOf(operation),
    ...foldPerson({ name, email }),
    ...settings,
    tenantKey,
    tenantId,
  };
  const events = [createEvent('management.tenant_user.created.v1', id, { origin, data: userState(draft) })];
  const user = await tenantUsers.insert(organizationId, draft, { events, now });
  // The touch must follow the insert: see `deleteTenant`.
  if (await tenants.touch(organizationId, tenantKey)) return user;
  await deleteOrphanedTenantUser(directory, user, origin);
  return null;
}

/** Deletes a user of a deleted tenant, without an heir. Does nothing when the user is deleted too. */
export async function deleteOrphanedTenantUser(
  { stores }: Directory,
  { organizationId, _id: key }: TenantUserDocument,
  origin: EventOrigin,
): Promise<void> {
  await retryOnConflict(async () => {
    const current = await stores.tenantUsers.findByKey(organizationId, key);
    if (!current) return;
    const data = { ...userState(current), heir: null };
    const events = [createEvent('management.tenant_user.deleted.v1', current.id, { origin, data })];
    await stores.tenantUsers.delete(organizationId, current, { events, now: origin.now });
  });
}
