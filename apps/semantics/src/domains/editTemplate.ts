import { requireVersion, retryOnConflict, type CallContext } from '@gatehouse/service';
import { requireVisible } from '../authorization/logic/domainAccess.js';
import { requireAdmin, requireReader } from '../authorization/logic/roles.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { eventFields } from '../records/logic/fields.js';
import { createRecordEvent } from '../records/writeRecord.js';
import { checkTemplate, confirmConnections } from '../templates/writeTemplated.js';
import { connectionIdsIn, parseTemplate } from '../templates/logic/modelTemplate.js';
import { toDomain } from './manageDomains.js';
import type { DomainDocument } from './store.js';

export async function getTemplate(
  { stores }: Dependencies,
  { domainId }: Input<'domains', 'getTemplate'>,
  context: CallContext,
): Promise<Output<'domains', 'getTemplate'>> {
  const { projectId, semanticDomainAccess: access } = requireReader(context.principal);
  const domain = requireVisible(access, await stores.domains.getWhole(projectId, domainId));
  return { domain: toDomain(domain), template: parseTemplate(domain) };
}

/** Replaces a template whole. */
export async function replaceTemplate(
  dependencies: Dependencies,
  { domainId, ...template }: Input<'domains', 'putTemplate'>,
  context: CallContext,
): Promise<Output<'domains', 'putTemplate'>> {
  const { projectId, semanticDomainAccess: access } = requireAdmin(context.principal);
  const { domains } = dependencies.stores;
  // First, so that a caller who may not see the domain learns nothing of the template's faults.
  requireVisible(access, await domains.get(projectId, domainId));
  const text = await checkTemplate(dependencies, template, { projectId, owner: 'domain', prefix: '' });
  const connectionIds = connectionIdsIn(template);
  const { former, domain } = await retryOnConflict(async () => {
    const current = requireVisible(access, await domains.getWhole(projectId, domainId));
    requireVersion(context, current.version);
    if (current.template === text) return { former: current, domain: current };
    const set = { template: text, connectionIds };
    const written = await writeTemplate(dependencies, current, { set, context });
    return { former: current, domain: written };
  });
  await confirmConnections(dependencies, { projectId, ids: connectionIds, field: 'datasets' }, () => {
    const set = { template: former.template, connectionIds: former.connectionIds };
    return writeTemplate(dependencies, domain, { set, context });
  });
  return { domain: toDomain(domain), template };
}

function writeTemplate(
  { stores }: Dependencies,
  current: DomainDocument,
  { set, context }: { set: Partial<DomainDocument>; context: CallContext },
): Promise<DomainDocument> {
  const events = [createRecordEvent('management.domain_template.updated.v1', eventFields(current), context)];
  return stores.domains.update(current.projectId, current, { set, events, now: context.now });
}
