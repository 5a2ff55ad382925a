import type { Project } from '@gatehouse/contract';
import {
  type CallContext,
  createEvent,
  hashSecret,
  newId,
  newSecret,
  requireVersion,
  retryOnConflict,
  withRepeatable,
} from '@gatehouse/service';
import { requireAdmin, requireSecretKeeper } from '../authorization/requireAccess.js';
import { callOrigin, type Directory, type DirectoryHandlers, type Input, type Output } from '../directory.js';
import { versionFieldsOf, type ProjectDocument } from '../records/documents.js';
import { changedFields, isUnchanged } from '../records/logic/changedFields.js';
import { fold } from '../records/logic/foldedFields.js';
import { rejectDuplicates } from '../records/rejectDuplicates.js';

const DUPLICATES = { name: { field: 'name', message: 'The organization has a project of this name' } };

function toProject(project: ProjectDocument): Project {
  const { _id: id, name, organizationId } = project;
  return { id, name, organizationId, ...versionFieldsOf(project) };
}

async function listProjects(
  { stores }: Directory,
  slice: Input<'projects', 'list'>,
  context: CallContext,
): Promise<Output<'projects', 'list'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { records, nextCursor } = await stores.projects.list(organizationId, slice);
  return { projects: records.map(toProject), nextCursor };
}

async function getProject(
  { stores }: Directory,
  { id }: Input<'projects', 'get'>,
  context: CallContext,
): Promise<Output<'projects', 'get'>> {
  const { organizationId } = requireAdmin(context.principal);
  return { project: toProject(await stores.projects.get(organizationId, id)) };
}

async function createProject(
  { stores }: Directory,
  { name }: Input<'projects', 'create'>,
  context: CallContext,
): Promise<Output<'projects', 'create'>> {
  const { organizationId } = requireSecretKeeper(context.principal);
  const { now, operation } = context;
  const id = newId('project', operation);
  const secret = newSecret(operation);
  const origin = callOrigin(context);
  const events = [createEvent('management.project.created.v1', id, { origin, data: { id, name } })];
  const draft = { _id: id, name, nameFolded: fold(name), secretHash: hashSecret(secret) };
  const project = await rejectDuplicates(DUPLICATES, () =>
    stores.projects.insert(organizationId, draft, { events, now }),
  );
  return { project: { ...toProject(project), secret } };
}

async function updateProject(
  { stores }: Directory,
  { id, name }: Input<'projects', 'update'>,
  context: CallContext,
): Promise<Output<'projects', 'update'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const project = await retryOnConflict(async () => {
    const current = await stores.projects.get(organizationId, id);
    requireVersion(context, current.version);
    const changes = changedFields(current, { name });
    if (isUnchanged(changes)) return current;
    const data = { id, name, changes };
    const events = [createEvent('management.project.updated.v1', id, { origin: callOrigin(context), data })];
    const set = { name, nameFolded: fold(name) };
    return rejectDuplicates(DUPLICATES, () =>
      stores.projects.update(organizationId, current, { set, events, now }),
    );
  });
  return { project: toProject(project) };
}

async function rotateProjectSecret(
  { stores }: Directory,
  { id }: Input<'projects', 'rotateSecret'>,
  context: CallContext,
): Promise<Output<'projects', 'rotateSecret'>> {
  const { organizationId } = requireSecretKeeper(context.principal);
  const { now } = context;
  const secret = newSecret(context.operation);
  const secretHash = hashSecret(secret);
  const project = await retryOnConflict(async () => {
    const current = await stores.projects.get(organizationId, id);
    const { repeatableHashes } = current;
    // An earlier run of this operation has already set the secret, which may have been replaced since.
    if (repeatableHashes?.includes(secretHash)) return current;
    const repeatable = context.operation && {
      repeatableHashes: withRepeatable(repeatableHashes, secretHash),
    };
    const data = { id, name: current.name };
    const events = [
      createEvent('management.project_secret.rotated.v1', id, { origin: callOrigin(context), data }),
    ];
    const set = { secretHash, ...repeatable };
    return stores.projects.update(organizationId, current, { set, events, now });
  });
  return { project: { ...toProject(project), secret } };
}

export function createProjectProcedures(directory: Directory): DirectoryHandlers<'projects'> {
  return {
    projects: {
      list: (input, context) => listProjects(directory, input, context),
      create: (input, context) => createProject(directory, input, context),
      get: (input, context) => getProject(directory, input, context),
      update: (input, context) => updateProject(directory, input, context),
      rotateSecret: (input, context) => rotateProjectSecret(directory, input, context),
    },
  };
}
