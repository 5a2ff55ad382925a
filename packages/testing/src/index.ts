export * from './cases.js';
export * from './mariaDb.js';
export * from './mongo.js';
export * from './nats.js';
export * from './organizations.js';
export * from './postgres.js';
export * from './referenceModel.js';
export * from './domainAccessTable.js';
