/** For a test that kills its database. */
export { startEmbeddedEngine, type EmbeddedEngine } from '@gatehouse/engine';
export * from './browser.js';
export * from './cases.js';
export * from './gitServer.js';
export * from './mariaDb.js';
export * from './mongo.js';
export * from './nats.js';
export * from './organizations.js';
export * from './postgres.js';
export * from './policyCases.js';
export * from './referenceModel.js';
export * from './domainAccessTable.js';
export * from './projectCallers.js';
export * from './balancer.js';
export * from './meshProcesses.js';
export * from './tcpProxy.js';
export type { DatabaseServer, ServerCertificate } from './serverProcess.js';
export { decodeStored, findNewCollections, readStoredBytes, type StoredBytes } from './storedBytes.js';
