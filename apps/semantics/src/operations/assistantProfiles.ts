import { type CallContext, createEvent, newId, requireVersion, untilWritten } from '@gatehouse/service';
import { changedFields, isUnchanged } from '../logic/changedFields.js';
import { fold } from '../logic/fold.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { AssistantProfileDocument } from '../store/documents.js';
import { callOrigin, stateOf, toAssistantProfile } from './records.js';
import { refuseTakenName, requireAuthor, requireRoom } from './refusals.js';

const NOUN = 'assistant profile';

export async function listAssistantProfiles(
  { stores }: Semantics,
  _input: Input<'assistantProfiles', 'list'>,
  context: CallContext,
): Answer<'assistantProfiles', 'list'> {
  const { projectId } = requireAuthor(context.principal);
  return { assistantProfiles: (await stores.assistantProfiles.list(projectId)).map(toAssistantProfile) };
}

export async function getAssistantProfile(
  { stores }: Semantics,
  { id }: Input<'assistantProfiles', 'get'>,
  context: CallContext,
): Answer<'assistantProfiles', 'get'> {
  const { projectId } = requireAuthor(context.principal);
  return { assistantProfile: toAssistantProfile(await stores.assistantProfiles.get(projectId, id)) };
}

export async function createAssistantProfile(
  { stores }: Semantics,
  { name, description, instructions }: Input<'assistantProfiles', 'create'>,
  context: CallContext,
): Answer<'assistantProfiles', 'create'> {
  const { organizationId, projectId, userId } = requireAuthor(context.principal);
  await requireRoom(stores.assistantProfiles, projectId, NOUN);
  const { now } = context;
  const id = newId('assistantProfile', context.operation);
  const origin = callOrigin(context);
  const data = { id, projectId, name };
  const events = [createEvent('management.assistant_profile.created.v1', id, { origin, data })];
  const fields = { name, nameFolded: fold(name), description, instructions, createdBy: userId };
  const draft = { _id: id, organizationId, ...fields };
  const profile = await refuseTakenName(NOUN, () =>
    stores.assistantProfiles.insert(projectId, draft, { events, now }),
  );
  return { assistantProfile: toAssistantProfile(profile) };
}

export async function updateAssistantProfile(
  { stores }: Semantics,
  { id, ...wanted }: Input<'assistantProfiles', 'update'>,
  context: CallContext,
): Answer<'assistantProfiles', 'update'> {
  const { projectId } = requireAuthor(context.principal);
  const { now } = context;
  const profile = await untilWritten(async () => {
    const current = await stores.assistantProfiles.get(projectId, id);
    requireVersion(context, current.version);
    const changes = changedFields<Partial<AssistantProfileDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const name = wanted.name ?? current.name;
    const origin = callOrigin(context);
    const data = { id, projectId, name, changes };
    const events = [createEvent('management.assistant_profile.updated.v1', id, { origin, data })];
    const { description = current.description, instructions = current.instructions } = wanted;
    const set = { name, nameFolded: fold(name), description, instructions };
    return refuseTakenName(NOUN, () =>
      stores.assistantProfiles.update(projectId, current, { set, events, now }),
    );
  });
  return { assistantProfile: toAssistantProfile(profile) };
}

export async function deleteAssistantProfile(
  { stores }: Semantics,
  { id }: Input<'assistantProfiles', 'delete'>,
  context: CallContext,
): Answer<'assistantProfiles', 'delete'> {
  const { projectId } = requireAuthor(context.principal);
  const { now } = context;
  const { name } = await untilWritten(async () => {
    const current = await stores.assistantProfiles.get(projectId, id);
    requireVersion(context, current.version);
    const origin = callOrigin(context);
    const data = stateOf(current);
    const events = [createEvent('management.assistant_profile.deleted.v1', id, { origin, data })];
    return (await stores.assistantProfiles.delete(projectId, current, { events, now })) ? current : null;
  });
  return { message: 'The assistant profile was deleted', deletedAssistantProfile: { id, name } };
}
