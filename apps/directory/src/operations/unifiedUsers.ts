import { AppError } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { canSeeTenant } from '../logic/authority.js';
import { fold } from '../logic/fold.js';
import { permissionsOf } from '../logic/permissions.js';
import type { Found } from '../store/recordStore.js';
import type { UserFilter } from '../store/users.js';
import { findPerson, tenantNamesOf, type Person } from './people.js';
import { toUnifiedUser } from './records.js';
import { requireReader } from './refusals.js';

const NOBODY: Found<Person> = { records: [], total: 0 };

/** Org users first, then tenant users, each by name. Org users belong to no tenant, so one in the filter leaves them out. */
export async function listUnifiedUsers(
  directory: Directory,
  { search, type, tenantId, limit, offset }: Input<'unifiedUsers', 'list'>,
  context: CallContext,
): Answer<'unifiedUsers', 'list'> {
  const { organizationId, tenantKey: withinTenantKey } = requireReader(context.principal);
  const { orgUsers, tenantUsers } = directory.stores;
  const filter: UserFilter = { searchFolded: search === undefined ? undefined : fold(search) };
  const hasOrgUsers = type !== 'tenant' && tenantId === undefined && withinTenantKey === null;
  const first = hasOrgUsers ? await orgUsers.page(organizationId, filter, { skip: offset, limit }) : NOBODY;
  const rest = { skip: Math.max(0, offset - first.total), limit: limit - first.records.length };
  const ofTenants = { ...filter, tenantId, withinTenantKey };
  const second = type === 'organization' ? NOBODY : await tenantUsers.page(organizationId, ofTenants, rest);
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
): Answer<'unifiedUsers', 'get'> {
  const reader = requireReader(context.principal);
  const person = await findPerson(directory, reader.organizationId, id);
  const tenantKey = person && 'tenantKey' in person ? person.tenantKey : null;
  if (!person || !canSeeTenant(reader, tenantKey)) throw new AppError('NOT_FOUND');
  const type = tenantKey === null ? 'organization' : 'tenant';
  return { userId: person.id, type, role: person.role, permissions: permissionsOf(person.role) };
}
