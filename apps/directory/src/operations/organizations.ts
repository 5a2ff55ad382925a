import { createEvent, duplicateKeysOf, hashSecret, type CallContext } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { fold } from '../logic/fold.js';
import { foldPerson } from '../logic/personFields.js';
import { newUserKey } from './keys.js';
import { systemOrigin } from './origins.js';
import { userState } from './records.js';

/**
 * Makes the first organization, of all that are asked for at once one alone. It is stored last: as long as it is missing, a
 * repetition makes whatever is missing of its project and ADMIN, and once it is there, nothing is made again that was changed
 * or deleted since.
 */
export async function bootstrapOrganization(
  directory: Directory,
  input: Input<'organizations', 'bootstrap'>,
  context: CallContext,
): Answer<'organizations', 'bootstrap'> {
  const { organizations } = directory.stores;
  if (await organizations.hasAny()) return { isNew: false };
  const { organizationId, organizationName: name } = input;
  if (!(await organizations.claimFirst(organizationId))) return { isNew: false };
  await Promise.all([
    unlessPresent(() => insertProject(directory, input, context)),
    unlessPresent(() => insertAdmin(directory, input, context)),
  ]);
  const origin = systemOrigin(context, organizationId);
  const data = { id: organizationId, name };
  const events = [createEvent('management.organization.created.v1', organizationId, { origin, data })];
  const { now } = context;
  return { isNew: await unlessPresent(() => organizations.insert(organizationId, name, { events, now })) };
}

/** Runs an insert; false when the record is there. */
async function unlessPresent(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (duplicateKeysOf(error)) return false;
    throw error;
  }
}

async function insertProject(
  { stores }: Directory,
  { organizationId, projectId, projectName: name, projectSecret }: Input<'organizations', 'bootstrap'>,
  context: CallContext,
): Promise<void> {
  const origin = systemOrigin(context, organizationId, projectId);
  const data = { id: projectId, name };
  const events = [createEvent('management.project.created.v1', projectId, { origin, data })];
  const draft = { _id: projectId, name, nameFolded: fold(name), secretHash: hashSecret(projectSecret) };
  await stores.projects.insert(organizationId, draft, { events, now: context.now });
}

async function insertAdmin(
  { stores }: Directory,
  {
    organizationId,
    adminOrgUserId: id,
    adminEmail: email,
    adminName: name,
  }: Input<'organizations', 'bootstrap'>,
  context: CallContext,
): Promise<void> {
  const origin = systemOrigin(context, organizationId);
  const role = 'ADMIN' as const;
  const draft = {
    _id: newUserKey(),
    id,
    ...foldPerson({ name, email }),
    role,
    department: '',
    isActive: true,
  };
  const events = [createEvent('management.org_user.created.v1', id, { origin, data: userState(draft) })];
  await stores.orgUsers.insert(organizationId, draft, { events, now: context.now });
}
