export { createClient } from './client.js';
export type { Answer, Client, ClientOptions } from './client.js';
export type * from './generated/operations.js';
export type * from './generated/records.js';
export type { RouteArea } from './generated/routes.js';
export { GatehouseError } from './gatehouseError.js';
export { NoAnswerError } from './noAnswerError.js';
export type {
  ListInput,
  ListItem,
  ListOperationId,
  OperationId,
  OperationInput,
  OperationLine,
  OperationOutput,
  StreamedOperationId,
} from './operations.js';
export type { CallOptions } from './requests.js';
export type { RetryPolicy } from './retries.js';
export type { FetchToken, IssuedToken } from './tokens.js';
