/**
 * The OpenAPI document with its texts, as an entry of its own: only the gateway needs it, and only when the
 * document is requested.
 */
export * from './errorCatalogue.js';
export { createLlmsText } from './rest/document/llmsText.js';
export { createPostmanCollection } from './rest/document/postman.js';
export { secondExamples, type SecondExample } from './rest/examples/secondExamples.js';
export { createOpenApiDocument } from './rest/openapi.js';
