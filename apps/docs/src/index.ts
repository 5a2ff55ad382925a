export { fillIn, findFacts, namesIn, type Fetch } from './facts.js';
export { buildTarget } from './target.js';
