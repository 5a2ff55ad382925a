import { invalidField, withName, type DataModelSummary, type ModelTemplate } from '@gatehouse/contract';
import { requireVersion, retryOnConflict, type CallContext } from '@gatehouse/service';
import { requireAuthor } from '../authorization/logic/roles.js';
import type { Dependencies, Input, Output, RecordDocument } from '../dependencies.js';
import { changedFields, foldCase, isUnchanged, publicFields } from '../records/logic/fields.js';
import { createRecordEvent, rejectTakenName } from '../records/writeRecord.js';
import type { Writer } from '../records/writer.js';
import { EMPTY_TEMPLATE, parseTemplate } from '../templates/logic/modelTemplate.js';
import {
  checkTemplate,
  confirmConnections,
  createTemplated,
  deleteTemplated,
} from '../templates/writeTemplated.js';
import type { DataModelDocument, WholeDataModel } from './store.js';

const NOUN = 'data model';
const TEMPLATE_RULES = { owner: 'datamodel', prefix: 'template.' } as const;

function toSummary(datamodel: DataModelDocument): DataModelSummary {
  const { description, connectionId } = datamodel;
  return { ...publicFields(datamodel), description, connectionId };
}

export const toDataModel = (datamodel: WholeDataModel) => ({
  ...toSummary(datamodel),
  template: parseTemplate(datamodel),
});

export async function listDataModels(
  { stores }: Dependencies,
  slice: Input<'datamodels', 'list'>,
  context: CallContext,
): Promise<Output<'datamodels', 'list'>> {
  const { projectId } = requireAuthor(context.principal);
  const { records, nextCursor } = await stores.datamodels.listPart(projectId, slice);
  return { datamodels: records.map(toSummary), nextCursor };
}

export async function getDataModel(
  { stores }: Dependencies,
  { id }: Input<'datamodels', 'get'>,
  context: CallContext,
): Promise<Output<'datamodels', 'get'>> {
  const { projectId } = requireAuthor(context.principal);
  return { datamodel: toDataModel(await stores.datamodels.get(projectId, id)) };
}

async function requireConnection({ stores }: Dependencies, projectId: string, id: string): Promise<void> {
  if (await stores.connections.find(projectId, id)) return;
  throw invalidField('connectionId', withName('names no connection of the project', id), 'reference');
}

/** The fields of a new data model. */
export interface DataModelFields {
  name: string;
  description: string;
  connectionId: string;
  template?: ModelTemplate | undefined;
}

/** Creates a data model. Throws as {@link createTemplated}, and INVALID_REQUEST for an unknown connection. */
export async function createDataModel(
  dependencies: Dependencies,
  writer: Writer,
  { name, description, connectionId, template = EMPTY_TEMPLATE }: DataModelFields,
): Promise<WholeDataModel> {
  const { datamodels: store } = dependencies.stores;
  const { organizationId, projectId, userId, migrationId } = writer;
  await requireConnection(dependencies, projectId, connectionId);
  const fields = { name, nameFolded: foldCase(name), description, createdBy: userId, connectionId };
  const mark = migrationId === undefined ? {} : { copiedBy: migrationId };
  return createTemplated(dependencies, writer, {
    type: 'datamodel',
    store,
    name,
    template,
    connections: { ids: [connectionId], field: 'connectionId' },
    insert(id, text, written) {
      const draft = { _id: id, organizationId, ...fields, ...mark, template: text };
      return store.insert(projectId, draft, written);
    },
  });
}

export async function updateDataModel(
  dependencies: Dependencies,
  { id, template, ...wanted }: Input<'datamodels', 'update'>,
  context: CallContext,
): Promise<Output<'datamodels', 'update'>> {
  const { projectId } = requireAuthor(context.principal);
  const { datamodels } = dependencies.stores;
  await datamodels.get(projectId, id);
  if (wanted.connectionId !== undefined)
    await requireConnection(dependencies, projectId, wanted.connectionId);
  const rules = { projectId, ...TEMPLATE_RULES };
  const text = template && (await checkTemplate(dependencies, template, rules));
  const change = { ...wanted, ...(text !== undefined && { template: text }) };
  const { former, datamodel } = await retryOnConflict(async () => {
    const current = await datamodels.get(projectId, id);
    requireVersion(context, current.version);
    const written = await write(dependencies, current, { change, context });
    return { former: current, datamodel: written };
  });
  const { connectionId } = datamodel;
  if (connectionId === former.connectionId) return { datamodel: toDataModel(datamodel) };
  const used = { projectId, ids: [connectionId], field: 'connectionId' };
  await confirmConnections(dependencies, used, () => {
    const { name, description, template: formerText } = former;
    const reverted = { name, description, connectionId: former.connectionId, template: formerText };
    return write(dependencies, datamodel, { change: reverted, context });
  });
  return { datamodel: toDataModel(datamodel) };
}

type Change = Partial<Pick<WholeDataModel, 'name' | 'description' | 'connectionId' | 'template'>>;

/** Changes fields of a data model as it was read. Throws WriteConflict when it has changed since. */
async function write(
  { stores }: Dependencies,
  current: WholeDataModel,
  { change, context }: { change: Change; context: CallContext },
): Promise<WholeDataModel> {
  const { template: changedTemplate, ...changes } = changedFields<Partial<WholeDataModel>>(current, change);
  // A template may be long: the event only names it.
  const published = { ...changes, ...(changedTemplate && { template: { from: null, to: null } }) };
  if (isUnchanged(published)) return current;
  const { _id: id, projectId } = current;
  const name = change.name ?? current.name;
  const data = { id, projectId, name, changes: published };
  const events = [createRecordEvent('management.datamodel.updated.v1', data, context)];
  const set = { ...change, nameFolded: foldCase(name) };
  return rejectTakenName(NOUN, () =>
    stores.datamodels.update(projectId, current, { set, events, now: context.now }),
  );
}

/** Deletes a data model. See {@link deleteTemplated}. */
export function deleteDataModel(
  { stores }: Dependencies,
  writer: Writer,
  id: string,
): Promise<RecordDocument> {
  return deleteTemplated({ type: 'datamodel', store: stores.datamodels }, writer, id);
}
