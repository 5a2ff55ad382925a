import type { audit } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { findPastResource, findPastUser } from './findPast.js';
import type { HistoryStore } from './store.js';

export function createHistoryProcedures(store: HistoryStore): Handlers<typeof audit.procedures>['history'] {
  return {
    user: (input, context) => findPastUser(store, input, context),
    resource: (input, context) => findPastResource(store, input, context),
  };
}
