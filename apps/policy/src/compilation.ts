/** The entry point of the benchmarks: what a preview costs after its facts are loaded. */
export { createEngines } from './sql/compiler/engines.js';
export { resolvePolicies } from './preview/logic/resolvePolicies.js';
export type { AssignmentFacts, ResolutionRequest } from './preview/logic/facts.js';
export { makePreview } from './preview/makePreview.js';
export { createPolicyBudget } from './limits/logic/byteBudget.js';
