import type { Operations, StreamLines } from './generated/operations.js';
import type { PlaceField } from './pages.js';

/** The name of an operation of the REST API. */
export type OperationId = keyof Operations;
/** An operation whose response may also be read line by line. */
export type StreamedOperationId = keyof StreamLines;

/** The input of an operation: the fields of path, query and body side by side. */
export type OperationInput<O extends OperationId> = NonNullable<Parameters<Operations[O]>[0]>;

/** The output of an operation. */
export type OperationOutput<O extends OperationId> = Awaited<ReturnType<Operations[O]>>;

/** The client throws what such a line reports. */
interface ErrorLine {
  type: 'error';
}

/** A line of the same response: a result, the progress, or the summary, which is the last. */
export type OperationLine<O extends StreamedOperationId> = Exclude<StreamLines[O], ErrorLine>;

/** Reports have parts too, but are no lists of records. */
type ListName = Extract<OperationId, `list${string}`>;

/** An operation that returns pages of a list. */
export type ListOperationId = {
  [O in ListName]: 'cursor' extends keyof OperationInput<O> ? O : never;
}[ListName];

/** The parameters that select the items of a list; `limit` is the number of items per request. */
export type ListInput<O extends ListOperationId> = Omit<OperationInput<O>, PlaceField>;

type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;

/** An item of a list. */
export type ListItem<O extends ListOperationId> = {
  [Name in keyof OperationOutput<O>]-?: ItemOf<OperationOutput<O>[Name]>;
}[keyof OperationOutput<O>];
