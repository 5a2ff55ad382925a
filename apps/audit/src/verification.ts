/** What the command that verifies audit logs is made of. */
export type { ChainReport } from './logic/hashChainCheck.js';
export { createLogStores } from './store/entriesStores.js';
export { verifyLogs } from './operations/auditEventsVerify.js';
export { verifyExport } from './operations/auditEventsVerifyExport.js';
