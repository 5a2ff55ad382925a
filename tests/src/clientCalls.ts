import type { CallOptions } from '@gatehouse/client';
import type { RouteRequest } from './statusCases/statusCase.js';

/** An operation as the client's methods take it, without the types of each. */
export type AnyOperation<T> = (input: Record<string, unknown>, options?: CallOptions) => T;
/** One group of the client's methods, such as `withResponse`, without the types of each. */
export type AnyOperations<T> = Partial<Record<string, AnyOperation<T>>>;

/** The fields of a request side by side, as the client takes them. */
export function inputOf({ path, query, body }: RouteRequest): Record<string, unknown> {
  return { ...body, ...query, ...path };
}

/** A method of a group of the client's methods. */
export function methodOf<T>(operations: object, { operationId }: { operationId: string }): AnyOperation<T> {
  const method = (operations as AnyOperations<T>)[operationId];
  if (!method) throw new Error(`The client has no ${operationId}`);
  return method;
}
