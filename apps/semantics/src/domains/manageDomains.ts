import type { ModelTemplate } from '@gatehouse/contract';
import { cutSlice, readVisible, requireVersion, retryOnConflict, type CallContext } from '@gatehouse/service';
import { findUnknownDomains, requireVisible, seesDomain } from '../authorization/logic/domainAccess.js';
import { requireAdmin, requireReader } from '../authorization/logic/roles.js';
import type { Dependencies, Input, Output, RecordDocument } from '../dependencies.js';
import { changedFields, foldCase, isUnchanged, publicFields } from '../records/logic/fields.js';
import { createRecordEvent, rejectTakenName } from '../records/writeRecord.js';
import type { Writer } from '../records/writer.js';
import { connectionIdsIn, EMPTY_TEMPLATE } from '../templates/logic/modelTemplate.js';
import { createTemplated, deleteTemplated } from '../templates/writeTemplated.js';
import type { DomainDocument } from './store.js';

const NOUN = 'semantic domain';

export function toDomain(domain: DomainDocument) {
  const { label, description } = domain;
  return { ...publicFields(domain), label, description };
}

export async function listDomains(
  { stores }: Dependencies,
  slice: Input<'domains', 'list'>,
  context: CallContext,
): Promise<Output<'domains', 'list'>> {
  const { projectId, semanticDomainAccess: access } = requireReader(context.principal);
  const { limit } = slice;
  const visible = await readVisible(
    slice,
    (cursor) => stores.domains.listPart(projectId, { limit: limit + 1, cursor }),
    (records) => records.filter((domain) => seesDomain(access, domain)),
  );
  const { records, nextCursor } = cutSlice({ list: 'domains', by: 'nameFolded' }, limit, visible);
  return { domains: records.map(toDomain), nextCursor };
}

export async function getDomain(
  { stores }: Dependencies,
  { domainId }: Input<'domains', 'get'>,
  context: CallContext,
): Promise<Output<'domains', 'get'>> {
  const { projectId, semanticDomainAccess: access } = requireReader(context.principal);
  return { domain: toDomain(requireVisible(access, await stores.domains.get(projectId, domainId))) };
}

/** The fields of a new domain. */
export interface DomainFields {
  name: string;
  label?: string | undefined;
  description: string;
  template?: ModelTemplate;
}

/** Creates a domain. See {@link createTemplated}. */
export function createDomain(
  dependencies: Dependencies,
  writer: Writer,
  { name, label = name, description, template = EMPTY_TEMPLATE }: DomainFields,
): Promise<DomainDocument> {
  const { domains: store } = dependencies.stores;
  const { organizationId, projectId, userId, migrationId } = writer;
  const connectionIds = connectionIdsIn(template);
  const fields = { name, nameFolded: foldCase(name), label, description, createdBy: userId, connectionIds };
  const mark = migrationId === undefined ? {} : { copiedBy: migrationId };
  return createTemplated(dependencies, writer, {
    type: 'domain',
    store,
    name,
    template,
    connections: { ids: connectionIds, field: 'datasets' },
    insert(id, text, written) {
      const draft = { _id: id, organizationId, ...fields, ...mark, template: text };
      return store.insert(projectId, draft, written);
    },
  });
}

export async function updateDomain(
  { stores }: Dependencies,
  { domainId: id, ...wanted }: Input<'domains', 'update'>,
  context: CallContext,
): Promise<Output<'domains', 'update'>> {
  const { projectId, semanticDomainAccess: access } = requireAdmin(context.principal);
  const { now } = context;
  const domain = await retryOnConflict(async () => {
    const current = requireVisible(access, await stores.domains.get(projectId, id));
    requireVersion(context, current.version);
    const changes = changedFields<Partial<DomainDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const { name = current.name, label = current.label, description = current.description } = wanted;
    const data = { id, projectId, name, changes };
    const events = [createRecordEvent('management.domain.updated.v1', data, context)];
    const set = { name, nameFolded: foldCase(name), label, description };
    return rejectTakenName(NOUN, () => stores.domains.update(projectId, current, { set, events, now }));
  });
  return { domain: toDomain(domain) };
}

/** Deletes a domain. See {@link deleteTemplated}. */
export function deleteDomain({ stores }: Dependencies, writer: Writer, id: string): Promise<RecordDocument> {
  return deleteTemplated({ type: 'domain', store: stores.domains }, writer, id);
}

/** The names and ids that match no domain of a project. A token is not issued when it lists one. */
export async function findUnknown(
  { stores }: Dependencies,
  { projectId, domains: entries }: Input<'domains', 'findUnknown'>,
): Promise<Output<'domains', 'findUnknown'>> {
  return { unknown: findUnknownDomains(entries, await stores.domains.listNamed(projectId, entries)) };
}
