import type { audit } from '@gatehouse/contract';
import type { AreaParts, ServiceRuntime } from '@gatehouse/service';
import { exportAuditEvents, listAuditEvents } from './operations/auditEvents.js';
import { EntryAppender } from './operations/entriesAppend.js';
import { createEntryIndexes } from './store/entriesIndexes.js';
import { createLogStores } from './store/entriesStores.js';

/** The record of what was done and of what was refused. */
export async function startEventLog({
  database,
  sealer,
  log,
}: ServiceRuntime): Promise<AreaParts<(typeof audit)['procedures']['events']>> {
  await createEntryIndexes(database);
  const stores = createLogStores(database);
  const appender = new EntryAppender({ stores, sealer, log });
  return {
    handlers: {
      list: (input, context) => listAuditEvents(stores, input, context),
      export: (input, context) => exportAuditEvents(stores, input, context),
    },
    consumers: [
      { name: 'audit-log', types: ['management.*.*.v1'], handle: (event) => appender.append(event) },
    ],
  };
}
