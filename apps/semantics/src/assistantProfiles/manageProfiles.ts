import { newId, requireVersion, retryOnConflict, type CallContext } from '@gatehouse/service';
import { requireAuthor } from '../authorization/logic/roles.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { changedFields, eventFields, foldCase, isUnchanged, publicFields } from '../records/logic/fields.js';
import { createRecordEvent, rejectTakenName, requireRoom } from '../records/writeRecord.js';
import type { AssistantProfileDocument } from './store.js';

const NOUN = 'assistant profile';

function toAssistantProfile(profile: AssistantProfileDocument) {
  const { description, instructions } = profile;
  return { ...publicFields(profile), description, instructions };
}

export async function listAssistantProfiles(
  { stores }: Dependencies,
  slice: Input<'assistantProfiles', 'list'>,
  context: CallContext,
): Promise<Output<'assistantProfiles', 'list'>> {
  const { projectId } = requireAuthor(context.principal);
  const { records, nextCursor } = await stores.assistantProfiles.listPart(projectId, slice);
  return { assistantProfiles: records.map(toAssistantProfile), nextCursor };
}

export async function getAssistantProfile(
  { stores }: Dependencies,
  { id }: Input<'assistantProfiles', 'get'>,
  context: CallContext,
): Promise<Output<'assistantProfiles', 'get'>> {
  const { projectId } = requireAuthor(context.principal);
  return { assistantProfile: toAssistantProfile(await stores.assistantProfiles.get(projectId, id)) };
}

export async function createAssistantProfile(
  { stores }: Dependencies,
  { name, description, instructions }: Input<'assistantProfiles', 'create'>,
  context: CallContext,
): Promise<Output<'assistantProfiles', 'create'>> {
  const { organizationId, projectId, userId } = requireAuthor(context.principal);
  await requireRoom(stores.assistantProfiles, projectId, NOUN);
  const { now } = context;
  const id = newId('assistantProfile', context.operation);
  const data = { id, projectId, name };
  const events = [createRecordEvent('management.assistant_profile.created.v1', data, context)];
  const fields = { name, nameFolded: foldCase(name), description, instructions, createdBy: userId };
  const draft = { _id: id, organizationId, ...fields };
  const profile = await rejectTakenName(NOUN, () =>
    stores.assistantProfiles.insert(projectId, draft, { events, now }),
  );
  return { assistantProfile: toAssistantProfile(profile) };
}

export async function updateAssistantProfile(
  { stores }: Dependencies,
  { id, ...wanted }: Input<'assistantProfiles', 'update'>,
  context: CallContext,
): Promise<Output<'assistantProfiles', 'update'>> {
  const { projectId } = requireAuthor(context.principal);
  const { now } = context;
  const profile = await retryOnConflict(async () => {
    const current = await stores.assistantProfiles.get(projectId, id);
    requireVersion(context, current.version);
    const changes = changedFields<Partial<AssistantProfileDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const name = wanted.name ?? current.name;
    const data = { id, projectId, name, changes };
    const events = [createRecordEvent('management.assistant_profile.updated.v1', data, context)];
    const { description = current.description, instructions = current.instructions } = wanted;
    const set = { name, nameFolded: foldCase(name), description, instructions };
    return rejectTakenName(NOUN, () =>
      stores.assistantProfiles.update(projectId, current, { set, events, now }),
    );
  });
  return { assistantProfile: toAssistantProfile(profile) };
}

export async function deleteAssistantProfile(
  { stores }: Dependencies,
  { id }: Input<'assistantProfiles', 'delete'>,
  context: CallContext,
): Promise<Output<'assistantProfiles', 'delete'>> {
  const { projectId } = requireAuthor(context.principal);
  const { now } = context;
  const { name } = await retryOnConflict(async () => {
    const current = await stores.assistantProfiles.get(projectId, id);
    requireVersion(context, current.version);
    const data = eventFields(current);
    const events = [createRecordEvent('management.assistant_profile.deleted.v1', data, context)];
    await stores.assistantProfiles.delete(projectId, current, { events, now });
    return current;
  });
  return { message: 'The assistant profile was deleted', deletedAssistantProfile: { id, name } };
}
