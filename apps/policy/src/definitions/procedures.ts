import type { policy as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { createDefinition } from './createDefinition.js';
import { deleteDefinition } from './deleteDefinition.js';
import { findConnectionUsage } from './findConnectionUsage.js';
import { getDefinition, listDefinitions } from './readDefinitions.js';
import { updateDefinition } from './updateDefinition.js';

export function createDefinitionProcedures(
  deps: Dependencies,
): Pick<Handlers<typeof contract.procedures>, 'definitions' | 'usage'> {
  return {
    definitions: {
      list: (input, context) => listDefinitions(deps, input, context),
      create: (input, context) => createDefinition(deps, input, context),
      get: (input, context) => getDefinition(deps, input, context),
      update: (input, context) => updateDefinition(deps, input, context),
      delete: (input, context) => deleteDefinition(deps, input, context),
    },
    usage: { ofConnection: (input, context) => findConnectionUsage(deps, input, context) },
  };
}
