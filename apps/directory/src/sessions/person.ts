import type { Directory } from '../directory.js';
import type { Person } from '../people/findPeople.js';
import type { TenantDocument } from '../records/documents.js';
import type { SessionRecord } from './store.js';

/** A person who may use the platform now. */
export interface ActivePerson {
  person: Person;
  /** Null for an org user. */
  tenant: TenantDocument | null;
}

/** The person of a key, if it is active and its tenant exists; null otherwise. */
export async function findActivePerson(
  { stores }: Directory,
  organizationId: string,
  { userKey, tenantKey }: Pick<SessionRecord, 'userKey' | 'tenantKey'>,
): Promise<ActivePerson | null> {
  if (tenantKey === null) {
    const person = await stores.orgUsers.findByKey(organizationId, userKey);
    return person?.isActive ? { person, tenant: null } : null;
  }
  const [person, tenant] = await Promise.all([
    stores.tenantUsers.findByKey(organizationId, userKey),
    stores.tenants.findByKey(organizationId, tenantKey),
  ]);
  return person?.isActive && tenant && person.tenantKey === tenantKey ? { person, tenant } : null;
}

/** The kind of principal that a person is. */
export function kindOf(person: Person): 'orgUser' | 'tenantUser' {
  return 'tenantKey' in person ? 'tenantUser' : 'orgUser';
}
