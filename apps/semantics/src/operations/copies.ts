import { AppError, type OrgUserPrincipal, type RecordState } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { dialectOf } from '../logic/connectionConfig.js';
import { seesEveryDomain } from '../logic/domainAccess.js';
import { connectionIdsIn } from '../logic/modelTemplate.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { StoredState } from '../store/copies.js';
import type { ConnectionDocument } from '../store/documents.js';
import { isVisible } from './domains.js';
import { toTemplate } from './records.js';

/** The org user who copies a dashboard; also by the token of that dashboard. Throws FORBIDDEN for everybody else. */
function requireCopier({ principal }: CallContext): OrgUserPrincipal {
  if (principal.kind !== 'orgUser' || principal.role === 'VIEWER') throw new AppError('FORBIDDEN');
  return principal;
}

const among = <T extends { _id: string }>(records: readonly T[], ids: readonly string[]) => {
  const wanted = new Set(ids);
  return records.filter(({ _id }) => wanted.has(_id));
};

const toConnectionName = (connection: ConnectionDocument) => {
  const { _id: id, name, type } = connection;
  return { id, name, type, dialect: dialectOf(connection) };
};
const toName = ({ _id: id, name }: { _id: string; name: string }) => ({ id, name });

export async function readCopySource(
  { stores }: Semantics,
  { connectionIds, domainIds, datamodelIds, assistantProfileIds }: Input<'copies', 'source'>,
  context: CallContext,
): Answer<'copies', 'source'> {
  const { projectId, semanticDomainAccess } = requireCopier(context);
  const ifAny = async <T>(ids: readonly string[], list: () => Promise<T[]>) =>
    ids.length === 0 ? [] : list();
  const [allDomains, allDatamodels, profiles] = await Promise.all([
    ifAny(domainIds, () => stores.domains.listWhole(projectId)),
    ifAny(datamodelIds, () => stores.datamodels.listWhole(projectId)),
    ifAny(assistantProfileIds, () => stores.assistantProfiles.list(projectId)),
  ]);
  const domains = among(allDomains, domainIds)
    .filter((domain) => isVisible(semanticDomainAccess, domain))
    .map((domain) => {
      const { _id: id, name, label, description, version } = domain;
      return { id, name, label, description, version, template: toTemplate(domain) };
    });
  const datamodels = among(allDatamodels, datamodelIds).map((datamodel) => {
    const { _id: id, name, description, connectionId, version } = datamodel;
    return { id, name, description, connectionId, version, template: toTemplate(datamodel) };
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
  { stores }: Semantics,
  { projectId }: Input<'copies', 'targets'>,
  context: CallContext,
): Answer<'copies', 'targets'> {
  const { organizationId, semanticDomainAccess } = requireCopier(context);
  const place = { organizationId, projectId };
  const { domain, datamodel, assistantProfile } = stores.copies;
  // The domains that a token names are those of its own project: a limited one sees none of another.
  const areDomainsSeen = seesEveryDomain(semanticDomainAccess);
  const [connections, domains, datamodels, profiles] = await Promise.all([
    stores.connections.list(projectId),
    areDomainsSeen ? domain.listAll(place) : [],
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
  { stores }: Semantics,
  { connectionIds, domainIds, datamodelIds, assistantProfileIds, ...place }: Input<'copies', 'states'>,
): Answer<'copies', 'states'> {
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
