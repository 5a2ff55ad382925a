import { setImmediate } from 'node:timers/promises';
import { AppError, type OrgUserPrincipal, type RecordState } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { seesDomain, seesEveryDomain } from '../authorization/logic/domainAccess.js';
import { toConnectionName } from '../connections/readConnections.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { connectionIdsIn } from '../templates/logic/modelTemplate.js';
import { parseTemplates } from '../templates/parseInTurns.js';
import { createTemplatedReader } from '../templates/readTemplated.js';
import type { StoredState } from './store.js';

/**
 * Throws FORBIDDEN unless the caller is an org user who may copy a dashboard, also with a token of that
 * dashboard.
 */
function requireCopier({ principal }: CallContext): OrgUserPrincipal {
  if (principal.kind !== 'orgUser' || principal.role === 'VIEWER') throw new AppError('FORBIDDEN');
  return principal;
}

const among = <T extends { _id: string }>(records: readonly T[], ids: readonly string[]) => {
  const wanted = new Set(ids);
  return records.filter(({ _id }) => wanted.has(_id));
};

const toName = ({ _id: id, name }: { _id: string; name: string }) => ({ id, name });

/** Reads the records that copies are made of. Throws INVALID_REQUEST when their templates are too large. */
export async function readCopySource(
  { stores }: Dependencies,
  { connectionIds, domainIds, datamodelIds, assistantProfileIds }: Input<'copies', 'source'>,
  context: CallContext,
): Promise<Output<'copies', 'source'>> {
  const { projectId, semanticDomainAccess } = requireCopier(context);
  const ifAny = async <T>(ids: readonly string[], list: () => Promise<T[]>) =>
    ids.length === 0 ? [] : list();
  const readTemplated = createTemplatedReader();
  const [namedDomains, namedDatamodels, profiles] = await Promise.all([
    ifAny(domainIds, () => readTemplated(stores.domains.scanWholeByIds(projectId, domainIds))),
    ifAny(datamodelIds, () => readTemplated(stores.datamodels.scanWholeByIds(projectId, datamodelIds))),
    ifAny(assistantProfileIds, () => stores.assistantProfiles.listNames(projectId)),
  ]);
  const visible = namedDomains.filter((domain) => seesDomain(semanticDomainAccess, domain));
  const domains = (await parseTemplates(visible, setImmediate)).map((domain) => {
    const { _id: id, name, label, description, version, template } = domain;
    return { id, name, label, description, version, template };
  });
  const datamodels = (await parseTemplates(namedDatamodels, setImmediate)).map((datamodel) => {
    const { _id: id, name, description, connectionId, version, template } = datamodel;
    return { id, name, description, connectionId, version, template };
  });
  const named = [
    ...connectionIds,
    ...domains.flatMap(({ template }) => connectionIdsIn(template)),
    ...datamodels.map(({ connectionId }) => connectionId),
  ];
  const connections = await stores.connections.listByIds(projectId, [...new Set(named)]);
  return {
    connections: connections.map(toConnectionName),
    domains,
    datamodels,
    assistantProfiles: among(profiles, assistantProfileIds).map(toName),
  };
}

export async function readCopyTargets(
  { stores }: Dependencies,
  { projectId }: Input<'copies', 'targets'>,
  context: CallContext,
): Promise<Output<'copies', 'targets'>> {
  const { organizationId, semanticDomainAccess } = requireCopier(context);
  const place = { organizationId, projectId };
  const { domain, datamodel, assistantProfile } = stores.copies;
  // A token names domains of its own project: with a limited list, it sees none of another project.
  const areDomainsVisible = seesEveryDomain(semanticDomainAccess);
  const [connections, domains, datamodels, profiles] = await Promise.all([
    stores.connections.list(projectId),
    areDomainsVisible ? domain.listAll(place) : [],
    datamodel.listAll(place),
    assistantProfile.listAll(place),
  ]);
  const toVersion = ({ _id: id, name, version }: StoredState) => ({ id, name, version });
  return {
    connections: connections
      .filter((connection) => connection.organizationId === organizationId)
      .map(toConnectionName),
    domains: domains.map(toVersion),
    datamodels: datamodels.map(toVersion),
    assistantProfiles: profiles.map(toName),
  };
}

const toState = ({ _id: id, name, version, revision, copiedBy }: StoredState): RecordState => ({
  id,
  name,
  version,
  revision,
  copiedBy: copiedBy ?? null,
});

export async function readCopyStates(
  { stores }: Dependencies,
  { connectionIds, domainIds, datamodelIds, assistantProfileIds, ...place }: Input<'copies', 'states'>,
): Promise<Output<'copies', 'states'>> {
  const { connection, domain, datamodel, assistantProfile } = stores.copies;
  const [connections, domains, datamodels, assistantProfiles] = await Promise.all([
    connection.listStates(place, connectionIds),
    domain.listStates(place, domainIds),
    datamodel.listStates(place, datamodelIds),
    assistantProfile.listStates(place, assistantProfileIds),
  ]);
  return {
    connections: connections.map(toState),
    domains: domains.map(toState),
    datamodels: datamodels.map(toState),
    assistantProfiles: assistantProfiles.map(toState),
  };
}
