import { type CallContext, createEvent, requireVersion, untilWritten } from '@gatehouse/service';
import { connectionIdsIn } from '../logic/modelTemplate.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { DomainDocument } from '../store/documents.js';
import { requireVisible } from './domains.js';
import { checkTemplate, holdConnections } from './modelTemplates.js';
import { callOrigin, stateOf, toDomain, toTemplate } from './records.js';
import { requireAdmin, requireReader } from './refusals.js';

export async function getDomainTemplate(
  { stores }: Semantics,
  { domainId }: Input<'domains', 'getTemplate'>,
  context: CallContext,
): Answer<'domains', 'getTemplate'> {
  const { projectId, semanticDomainAccess: access } = requireReader(context.principal);
  const domain = requireVisible(access, await stores.domains.getWhole(projectId, domainId));
  return { domain: toDomain(domain), template: toTemplate(domain) };
}

/** Replaces a template whole. */
export async function putDomainTemplate(
  semantics: Semantics,
  { domainId, ...template }: Input<'domains', 'putTemplate'>,
  context: CallContext,
): Answer<'domains', 'putTemplate'> {
  const { projectId, semanticDomainAccess: access } = requireAdmin(context.principal);
  const { domains } = semantics.stores;
  // Who may not see the domain learns nothing of what is wrong with the template.
  requireVisible(access, await domains.get(projectId, domainId));
  const text = await checkTemplate(semantics, template, { projectId, owner: 'domain', prefix: '' });
  const connectionIds = connectionIdsIn(template);
  const { former, domain } = await untilWritten(async () => {
    const current = requireVisible(access, await domains.getWhole(projectId, domainId));
    requireVersion(context, current.version);
    if (current.template === text) return { former: current, domain: current };
    const written = await writeTemplate(semantics, current, {
      set: { template: text, connectionIds },
      context,
    });
    return written && { former: current, domain: written };
  });
  await holdConnections(semantics, { projectId, ids: connectionIds, field: 'datasets' }, () => {
    const set = { template: former.template, connectionIds: former.connectionIds };
    return writeTemplate(semantics, domain, { set, context });
  });
  return { domain: toDomain(domain), template };
}

function writeTemplate(
  { stores }: Semantics,
  current: DomainDocument,
  { set, context }: { set: Partial<DomainDocument>; context: CallContext },
): Promise<DomainDocument | null> {
  const { _id: id, projectId } = current;
  const origin = callOrigin(context);
  const data = stateOf(current);
  const events = [createEvent('management.domain_template.updated.v1', id, { origin, data })];
  return stores.domains.update(projectId, current, { set, events, now: context.now });
}
