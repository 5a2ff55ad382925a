import { AppError } from '@gatehouse/contract';
import { decodeCursor, encodeCursor, invalidCursor, type CallContext } from '@gatehouse/service';
import { z } from 'zod';
import { canSeeTenant, isOfOtherTenant } from '../authorization/logic/decideAccess.js';
import { permissionsOf } from '../authorization/logic/rolePermissions.js';
import { requireReader } from '../authorization/requireAccess.js';
import type { Directory, Input, Output } from '../directory.js';
import { fold } from '../records/logic/foldedFields.js';
import { sumOf, TOTAL_MAX, type Found } from '../records/totals.js';
import { findPerson, tenantNamesOf, type Person } from './findPeople.js';
import { toUnifiedUser } from './presentPerson.js';
import type { UserFilter } from './store.js';

const NO_PEOPLE: Found<Person> = { records: [], total: 0, nextCursor: null };

/** The list that continues, and where. Null at the beginning of the tenant users. */
const PageEnd = z.union([
  z.tuple([z.literal('unifiedUsers'), z.literal('organization'), z.string()]),
  z.tuple([z.literal('unifiedUsers'), z.literal('tenant'), z.string().nullable()]),
]);
type UserKind = 'organization' | 'tenant';

const endOf = (kind: UserKind, cursor: string | null) => encodeCursor(['unifiedUsers', kind, cursor]);

function placeOf(cursor: string | undefined): { kind: UserKind; inner: string | undefined } {
  const [, kind, inner] =
    cursor === undefined ? ['', 'organization' as const, null] : decodeCursor(cursor, PageEnd);
  return { kind, inner: inner ?? undefined };
}

/**
 * Lists org users, then tenant users, each by name. Org users belong to no tenant, so a tenant filter
 * excludes them.
 */
export async function listUnifiedUsers(
  directory: Directory,
  input: Input<'unifiedUsers', 'list'>,
  context: CallContext,
): Promise<Output<'unifiedUsers', 'list'>> {
  const reader = requireReader(context.principal);
  const { limit, offset } = input;
  const ids = isOfOtherTenant(context.principal, input.tenantId) ? [] : input.ids?.split(',');
  const { records, ...rest } = await readPage(directory, { ...input, ids }, reader);
  const tenantNames = await tenantNamesOf(directory, reader.organizationId, records);
  const nameOf = (person: Person) =>
    'tenantKey' in person ? (tenantNames.get(person.tenantKey) ?? null) : null;
  return { users: records.map((person) => toUnifiedUser(person, nameOf(person))), limit, offset, ...rest };
}

type Selected = Omit<Input<'unifiedUsers', 'list'>, 'ids'> & Pick<UserFilter, 'ids'>;

async function readPage(
  { stores }: Directory,
  { search, ids, type, tenantId, limit, offset, cursor }: Selected,
  { organizationId, tenantKey: withinTenantKey }: ReturnType<typeof requireReader>,
): Promise<Found<Person>> {
  const place = placeOf(cursor);
  const isIncluded = {
    organization: type !== 'tenant' && tenantId === undefined && withinTenantKey === null,
    tenant: type !== 'organization',
  };
  if (cursor !== undefined && !isIncluded[place.kind]) throw invalidCursor();
  const filter: UserFilter = {
    searchFolded: search === undefined ? undefined : fold(search),
    ids,
  };
  const isLater = place.kind === 'tenant';
  const firstPage = {
    skip: offset,
    limit: isLater ? 0 : limit,
    cursor: isLater ? undefined : place.inner,
    // The offset continues behind the org users, so their number must be exact up to it.
    totalMax: Math.max(TOTAL_MAX, offset),
  };
  const first = isIncluded.organization
    ? await stores.orgUsers.page(organizationId, filter, firstPage)
    : NO_PEOPLE;
  const rest = {
    skip: cursor === undefined ? Math.max(0, offset - first.total) : 0,
    limit: limit - first.records.length,
    cursor: isLater ? place.inner : undefined,
  };
  const ofTenants = { ...filter, tenantId, withinTenantKey };
  const second = isIncluded.tenant
    ? await stores.tenantUsers.page(organizationId, ofTenants, rest)
    : NO_PEOPLE;
  return {
    records: [...first.records, ...second.records],
    ...sumOf(first, second),
    nextCursor: nextCursorOf(first, second, rest.limit),
  };
}

function nextCursorOf(first: Found<Person>, second: Found<Person>, room: number): string | null {
  if (first.nextCursor !== null) return endOf('organization', first.nextCursor);
  if (second.nextCursor !== null) return endOf('tenant', second.nextCursor);
  return room === 0 && second.total > 0 ? endOf('tenant', null) : null;
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
