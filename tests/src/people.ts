import type { OrgUserRole, TenantUserRole } from '@gatehouse/contract';
import type { Api, Session } from './api.js';

/** A user and a session of it. */
export interface Person {
  id: string;
  session: Session;
}

export interface TenantPeople {
  id: string;
  name: string;
  powerUser: Person;
  otherPowerUser: Person;
  viewer: Person;
}

/** One user of every kind, two for kinds that must be distinguished, in an organization with two tenants. */
export interface People {
  admin: Person;
  author: Person;
  otherAuthor: Person;
  orgViewer: Person;
  tenant: TenantPeople;
  otherTenant: TenantPeople;
}

/** Makes an org user and opens a session of it. */
export async function addOrgUser(api: Api, role: OrgUserRole): Promise<Person> {
  const { id } = await api.createOrgUser(role);
  return { id, session: await api.openSession({ orgUserId: id }) };
}

/** Makes a tenant user and opens a session of it. */
export async function addTenantUser(api: Api, tenantId: string, role: TenantUserRole): Promise<Person> {
  const { id } = await api.createTenantUser(tenantId, role);
  return { id, session: await api.openSession({ endUserId: id }) };
}

async function addTenant(api: Api): Promise<TenantPeople> {
  const { id, name } = await api.createTenant();
  return {
    id,
    name,
    powerUser: await addTenantUser(api, id, 'POWER_USER'),
    otherPowerUser: await addTenantUser(api, id, 'POWER_USER'),
    viewer: await addTenantUser(api, id, 'VIEWER'),
  };
}

/** Makes fresh people: what one test does to them is no business of another's. */
export async function addPeople(api: Api): Promise<People> {
  return {
    admin: await addOrgUser(api, 'ADMIN'),
    author: await addOrgUser(api, 'AUTHOR'),
    otherAuthor: await addOrgUser(api, 'AUTHOR'),
    orgViewer: await addOrgUser(api, 'VIEWER'),
    tenant: await addTenant(api),
    otherTenant: await addTenant(api),
  };
}
