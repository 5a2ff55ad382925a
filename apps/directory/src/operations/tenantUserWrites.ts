import { createEvent, type EventOrigin, newId, type Operation, untilWritten } from '@gatehouse/service';
import type { TenantUserRole } from '@gatehouse/contract';
import type { Directory } from '../directory.js';
import { foldPerson, localPartOf } from '../logic/personFields.js';
import type { TenantDocument, TenantUserDocument } from '../store/documents.js';
import { newUserKey } from './keys.js';
import { userState } from './records.js';

/** A tenant user to be. */
export interface NewTenantUser {
  tenant: TenantDocument;
  /** The operation that makes the user, where it may be run again. */
  operation?: Operation | undefined;
  id?: string | undefined;
  email: string;
  /** Absent, the local part of the e-mail. */
  name?: string | undefined;
  role: TenantUserRole;
  department: string;
  isActive: boolean;
}

/**
 * Stores a tenant user. Gives null when the tenant was deleted meanwhile; then nothing stays of the user.
 *
 * Throws the engine's error when the id or the e-mail is taken.
 */
export async function admitTenantUser(
  directory: Directory,
  {
    tenant,
    operation,
    id = newId('tenantUser'),
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
    _id: newUserKey(operation),
    id,
    ...foldPerson({ name, email }),
    ...settings,
    tenantKey,
    tenantId,
  };
  const events = [createEvent('management.tenant_user.created.v1', id, { origin, data: userState(draft) })];
  const user = await tenantUsers.insert(organizationId, draft, { events, now });
  // After the user is stored: see `deleteTenant`.
  if (await tenants.touch(organizationId, tenantKey)) return user;
  await dropTenantUser(directory, user, origin);
  return null;
}

/** Deletes a user of a tenant that is gone; nobody inherits. Does nothing when the user is gone too. */
export async function dropTenantUser(
  { stores }: Directory,
  { organizationId, _id: key }: TenantUserDocument,
  origin: EventOrigin,
): Promise<void> {
  await untilWritten(async () => {
    const current = await stores.tenantUsers.findByKey(organizationId, key);
    if (!current) return true;
    const data = { ...userState(current), heir: null };
    const events = [createEvent('management.tenant_user.deleted.v1', current.id, { origin, data })];
    return (await stores.tenantUsers.delete(organizationId, current, { events, now: origin.now })) || null;
  });
}
