import { AppError } from '@gatehouse/contract';
import {
  type CallContext,
  createEvent,
  type EventOrigin,
  newId,
  requireVersion,
  retryOnConflict,
} from '@gatehouse/service';
import { requireAdmin } from '../authorization/requireAccess.js';
import { callOrigin, type Change, type Directory, type Input, type Output } from '../directory.js';
import type { OrgUserDocument } from '../records/documents.js';
import { applyChanges, changedFields, isUnchanged } from '../records/logic/changedFields.js';
import { fold, foldPerson } from '../records/logic/foldedFields.js';
import { rejectDuplicates } from '../records/rejectDuplicates.js';
import { creationOf, newUserKey } from '../records/subjectKeys.js';
import { toOrgUser, userState } from './presentPerson.js';

const DUPLICATES = {
  emailFolded: { field: 'email', message: 'The organization has an org user of this e-mail' },
};

async function organizationNameOf({ stores }: Directory, organizationId: string): Promise<string> {
  return (await stores.organizations.get(organizationId)).name;
}

export async function listOrgUsers(
  directory: Directory,
  { search, active: isActive, limit, offset, cursor }: Input<'orgUsers', 'list'>,
  context: CallContext,
): Promise<Output<'orgUsers', 'list'>> {
  const { organizationId } = requireAdmin(context.principal);
  const filter = { isActive, searchFolded: search === undefined ? undefined : fold(search) };
  const [{ records, ...rest }, organizationName] = await Promise.all([
    directory.stores.orgUsers.page(organizationId, filter, { skip: offset, limit, cursor }),
    organizationNameOf(directory, organizationId),
  ]);
  return { users: records.map((user) => toOrgUser(user, organizationName)), limit, offset, ...rest };
}

export async function getOrgUser(
  directory: Directory,
  { id }: Input<'orgUsers', 'get'>,
  context: CallContext,
): Promise<Output<'orgUsers', 'get'>> {
  const { organizationId } = requireAdmin(context.principal);
  const user = await directory.stores.orgUsers.get(organizationId, id);
  return { user: toOrgUser(user, await organizationNameOf(directory, organizationId)) };
}

export async function createOrgUser(
  directory: Directory,
  fields: Input<'orgUsers', 'create'>,
  context: CallContext,
): Promise<Output<'orgUsers', 'create'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { operation } = context;
  const draft = { ...fields, key: newUserKey(), id: newId('orgUser', operation), ...creationOf(operation) };
  const user = await rejectDuplicates(DUPLICATES, () => insertOrgUser(directory, draft, callOrigin(context)));
  return { user: toOrgUser(user, await organizationNameOf(directory, organizationId)) };
}

/** An org user to insert, with its key. */
export type NewOrgUser = Input<'orgUsers', 'create'> & { key: string; id: string; creation?: string };

/** Stores an org user. Throws the database error when the e-mail is taken. */
export async function insertOrgUser(
  { stores }: Directory,
  { key, id, email, name, role, department, isActive, creation }: NewOrgUser,
  origin: EventOrigin,
): Promise<OrgUserDocument> {
  const { organizationId, now } = origin;
  const repeatable = creation === undefined ? {} : { creation };
  const draft = { _id: key, id, ...foldPerson({ name, email }), role, department, isActive, ...repeatable };
  const data = userState(draft);
  const events = [createEvent('management.org_user.created.v1', id, { origin, data })];
  return stores.orgUsers.insert(organizationId, draft, { events, now });
}

export async function updateOrgUser(
  directory: Directory,
  input: Input<'orgUsers', 'update'>,
  context: CallContext,
): Promise<Output<'orgUsers', 'update'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { ifMatch } = context;
  const user = await changeOrgUser(directory, input, { origin: callOrigin(context), ifMatch });
  return { user: toOrgUser(user, await organizationNameOf(directory, organizationId)) };
}

/** Changes an org user, for a request or for the platform. Throws CONFLICT for the last active ADMIN. */
export async function changeOrgUser(
  directory: Directory,
  { id, ...wanted }: Input<'orgUsers', 'update'>,
  { origin, ifMatch }: Change,
): Promise<OrgUserDocument> {
  const { orgUsers } = directory.stores;
  const { organizationId, now } = origin;
  return retryOnConflict(async () => {
    const current = await orgUsers.get(organizationId, id);
    requireVersion({ ifMatch }, current.version);
    const changes = changedFields<Partial<OrgUserDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const next = applyChanges(current, changes);
    if (!isActiveAdmin(next)) await requireOtherAdmin(directory, current);
    const { role, department, isActive } = next;
    const set = { ...foldPerson(next), role, department, isActive };
    const data = { ...userState(next), changes };
    const events = [createEvent('management.org_user.updated.v1', id, { origin, data })];
    return rejectDuplicates(DUPLICATES, () => orgUsers.update(organizationId, current, { set, events, now }));
  });
}

export async function deleteOrgUser(
  directory: Directory,
  { id }: Input<'orgUsers', 'delete'>,
  context: CallContext,
): Promise<Output<'orgUsers', 'delete'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { orgUsers } = directory.stores;
  const { now } = context;
  const { email, name } = await retryOnConflict(async () => {
    const current = await orgUsers.get(organizationId, id);
    requireVersion(context, current.version);
    await requireOtherAdmin(directory, current);
    const data = userState(current);
    const events = [createEvent('management.org_user.deleted.v1', id, { origin: callOrigin(context), data })];
    await orgUsers.delete(organizationId, current, { events, now });
    return current;
  });
  return { message: 'The org user was deleted', deletedUser: { id, email, name } };
}

function isActiveAdmin({ role, isActive }: Pick<OrgUserDocument, 'role' | 'isActive'>): boolean {
  return role === 'ADMIN' && isActive;
}

/**
 * Throws CONFLICT when the user is the last active ADMIN. Otherwise touches another active ADMIN: a
 * concurrent operation that read that ADMIN earlier and would end its role has to read again.
 *
 * When two ADMINs demote each other at once, each operation reads one ADMIN and touches the other before it
 * writes. At most one write succeeds: for both to succeed, each read would have to follow the other
 * operation's touch. The same holds for a ring of any length. A crash leaves nothing to repair, because a
 * touch changes no field.
 */
async function requireOtherAdmin({ stores }: Directory, user: OrgUserDocument): Promise<void> {
  if (!isActiveAdmin(user)) return;
  if (await stores.orgUsers.touchOtherAdmin(user.organizationId, user._id)) return;
  throw new AppError('CONFLICT', { message: 'The organization must keep at least one active ADMIN' });
}
