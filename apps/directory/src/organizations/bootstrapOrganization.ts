import { createEvent, duplicateKeysOf, hashSecret, type CallContext } from '@gatehouse/service';
import { systemOrigin, type Directory, type Input, type Output } from '../directory.js';
import { userState } from '../people/presentPerson.js';
import { fold, foldPerson } from '../records/logic/foldedFields.js';
import { newUserKey } from '../records/subjectKeys.js';

/**
 * Creates the first organization with its project and ADMIN. Of concurrent requests, only one succeeds.
 *
 * The organization is stored last. While it is missing, a retry creates its project and ADMIN if they are
 * missing. Once it exists, a retry does not recreate records that were changed or deleted since.
 */
export async function bootstrapOrganization(
  directory: Directory,
  input: Input<'organizations', 'bootstrap'>,
  context: CallContext,
): Promise<Output<'organizations', 'bootstrap'>> {
  const { organizations } = directory.stores;
  if (await organizations.hasAny()) return { isNew: false };
  const { organizationId, organizationName: name } = input;
  if (!(await organizations.claimFirst(organizationId))) return { isNew: false };
  await Promise.all([
    insertIfAbsent(() => insertProject(directory, input, context)),
    insertIfAbsent(() => insertAdmin(directory, input, context)),
  ]);
  const origin = systemOrigin(context, organizationId);
  const data = { id: organizationId, name };
  const events = [createEvent('management.organization.created.v1', organizationId, { origin, data })];
  const { now } = context;
  return { isNew: await insertIfAbsent(() => organizations.insert(organizationId, name, { events, now })) };
}

/** Runs an insert; false when the record exists. */
async function insertIfAbsent(insert: () => Promise<unknown>): Promise<boolean> {
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
