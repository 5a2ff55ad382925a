/** What the past was, of nothing but events. */
export * from './historyFacts.js';
export * from './pastFacts.js';
