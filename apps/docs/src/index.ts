export { examples, orderExamples, type Example, type OperationId } from './examples/index.js';
export { fillIn, findFacts, namesIn, type Fetch } from './facts.js';
export { buildTarget } from './target.js';
