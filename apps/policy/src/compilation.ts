/** What a preview comes to once its facts are there, for those who measure it. */
export { createPostgres } from './engines.js';
export { resolvePolicies } from './logic/resolve.js';
export type { AssignmentFacts, ResolutionRequest } from './logic/model.js';
export { makePreview } from './operations/compile.js';
export { rememberAnswers } from './rememberAnswers.js';
