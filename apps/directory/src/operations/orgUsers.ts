import { AppError } from '@gatehouse/contract';
import { type CallContext, createEvent, newId, requireVersion, untilWritten } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { applyChanges, changedFields, isUnchanged } from '../logic/changedFields.js';
import { fold } from '../logic/fold.js';
import { foldPerson } from '../logic/personFields.js';
import type { OrgUserDocument } from '../store/documents.js';
import { newUserKey } from './keys.js';
import { callOrigin } from './origins.js';
import { toOrgUser, userState } from './records.js';
import { refuseDuplicates, requireAdmin } from './refusals.js';

const DUPLICATES = {
  emailFolded: { field: 'email', message: 'The organization has an org user of this e-mail' },
};

async function nameOf({ stores }: Directory, organizationId: string): Promise<string> {
  return (await stores.organizations.get(organizationId)).name;
}

export async function listOrgUsers(
  directory: Directory,
  { search, active: isActive, limit, offset }: Input<'orgUsers', 'list'>,
  context: CallContext,
): Answer<'orgUsers', 'list'> {
  const { organizationId } = requireAdmin(context.principal);
  const filter = { isActive, searchFolded: search === undefined ? undefined : fold(search) };
  const [{ records, total }, organizationName] = await Promise.all([
    directory.stores.orgUsers.page(organizationId, filter, { skip: offset, limit }),
    nameOf(directory, organizationId),
  ]);
  return { users: records.map((user) => toOrgUser(user, organizationName)), total, limit, offset };
}

export async function getOrgUser(
  directory: Directory,
  { id }: Input<'orgUsers', 'get'>,
  context: CallContext,
): Answer<'orgUsers', 'get'> {
  const { organizationId } = requireAdmin(context.principal);
  const user = await directory.stores.orgUsers.get(organizationId, id);
  return { user: toOrgUser(user, await nameOf(directory, organizationId)) };
}

export async function createOrgUser(
  directory: Directory,
  { email, name, role, department, isActive }: Input<'orgUsers', 'create'>,
  context: CallContext,
): Answer<'orgUsers', 'create'> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const id = newId('orgUser');
  const key = newUserKey(context.operation);
  const draft = { _id: key, id, ...foldPerson({ name, email }), role, department, isActive };
  const data = userState(draft);
  const events = [createEvent('management.org_user.created.v1', id, { origin: callOrigin(context), data })];
  const user = await refuseDuplicates(DUPLICATES, () =>
    directory.stores.orgUsers.insert(organizationId, draft, { events, now }),
  );
  return { user: toOrgUser(user, await nameOf(directory, organizationId)) };
}

export async function updateOrgUser(
  directory: Directory,
  { id, ...wanted }: Input<'orgUsers', 'update'>,
  context: CallContext,
): Answer<'orgUsers', 'update'> {
  const { organizationId } = requireAdmin(context.principal);
  const { orgUsers } = directory.stores;
  const { now } = context;
  const user = await untilWritten(async () => {
    const current = await orgUsers.get(organizationId, id);
    requireVersion(context, current.version);
    const changes = changedFields<Partial<OrgUserDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const next = applyChanges(current, changes);
    if (!isActiveAdmin(next)) await keepAnAdmin(directory, current);
    const { role, department, isActive } = next;
    const set = { ...foldPerson(next), role, department, isActive };
    const data = { ...userState(next), changes };
    const events = [createEvent('management.org_user.updated.v1', id, { origin: callOrigin(context), data })];
    return refuseDuplicates(DUPLICATES, () => orgUsers.update(organizationId, current, { set, events, now }));
  });
  return { user: toOrgUser(user, await nameOf(directory, organizationId)) };
}

export async function deleteOrgUser(
  directory: Directory,
  { id }: Input<'orgUsers', 'delete'>,
  context: CallContext,
): Answer<'orgUsers', 'delete'> {
  const { organizationId } = requireAdmin(context.principal);
  const { orgUsers } = directory.stores;
  const { now } = context;
  const { email, name } = await untilWritten(async () => {
    const current = await orgUsers.get(organizationId, id);
    requireVersion(context, current.version);
    await keepAnAdmin(directory, current);
    const data = userState(current);
    const events = [createEvent('management.org_user.deleted.v1', id, { origin: callOrigin(context), data })];
    return (await orgUsers.delete(organizationId, current, { events, now })) ? current : null;
  });
  return { message: 'The org user was deleted', deletedUser: { id, email, name } };
}

function isActiveAdmin({ role, isActive }: Pick<OrgUserDocument, 'role' | 'isActive'>): boolean {
  return role === 'ADMIN' && isActive;
}

/**
 * Throws CONFLICT when this is the last active ADMIN. Otherwise another one vouches: it is touched, so that whoever is
 * about to end that one's role on an earlier reading has to look again. Of two ADMINs who demote each other, each reads
 * the one and touches the other before it writes; both writes cannot stand, since each reading would have to come after
 * the other's touch. The same holds around a ring of any length. Nothing needs repair after a crash: a touch changes
 * no field.
 */
async function keepAnAdmin({ stores }: Directory, user: OrgUserDocument): Promise<void> {
  if (!isActiveAdmin(user)) return;
  if (await stores.orgUsers.touchOtherAdmin(user.organizationId, user._id)) return;
  throw new AppError('CONFLICT', { message: 'The last active ADMIN of the organization stays one' });
}
