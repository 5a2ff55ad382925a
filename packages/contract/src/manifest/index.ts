export * from './entry.js';
export * from './lookups.js';
export * from './services.js';
