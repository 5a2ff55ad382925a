import { AppError } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { canSeeTenant } from '../authorization/logic/decideAccess.js';
import { permissionsOf } from '../authorization/logic/rolePermissions.js';
import { requireReader } from '../authorization/requireAccess.js';
import type { Directory, Input, Output } from '../directory.js';
import { fold } from '../records/logic/foldedFields.js';
import { findPerson, tenantNamesOf, type Person } from './findPeople.js';
import { toUnifiedUser } from './presentPerson.js';
import type { UserFilter } from './store.js';

const NO_PEOPLE: { records: Person[]; total: number } = { records: [], total: 0 };

/**
 * Lists org users, then tenant users, each by name. Org users belong to no tenant, so a tenant filter
 * excludes them.
 */
export async function listUnifiedUsers(
  directory: Directory,
  { search, type, tenantId, limit, offset }: Input<'unifiedUsers', 'list'>,
  context: CallContext,
): Promise<Output<'unifiedUsers', 'list'>> {
  const { organizationId, tenantKey: withinTenantKey } = requireReader(context.principal);
  const { orgUsers, tenantUsers } = directory.stores;
  const filter: UserFilter = { searchFolded: search === undefined ? undefined : fold(search) };
  const hasOrgUsers = type !== 'tenant' && tenantId === undefined && withinTenantKey === null;
  const first = hasOrgUsers
    ? await orgUsers.page(organizationId, filter, { skip: offset, limit })
    : NO_PEOPLE;
  const rest = { skip: Math.max(0, offset - first.total), limit: limit - first.records.length };
  const ofTenants = { ...filter, tenantId, withinTenantKey };
  const second =
    type === 'organization' ? NO_PEOPLE : await tenantUsers.page(organizationId, ofTenants, rest);
  const people = [...first.records, ...second.records];
  const tenantNames = await tenantNamesOf(directory, organizationId, people);
  const nameOf = (person: Person) =>
    'tenantKey' in person ? (tenantNames.get(person.tenantKey) ?? null) : null;
  const users = people.map((person) => toUnifiedUser(person, nameOf(person)));
  return { users, total: first.total + second.total, limit, offset };
}

export async function getUserContext(
  directory: Directory,
  { id }: Input<'unifiedUsers', 'get'>,
  context: CallContext,
): Promise<Output<'unifiedUsers', 'get'>> {
  const reader = requireReader(context.principal);
  const person = await findPerson(directory, reader.organizationId, id);
  const tenantKey = person && 'tenantKey' in person ? person.tenantKey : null;
  if (!person || !canSeeTenant(reader, tenantKey)) throw new AppError('NOT_FOUND');
  const type = tenantKey === null ? 'organization' : 'tenant';
  return { userId: person.id, type, role: person.role, permissions: permissionsOf(person.role) };
}
