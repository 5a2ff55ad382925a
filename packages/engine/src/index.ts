export { startEmbeddedEngine } from './embeddedEngine.js';
export type { EmbeddedEngine, EmbeddedEngineOptions } from './embeddedEngine.js';
