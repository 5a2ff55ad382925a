import type { routeTable } from '../index.js';

export type OperationId = (typeof routeTable)[number]['operationId'];

/**
 * A request that succeeds, for one route. A name in angle brackets, such as `<dashboardId>`, stands for a
 * fact that is looked up before the request is sent.
 */
export interface Example {
  /** The values of the parameters in path and query. */
  parameters?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  /**
   * Its place when all examples run: first those that create records, in the order of the table; then most,
   * which use the records; then those that delete them, in reverse order. The names of these records begin
   * with Example, so that the examples change no others.
   */
  step?: 'make' | 'end';
  /** What the reader must know before sending it. */
  note?: string;
}

export type Examples<O extends OperationId = OperationId> = Readonly<Record<O, Example>>;
