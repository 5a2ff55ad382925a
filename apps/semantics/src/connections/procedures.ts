import type { semantics as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { createConnection } from './createConnection.js';
import { deleteConnection } from './deleteConnection.js';
import { introspectConnection } from './introspectConnection.js';
import { listCatalogChanges } from './listCatalogChanges.js';
import {
  describeConnection,
  getConnection,
  listConnectionNames,
  listConnections,
} from './readConnections.js';
import { updateConnection } from './updateConnection.js';

export function createConnectionProcedures(
  dependencies: Dependencies,
): Handlers<typeof contract.procedures>['connections'] {
  return {
    list: (input, context) => listConnections(dependencies, input, context),
    create: (input, context) => createConnection(dependencies, input, context),
    get: (input, context) => getConnection(dependencies, input, context),
    update: (input, context) => updateConnection(dependencies, input, context),
    delete: (input, context) => deleteConnection(dependencies, input, context),
    introspect: (input, context) => introspectConnection(dependencies, input, context),
    changes: (input, context) => listCatalogChanges(dependencies, input, context),
    describe: (input, context) => describeConnection(dependencies, input, context),
    names: (input, context) => listConnectionNames(dependencies, input, context),
  };
}
