export * from './cases.js';
export * from './mongo.js';
export * from './nats.js';
export * from './organizations.js';
export * from './referenceModel.js';
