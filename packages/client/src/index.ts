export { createClient } from './client.js';
export type { Answer, CallOptions, Client, ClientOptions } from './client.js';
export { GatehouseError } from './gatehouseError.js';
export type {
  OperationId,
  OperationInput,
  OperationLine,
  OperationOutput,
  StreamedOperationId,
} from './operations.js';
