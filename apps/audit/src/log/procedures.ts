import type { audit } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { exportAuditEvents, listAuditEvents } from './readLog.js';
import type { LogStores } from './store/openStores.js';

export function createLogProcedures(stores: LogStores): Handlers<typeof audit.procedures>['events'] {
  return {
    list: (input, context) => listAuditEvents(stores, input, context),
    export: (input, context) => exportAuditEvents(stores, input, context),
  };
}
