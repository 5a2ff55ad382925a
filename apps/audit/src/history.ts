import type { audit } from '@gatehouse/contract';
import type { AreaParts, DurableConsumer, ServiceRuntime } from '@gatehouse/service';
import { factOf, HISTORY_TYPES } from './logic/historyFacts.js';
import { findPastResource, findPastUser } from './operations/historyReads.js';
import { HistoryStore } from './store/historyStore.js';

/**
 * Keeps what access depended on. It has facts of its own beside the record of what was done: they are written in whatever order
 * events arrive, each by itself, and hold what a decision needs and nothing else.
 */
function createHistoryConsumer(store: HistoryStore): DurableConsumer {
  return {
    name: 'audit-history',
    types: [...HISTORY_TYPES],
    async handle(event) {
      const fact = factOf(event);
      if (fact !== null) await store.keep(fact);
    },
  };
}

/** What was so at a moment in the past. */
export async function startHistory({
  database,
}: ServiceRuntime): Promise<AreaParts<(typeof audit)['procedures']['history']>> {
  const store = new HistoryStore(database);
  await store.createIndexes();
  return {
    consumers: [createHistoryConsumer(store)],
    handlers: {
      user: (input, context) => findPastUser(store, input, context),
      resource: (input, context) => findPastResource(store, input, context),
    },
  };
}
