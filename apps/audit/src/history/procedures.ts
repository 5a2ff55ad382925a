import type { audit } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { findPastResources, findPastUsers } from './findPast.js';
import type { HistoryStore } from './store.js';

export function createHistoryProcedures(store: HistoryStore): Handlers<typeof audit.procedures>['history'] {
  return {
    users: (input, context) => findPastUsers(store, input, context),
    resources: (input, context) => findPastResources(store, input, context),
  };
}
