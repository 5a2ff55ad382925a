import type { audit } from '@gatehouse/contract';
import { FairShares, type CallContext, type Handlers } from '@gatehouse/service';
import { findPastResources, findPastUsers } from './findPast.js';
import type { HistoryStore } from './store.js';

/**
 * Limits of concurrent reads of the past, per process and per organization. The number of facts of a record
 * has no limit, and a read continues after its caller has timed out. The queue is bounded, because every
 * queued call holds its request.
 */
const SHARES = { capacity: 8, perShare: 3, waitingPerShare: 32, waiting: 256, waitMs: 5000 };

export function createHistoryProcedures(store: HistoryStore): Handlers<typeof audit.procedures>['history'] {
  const shares = new FairShares(SHARES);
  const inShare = <T>({ principal }: CallContext, task: () => Promise<T>) =>
    shares.run(principal.organizationId, task);
  return {
    users: (input, context) => inShare(context, () => findPastUsers(store, input, context)),
    resources: (input, context) => inShare(context, () => findPastResources(store, input, context)),
  };
}
