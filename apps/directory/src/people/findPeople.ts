import type { Directory } from '../directory.js';
import type { OrgUserDocument, TenantUserDocument } from '../records/documents.js';
import { isOrgUserId } from '../records/logic/userPlaces.js';

/** An org user or a tenant user; only a tenant user has a `tenantKey`. */
export type Person = OrgUserDocument | TenantUserDocument;

/** Finds a person by public id; null when the organization has none. */
export function findPerson(
  { stores }: Directory,
  organizationId: string,
  id: string,
): Promise<Person | null> {
  return isOrgUserId(id)
    ? stores.orgUsers.find(organizationId, id)
    : stores.tenantUsers.find(organizationId, id);
}

/** Finds people by public id. Returns a map by id. */
export async function findPeopleById(
  { stores }: Directory,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, Person>> {
  const orgUserIds = ids.filter(isOrgUserId);
  const tenantUserIds = ids.filter((id) => !isOrgUserId(id));
  const found: Person[][] = await Promise.all([
    orgUserIds.length === 0 ? [] : stores.orgUsers.listByIds(organizationId, orgUserIds),
    tenantUserIds.length === 0 ? [] : stores.tenantUsers.listByIds(organizationId, tenantUserIds),
  ]);
  return new Map(found.flat().map((person) => [person.id, person]));
}

/** Finds people by key. Returns a map by key. */
export async function findPeopleByKey(
  { stores }: Directory,
  organizationId: string,
  keys: readonly string[],
): Promise<Map<string, Person>> {
  if (keys.length === 0) return new Map();
  const found: Person[][] = await Promise.all([
    stores.orgUsers.listByKeys(organizationId, keys),
    stores.tenantUsers.listByKeys(organizationId, keys),
  ]);
  return new Map(found.flat().map((person) => [person._id, person]));
}

/** Finds the names of the tenants that people belong to. Returns a map by tenant key. */
export async function tenantNamesOf(
  { stores }: Directory,
  organizationId: string,
  people: readonly Person[],
): Promise<Map<string, string>> {
  const keys = [...new Set(people.flatMap((person) => ('tenantKey' in person ? [person.tenantKey] : [])))];
  const tenants = keys.length === 0 ? [] : await stores.tenants.listByKeys(organizationId, keys);
  return new Map(tenants.map((tenant) => [tenant._id, tenant.name]));
}
