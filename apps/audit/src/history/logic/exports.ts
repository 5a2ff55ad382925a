/** Reconstructs past states from events alone. */
export * from './facts.js';
export * from './past.js';
