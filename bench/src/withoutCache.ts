import { register } from 'node:module';

// Loaded before Gatehouse (`node --import`): see `emptyCache.ts`.
register('./emptyCache.js', import.meta.url);
