export { examples, orderExamples, type Example, type OperationId } from './examples/index.js';
export { fillIn, findFacts, MissingFactError, namesIn, type Ask } from './facts.js';
export { buildRequest, writeCurl, type ApiRequest } from './requests.js';
