import { AppError, type SemanticDomainAccess } from '@gatehouse/contract';
import { type CallContext, createEvent, newId, requireVersion, untilWritten } from '@gatehouse/service';
import { changedFields, isUnchanged } from '../logic/changedFields.js';
import { findUnknownDomains, seesDomain } from '../logic/domainAccess.js';
import { fold } from '../logic/fold.js';
import { EMPTY_TEMPLATE } from '../logic/modelTemplate.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { DomainDocument } from '../store/documents.js';
import { callOrigin, stateOf, toDomain } from './records.js';
import {
  refuseTakenName,
  requireAdmin,
  requireDomainCreator,
  requireReader,
  requireRoom,
} from './refusals.js';

const NOUN = 'semantic domain';

/** Whether a token sees a stored domain. */
export function isVisible(
  access: SemanticDomainAccess | undefined,
  { _id: id, name }: DomainDocument,
): boolean {
  return seesDomain(access, { id, name });
}

/** The same domain; throws NOT_FOUND, as for one that does not exist, when the token does not see it. */
export function requireVisible<T extends DomainDocument>(
  access: SemanticDomainAccess | undefined,
  domain: T,
): T {
  if (!isVisible(access, domain)) throw new AppError('NOT_FOUND');
  return domain;
}

export async function listDomains(
  { stores }: Semantics,
  _input: Input<'domains', 'list'>,
  context: CallContext,
): Answer<'domains', 'list'> {
  const { projectId, semanticDomainAccess: access } = requireReader(context.principal);
  const domains = await stores.domains.list(projectId);
  return { domains: domains.filter((domain) => isVisible(access, domain)).map(toDomain) };
}

export async function getDomain(
  { stores }: Semantics,
  { domainId }: Input<'domains', 'get'>,
  context: CallContext,
): Answer<'domains', 'get'> {
  const { projectId, semanticDomainAccess: access } = requireReader(context.principal);
  return { domain: toDomain(requireVisible(access, await stores.domains.get(projectId, domainId))) };
}

export async function createDomain(
  { stores }: Semantics,
  { name, label = name, description }: Input<'domains', 'create'>,
  context: CallContext,
): Answer<'domains', 'create'> {
  const { organizationId, projectId, userId } = requireDomainCreator(context.principal);
  await requireRoom(stores.domains, projectId, NOUN);
  const { now } = context;
  const id = newId('domain', context.operation);
  const data = { id, projectId, name };
  const events = [createEvent('management.domain.created.v1', id, { origin: callOrigin(context), data })];
  const template = { template: JSON.stringify(EMPTY_TEMPLATE), connectionIds: [] };
  const fields = { name, nameFolded: fold(name), label, description, createdBy: userId };
  const draft = { _id: id, organizationId, ...fields, ...template };
  const domain = await refuseTakenName(NOUN, () => stores.domains.insert(projectId, draft, { events, now }));
  return { domain: toDomain(domain) };
}

export async function updateDomain(
  { stores }: Semantics,
  { domainId: id, ...wanted }: Input<'domains', 'update'>,
  context: CallContext,
): Answer<'domains', 'update'> {
  const { projectId, semanticDomainAccess: access } = requireAdmin(context.principal);
  const { now } = context;
  const domain = await untilWritten(async () => {
    const current = requireVisible(access, await stores.domains.get(projectId, id));
    requireVersion(context, current.version);
    const changes = changedFields<Partial<DomainDocument>>(current, wanted);
    if (isUnchanged(changes)) return current;
    const { name = current.name, label = current.label, description = current.description } = wanted;
    const data = { id, projectId, name, changes };
    const events = [createEvent('management.domain.updated.v1', id, { origin: callOrigin(context), data })];
    const set = { name, nameFolded: fold(name), label, description };
    return refuseTakenName(NOUN, () => stores.domains.update(projectId, current, { set, events, now }));
  });
  return { domain: toDomain(domain) };
}

export async function deleteDomain(
  { stores }: Semantics,
  { domainId: id }: Input<'domains', 'delete'>,
  context: CallContext,
): Answer<'domains', 'delete'> {
  const { projectId, semanticDomainAccess: access } = requireAdmin(context.principal);
  const { now } = context;
  const { name } = await untilWritten(async () => {
    const current = requireVisible(access, await stores.domains.get(projectId, id));
    requireVersion(context, current.version);
    const origin = callOrigin(context);
    const events = [createEvent('management.domain.deleted.v1', id, { origin, data: stateOf(current) })];
    return (await stores.domains.delete(projectId, current, { events, now })) ? current : null;
  });
  return { message: 'The semantic domain was deleted', deletedDomain: { id, name } };
}

/** Which names and ids mean no domain of a project: a token that names one is not issued. */
export async function findUnknown(
  { stores }: Semantics,
  { projectId, domains: entries }: Input<'domains', 'findUnknown'>,
): Answer<'domains', 'findUnknown'> {
  const named = await stores.domains.listNamed(projectId, entries);
  return {
    unknown: findUnknownDomains(
      entries,
      named.map(({ _id: id, name }) => ({ id, name })),
    ),
  };
}
