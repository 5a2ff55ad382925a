/** What the command that verifies audit logs is made of. */
export type { ChainReport } from '@gatehouse/contract';
export { createLogStores } from './store/entriesStores.js';
export { verifyLogs } from './operations/auditEventsVerify.js';
export { verifyExport } from './operations/auditEventsVerifyExport.js';
