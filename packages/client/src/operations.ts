import type {
  NEXT_CURSOR,
  OutputOf,
  PAGE_CURSOR,
  ProcedureAt,
  RawInputOf,
  RoutePages,
  routeTable,
} from '@gatehouse/contract';
import type { PlaceField } from './pages.js';

type AnyRoute = (typeof routeTable)[number];
type PagedRoute = Extract<AnyRoute, { pages: RoutePages }>;

/** The name of an operation of the REST API. */
export type OperationId = AnyRoute['operationId'];
/** An operation whose response may also be read line by line. */
export type StreamedOperationId = PagedRoute['operationId'];

type ProcedureOf<O extends OperationId> = ProcedureAt<Extract<AnyRoute, { operationId: O }>['procedure']>;
type PagesOf<O extends StreamedOperationId> = Extract<PagedRoute, { operationId: O }>['pages'];

/** The input of an operation: the fields of path, query and body side by side. */
export type OperationInput<O extends OperationId> = O extends StreamedOperationId
  ? Omit<RawInputOf<ProcedureOf<O>>, typeof PAGE_CURSOR>
  : RawInputOf<ProcedureOf<O>>;

/** The output of an operation. */
export type OperationOutput<O extends OperationId> = O extends StreamedOperationId
  ? Omit<OutputOf<ProcedureOf<O>>, typeof NEXT_CURSOR>
  : OutputOf<ProcedureOf<O>>;

type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;
type ItemLine<N extends string, T> = { type: N } & { [Name in N]: T };

/** A line of the same response: a result, the progress, or the summary, which is the last. */
export type OperationLine<O extends StreamedOperationId> =
  | ItemLine<PagesOf<O>['item'], ItemOf<OperationOutput<O>[PagesOf<O>['items'] & keyof OperationOutput<O>]>>
  | { type: 'progress'; done: number; total: number }
  | ({ type: 'summary' } & Omit<OperationOutput<O>, PagesOf<O>['items']>);

/** An operation that returns pages of a list. */
export type ListOperationId = {
  [O in OperationId]: Extract<keyof OperationInput<O>, PlaceField> extends never ? never : O;
}[OperationId];

/** The parameters that select the items of a list; `limit` is the number of items per request. */
export type ListInput<O extends ListOperationId> = Omit<OperationInput<O>, PlaceField>;

/** An item of a list. */
export type ListItem<O extends ListOperationId> = {
  [Name in keyof OperationOutput<O>]-?: ItemOf<OperationOutput<O>[Name]>;
}[keyof OperationOutput<O>];
