import type { semantics as contract } from '@gatehouse/contract';
import type { CallContext, Handlers } from '@gatehouse/service';
import * as assistantProfiles from './operations/assistantProfiles.js';
import { listCatalogChanges } from './operations/catalogChanges.js';
import { describeConnection, listConnectionNames } from './operations/connectionFacts.js';
import * as connections from './operations/connections.js';
import * as copies from './operations/copies.js';
import * as copiesWrites from './operations/copiesWrites.js';
import * as datamodels from './operations/datamodels.js';
import * as domains from './operations/domains.js';
import { getDomainTemplate, putDomainTemplate } from './operations/domainTemplates.js';
import { loadFacts } from './operations/facts.js';
import { introspectConnection } from './operations/introspectConnection.js';
import { updateConnection } from './operations/updateConnection.js';
import type { Semantics } from './semantics.js';

/** Gives an operation what it works with. */
function binderOf(semantics: Semantics) {
  return <I, O>(operation: (semantics: Semantics, input: I, context: CallContext) => Promise<O>) =>
    (input: I, context: CallContext) =>
      operation(semantics, input, context);
}

/** The operation that answers each procedure. */
export function createHandlers(semantics: Semantics): Handlers<typeof contract.procedures> {
  const by = binderOf(semantics);
  return {
    domains: {
      list: by(domains.listDomains),
      create: by(domains.createDomain),
      get: by(domains.getDomain),
      update: by(domains.updateDomain),
      delete: by(domains.deleteDomain),
      getTemplate: by(getDomainTemplate),
      putTemplate: by(putDomainTemplate),
      findUnknown: by(domains.findUnknown),
    },
    connections: {
      list: by(connections.listConnections),
      create: by(connections.createConnection),
      get: by(connections.getConnection),
      update: by(updateConnection),
      delete: by(connections.deleteConnection),
      introspect: by(introspectConnection),
      changes: by(listCatalogChanges),
      describe: by(describeConnection),
      names: by(listConnectionNames),
    },
    datamodels: {
      list: by(datamodels.listDataModels),
      create: by(datamodels.createDataModel),
      get: by(datamodels.getDataModel),
      update: by(datamodels.updateDataModel),
      delete: by(datamodels.deleteDataModel),
    },
    assistantProfiles: {
      list: by(assistantProfiles.listAssistantProfiles),
      create: by(assistantProfiles.createAssistantProfile),
      get: by(assistantProfiles.getAssistantProfile),
      update: by(assistantProfiles.updateAssistantProfile),
      delete: by(assistantProfiles.deleteAssistantProfile),
    },
    facts: { load: by(loadFacts) },
    copies: {
      source: by(copies.readCopySource),
      targets: by(copies.readCopyTargets),
      states: by(copies.readCopyStates),
      createDomain: by(copiesWrites.createDomainCopy),
      createDatamodel: by(copiesWrites.createDataModelCopy),
      remove: by(copiesWrites.removeCopy),
    },
  };
}
