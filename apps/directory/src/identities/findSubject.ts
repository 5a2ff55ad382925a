import { OrgUserRole, TenantUserRole, type MappedPerson, type SignInRejection } from '@gatehouse/contract';
import {
  createEvent,
  duplicateKeysOf,
  newId,
  retryOnConflict,
  WriteConflict,
  type EventOrigin,
} from '@gatehouse/service';
import type { Directory, Input } from '../directory.js';
import type { Person } from '../people/findPeople.js';
import { insertTenantUser } from '../people/insertTenantUser.js';
import { insertOrgUser } from '../people/manageOrgUsers.js';
import type { TenantDocument } from '../records/documents.js';
import { fold, localPartOf } from '../records/logic/foldedFields.js';
import { newUserKey } from '../records/subjectKeys.js';
import type { Account, Identity } from './store.js';

/** A person whom a provider has authenticated. */
export type Authenticated = Pick<
  Input<'sessions', 'createFromProvider'>,
  'issuer' | 'subject' | 'email' | 'isEmailVerified' | 'name' | 'matchesEmail'
> & { person: MappedPerson };

/** A place in the organization: the organization itself, or one of its tenants. */
interface Place {
  account: Account;
  tenant: TenantDocument | null;
}

/**
 * How long a link without its person is that of a call that still creates it. A call ends sooner, so that a
 * later sign-in completes what a crash has interrupted.
 */
const CREATION_MS = 30_000;

/**
 * Finds the person of an issuer and a subject. At the first sign-in, the person is found by a verified
 * e-mail, or created, as far as the operator allows it.
 */
export async function findSubject(
  directory: Directory,
  authenticated: Authenticated,
  origin: EventOrigin,
): Promise<{ found: Person; tenant: TenantDocument | null } | SignInRejection> {
  const { issuer, subject, person } = authenticated;
  const { organizationId, tenantId } = person;
  const tenant = tenantId === null ? null : await directory.stores.tenants.find(organizationId, tenantId);
  if (tenantId !== null && tenant === null) return 'UNKNOWN_USER';
  const account = { issuer, subject, organizationId, tenantKey: tenant?._id ?? null };
  const found = await retryOnConflict(() =>
    findOrLink(directory, authenticated, { place: { account, tenant }, origin }),
  );
  return typeof found === 'string' ? found : { found, tenant };
}

async function findOrLink(
  directory: Directory,
  authenticated: Authenticated,
  { place, origin }: { place: Place; origin: EventOrigin },
): Promise<Person | SignInRejection> {
  const { account } = place;
  const identity = await directory.stores.identities.find(account.organizationId, account);
  const known = identity && (await findPerson(directory, account, identity.userKey));
  if (known) return known;
  if (identity && origin.now.getTime() - identity.linkedAt.getTime() < CREATION_MS) throw new WriteConflict();
  return linkPerson(directory, authenticated, { place, former: identity, origin });
}

async function findPerson({ stores }: Directory, account: Account, key: string): Promise<Person | null> {
  const { organizationId, tenantKey } = account;
  if (tenantKey === null) return stores.orgUsers.findByKey(organizationId, key);
  const user = await stores.tenantUsers.findByKey(organizationId, key);
  return user?.tenantKey === tenantKey ? user : null;
}

interface Link {
  place: Place;
  former: Identity | null;
  origin: EventOrigin;
}

async function linkPerson(
  directory: Directory,
  authenticated: Authenticated,
  link: Link,
): Promise<Person | SignInRejection> {
  const { email, isEmailVerified, matchesEmail, person } = authenticated;
  if (!matchesEmail && !person.createsUser) return 'UNKNOWN_USER';
  if (email === null || !isEmailVerified) return 'EMAIL_NOT_VERIFIED';
  const holder = await findByEmail(directory, link.place.account, email);
  if (holder && !matchesEmail) return rejectHolder(directory, holder, link.place.account);
  if (holder) return linkWith(directory, holder, { ...link, by: 'email' });
  if (!person.createsUser || person.role === null) return 'UNKNOWN_USER';
  return createPerson(directory, { ...authenticated, email }, link);
}

/**
 * Rejects a person who is not that of the account but has its e-mail. Throws WriteConflict if another sign-in
 * of the account has created the person since the link was read.
 */
async function rejectHolder(
  { stores }: Directory,
  holder: Person,
  account: Account,
): Promise<SignInRejection> {
  const identity = await stores.identities.find(account.organizationId, account);
  if (identity?.userKey === holder._id) throw new WriteConflict();
  return 'EMAIL_TAKEN';
}

function findByEmail({ stores }: Directory, account: Account, email: string): Promise<Person | null> {
  const { organizationId, tenantKey } = account;
  if (tenantKey === null) return stores.orgUsers.findByEmail(organizationId, fold(email));
  return stores.tenantUsers.findByEmail(organizationId, tenantKey, fold(email));
}

/** Stores the link. A person has one account of each issuer. */
async function linkWith<P extends Pick<Person, '_id' | 'id'>>(
  { stores }: Directory,
  person: P,
  { place, former, origin, by }: Link & { by: 'email' | 'creation' },
): Promise<P | 'USER_LINKED'> {
  const { account, tenant } = place;
  const { issuer, subject, organizationId } = account;
  const data = { userId: person.id, userKey: person._id, tenantId: tenant?.id ?? null, issuer, subject, by };
  const events = [createEvent('management.identity.linked.v1', person.id, { origin, data })];
  const link = { account, userKey: person._id, former };
  const outcome = await stores.identities.link(organizationId, link, { now: origin.now, events });
  if (outcome === 'raced') throw new WriteConflict();
  return outcome === 'taken' ? 'USER_LINKED' : person;
}

/**
 * Links the account with the key of a person, then creates the person. Of concurrent first sign-ins, one
 * links. After a crash between both steps, a later sign-in finds no person of the key, and starts again.
 */
async function createPerson(
  directory: Directory,
  authenticated: Authenticated & { email: string },
  link: Link,
): Promise<Person | SignInRejection> {
  const { email, name, person } = authenticated;
  const { tenant } = link.place;
  const key = newUserKey();
  const id = newId(tenant === null ? 'orgUser' : 'tenantUser');
  const claimed = await linkWith(directory, { _id: key, id }, { ...link, by: 'creation' });
  if (claimed === 'USER_LINKED') return claimed;
  const common = { id, email, name: name ?? localPartOf(email), department: '', isActive: true };
  try {
    if (tenant === null) {
      const role = OrgUserRole.parse(person.role);
      return await insertOrgUser(directory, { ...common, key, role }, link.origin);
    }
    const role = TenantUserRole.parse(person.role);
    return (
      (await insertTenantUser(directory, { ...common, tenant, key, role }, link.origin)) ?? 'UNKNOWN_USER'
    );
  } catch (error) {
    if (duplicateKeysOf(error)?.at(-1) !== 'emailFolded') throw error;
    return linkHolder(directory, { ...authenticated, email }, link);
  }
}

/** Links the account with a person whom another request has created since, if its e-mail suffices. */
async function linkHolder(
  directory: Directory,
  { email, matchesEmail }: Authenticated & { email: string },
  link: Link,
): Promise<Person | SignInRejection> {
  if (!matchesEmail) return 'EMAIL_TAKEN';
  const { account } = link.place;
  const [former, holder] = await Promise.all([
    directory.stores.identities.find(account.organizationId, account),
    findByEmail(directory, account, email),
  ]);
  if (holder === null) throw new WriteConflict();
  return linkWith(directory, holder, { ...link, former, by: 'email' });
}
