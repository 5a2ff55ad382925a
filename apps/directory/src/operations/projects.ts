import {
  type CallContext,
  createEvent,
  hashSecret,
  newId,
  newSecret,
  requireVersion,
  untilWritten,
} from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { changedFields, isUnchanged } from '../logic/changedFields.js';
import { fold } from '../logic/fold.js';
import { callOrigin } from './origins.js';
import { toProject } from './records.js';
import { refuseDuplicates, requireAdmin } from './refusals.js';

const DUPLICATES = { name: { field: 'name', message: 'The organization has a project of this name' } };

export async function listProjects(
  { stores }: Directory,
  _input: Input<'projects', 'list'>,
  context: CallContext,
): Answer<'projects', 'list'> {
  const { organizationId } = requireAdmin(context.principal);
  return { projects: (await stores.projects.list(organizationId)).map(toProject) };
}

export async function getProject(
  { stores }: Directory,
  { id }: Input<'projects', 'get'>,
  context: CallContext,
): Answer<'projects', 'get'> {
  const { organizationId } = requireAdmin(context.principal);
  return { project: toProject(await stores.projects.get(organizationId, id)) };
}

export async function createProject(
  { stores }: Directory,
  { name }: Input<'projects', 'create'>,
  context: CallContext,
): Answer<'projects', 'create'> {
  const { organizationId } = requireAdmin(context.principal);
  const { now, operation } = context;
  const id = newId('project', operation);
  const secret = newSecret(operation);
  const origin = callOrigin(context);
  const events = [createEvent('management.project.created.v1', id, { origin, data: { id, name } })];
  const draft = { _id: id, name, nameFolded: fold(name), secretHash: hashSecret(secret) };
  const project = await refuseDuplicates(DUPLICATES, () =>
    stores.projects.insert(organizationId, draft, { events, now }),
  );
  return { project: { ...toProject(project), secret } };
}

export async function updateProject(
  { stores }: Directory,
  { id, name }: Input<'projects', 'update'>,
  context: CallContext,
): Answer<'projects', 'update'> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const project = await untilWritten(async () => {
    const current = await stores.projects.get(organizationId, id);
    requireVersion(context, current.version);
    const changes = changedFields(current, { name });
    if (isUnchanged(changes)) return current;
    const data = { id, name, changes };
    const events = [createEvent('management.project.updated.v1', id, { origin: callOrigin(context), data })];
    const set = { name, nameFolded: fold(name) };
    return refuseDuplicates(DUPLICATES, () =>
      stores.projects.update(organizationId, current, { set, events, now }),
    );
  });
  return { project: toProject(project) };
}

export async function rotateProjectSecret(
  { stores }: Directory,
  { id }: Input<'projects', 'rotateSecret'>,
  context: CallContext,
): Answer<'projects', 'rotateSecret'> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const secret = newSecret(context.operation);
  const set = { secretHash: hashSecret(secret) };
  const project = await untilWritten(async () => {
    const current = await stores.projects.get(organizationId, id);
    // An earlier run of this operation has set it already.
    if (current.secretHash === set.secretHash) return current;
    const data = { id, name: current.name };
    const events = [
      createEvent('management.project_secret.rotated.v1', id, { origin: callOrigin(context), data }),
    ];
    return stores.projects.update(organizationId, current, { set, events, now });
  });
  return { project: { ...toProject(project), secret } };
}
