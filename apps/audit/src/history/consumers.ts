import { defineConsumer } from '@gatehouse/service';
import { factOf } from './logic/facts.js';
import type { HistoryStore } from './store.js';

/**
 * Stores the facts that access decisions depended on. They are separate from the audit log: each is written
 * by itself, in the order in which events arrive, and holds only what a decision needs.
 */
export function createHistoryConsumer(store: HistoryStore) {
  return defineConsumer('audit-history', async (event) => {
    const fact = factOf(event);
    if (fact !== null) await store.keep(fact);
  });
}
