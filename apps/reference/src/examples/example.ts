import type { routeTable } from '@gatehouse/contract';

export type OperationId = (typeof routeTable)[number]['operationId'];

/**
 * A request that succeeds, for one route. A text that is a name in angle brackets, as `<dashboardId>`, stands for a fact
 * that is looked up before the request is sent.
 */
export interface Example {
  /** The values of the parameters in path and query. */
  parameters?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  /**
   * Where it stands when all examples run: those that make something first, in the order of the table; then those that use
   * it, which is most; then those that end it, in the reverse order. What the examples make is called Example, so that
   * they touch nothing else.
   */
  step?: 'make' | 'end';
  /** What has to be known before it is sent. */
  note?: string;
}

export type Examples<O extends OperationId = OperationId> = Readonly<Record<O, Example>>;
