import { invalidField } from '@gatehouse/contract';
import { type CallContext, createEvent, newId, requireVersion, untilWritten } from '@gatehouse/service';
import { changedFields, isUnchanged } from '../logic/changedFields.js';
import { fold } from '../logic/fold.js';
import { EMPTY_TEMPLATE } from '../logic/modelTemplate.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { WholeDataModel } from '../store/documents.js';
import { checkTemplate, holdConnections } from './modelTemplates.js';
import { callOrigin, stateOf, toDataModel, toDataModelSummary } from './records.js';
import { refuseTakenName, requireAuthor, requireRoom } from './refusals.js';

const NOUN = 'data model';
const TEMPLATE_RULES = { owner: 'datamodel', prefix: 'template.' } as const;

export async function listDataModels(
  { stores }: Semantics,
  _input: Input<'datamodels', 'list'>,
  context: CallContext,
): Answer<'datamodels', 'list'> {
  const { projectId } = requireAuthor(context.principal);
  return { datamodels: (await stores.datamodels.list(projectId)).map(toDataModelSummary) };
}

export async function getDataModel(
  { stores }: Semantics,
  { id }: Input<'datamodels', 'get'>,
  context: CallContext,
): Answer<'datamodels', 'get'> {
  const { projectId } = requireAuthor(context.principal);
  return { datamodel: toDataModel(await stores.datamodels.get(projectId, id)) };
}

async function requireConnection({ stores }: Semantics, projectId: string, id: string): Promise<void> {
  if (await stores.connections.find(projectId, id)) return;
  throw invalidField('connectionId', 'names no connection of the project');
}

export async function createDataModel(
  semantics: Semantics,
  { name, description, connectionId, template = EMPTY_TEMPLATE }: Input<'datamodels', 'create'>,
  context: CallContext,
): Answer<'datamodels', 'create'> {
  const { organizationId, projectId, userId } = requireAuthor(context.principal);
  const { datamodels } = semantics.stores;
  await requireRoom(datamodels, projectId, NOUN);
  await requireConnection(semantics, projectId, connectionId);
  const text = await checkTemplate(semantics, template, { projectId, ...TEMPLATE_RULES });
  const id = newId('datamodel', context.operation);
  const data = { id, projectId, name };
  const events = [createEvent('management.datamodel.created.v1', id, { origin: callOrigin(context), data })];
  const fields = { name, nameFolded: fold(name), description, createdBy: userId };
  const draft = { _id: id, organizationId, ...fields, connectionId, template: text };
  const written = { events, now: context.now };
  const datamodel = await refuseTakenName(NOUN, () => datamodels.insert(projectId, draft, written));
  const held = { projectId, ids: [connectionId], field: 'connectionId' };
  await holdConnections(semantics, held, () => drop(semantics, datamodel, context));
  return { datamodel: toDataModel(datamodel) };
}

export async function updateDataModel(
  semantics: Semantics,
  { id, template, ...wanted }: Input<'datamodels', 'update'>,
  context: CallContext,
): Answer<'datamodels', 'update'> {
  const { projectId } = requireAuthor(context.principal);
  const { datamodels } = semantics.stores;
  await datamodels.get(projectId, id);
  if (wanted.connectionId !== undefined) await requireConnection(semantics, projectId, wanted.connectionId);
  const rules = { projectId, ...TEMPLATE_RULES };
  const text = template && (await checkTemplate(semantics, template, rules));
  const change = { ...wanted, ...(text !== undefined && { template: text }) };
  const { former, datamodel } = await untilWritten(async () => {
    const current = await datamodels.get(projectId, id);
    requireVersion(context, current.version);
    const written = await write(semantics, current, { change, context });
    return written && { former: current, datamodel: written };
  });
  const { connectionId } = datamodel;
  if (connectionId === former.connectionId) return { datamodel: toDataModel(datamodel) };
  await holdConnections(semantics, { projectId, ids: [connectionId], field: 'connectionId' }, () => {
    const { name, description, template: formerText } = former;
    const back = { name, description, connectionId: former.connectionId, template: formerText };
    return write(semantics, datamodel, { change: back, context });
  });
  return { datamodel: toDataModel(datamodel) };
}

type Change = Partial<Pick<WholeDataModel, 'name' | 'description' | 'connectionId' | 'template'>>;

/** Changes fields of a data model as it was read; null when it has changed since. */
async function write(
  { stores }: Semantics,
  current: WholeDataModel,
  { change, context }: { change: Change; context: CallContext },
): Promise<WholeDataModel | null> {
  const { template: changedTemplate, ...changes } = changedFields<Partial<WholeDataModel>>(current, change);
  // A template is long, so that its event only names it.
  const told = { ...changes, ...(changedTemplate && { template: { from: null, to: null } }) };
  if (isUnchanged(told)) return current;
  const { _id: id, projectId } = current;
  const name = change.name ?? current.name;
  const origin = callOrigin(context);
  const data = { id, projectId, name, changes: told };
  const events = [createEvent('management.datamodel.updated.v1', id, { origin, data })];
  const set = { ...change, nameFolded: fold(name) };
  return refuseTakenName(NOUN, () =>
    stores.datamodels.update(projectId, current, { set, events, now: context.now }),
  );
}

/** Deletes a data model as it was read; false when it has changed since. */
function drop({ stores }: Semantics, current: WholeDataModel, context: CallContext): Promise<boolean> {
  const { _id: id, projectId } = current;
  const origin = callOrigin(context);
  const events = [createEvent('management.datamodel.deleted.v1', id, { origin, data: stateOf(current) })];
  return stores.datamodels.delete(projectId, current, { events, now: context.now });
}

export async function deleteDataModel(
  semantics: Semantics,
  { id }: Input<'datamodels', 'delete'>,
  context: CallContext,
): Answer<'datamodels', 'delete'> {
  const { projectId } = requireAuthor(context.principal);
  const { name } = await untilWritten(async () => {
    const current = await semantics.stores.datamodels.get(projectId, id);
    requireVersion(context, current.version);
    return (await drop(semantics, current, context)) ? current : null;
  });
  return { message: 'The data model was deleted', deletedDatamodel: { id, name } };
}
