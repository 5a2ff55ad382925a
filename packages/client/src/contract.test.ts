import { CODE_ALIASES as CONTRACT_ALIASES } from '@gatehouse/contract/openapi';
import {
  ERROR_STATUS as CONTRACT_STATUS,
  inputFieldsOf,
  routes as contractRoutes,
  type NEXT_CURSOR,
  type OutputOf,
  type PAGE_CURSOR,
  type ProcedureAt,
  type RawInputOf,
  type RoutePages,
  type routeTable,
} from '@gatehouse/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { CODE_ALIASES, ERROR_STATUS } from './generated/routes.js';
import type { OperationId, OperationInput, OperationOutput, StreamedOperationId } from './index.js';
import { routes } from './route.js';

type ContractRoute = (typeof routeTable)[number];
type ContractId = ContractRoute['operationId'];
type StreamedId = Extract<ContractRoute, { pages: RoutePages }>['operationId'];
type ProcedureOf<O extends ContractId> = ProcedureAt<Extract<ContractRoute, { operationId: O }>['procedure']>;
/** The parameters that belong to no procedure: the document decides which operations have them. */
type Option = 'fields' | 'validateOnly';
type ContractInput<O extends ContractId> = O extends StreamedId
  ? Omit<RawInputOf<ProcedureOf<O>>, typeof PAGE_CURSOR>
  : RawInputOf<ProcedureOf<O>>;
type WithoutOptions<T> = T extends unknown ? Omit<T, Option> : never;
type ContractOutput<O extends ContractId> = O extends StreamedId
  ? Omit<OutputOf<ProcedureOf<O>>, typeof NEXT_CURSOR>
  : OutputOf<ProcedureOf<O>>;

/** The operations for which one type accepts what the other rejects. */
type Different<A extends Record<ContractId, unknown>, B extends Record<ContractId, unknown>> = {
  [O in ContractId]: [A[O], B[O]] extends [B[O], A[O]] ? never : O;
}[ContractId];

describe('the generated sources', () => {
  it('have the inputs and the outputs of the contract', () => {
    expectTypeOf<OperationId>().toEqualTypeOf<ContractId>();
    expectTypeOf<StreamedOperationId>().toEqualTypeOf<StreamedId>();
    type Inputs = { [O in ContractId]: WithoutOptions<OperationInput<O>> };
    expectTypeOf<Different<Inputs, { [O in ContractId]: ContractInput<O> }>>().toEqualTypeOf<never>();
    type Outputs = { [O in ContractId]: OperationOutput<O> };
    expectTypeOf<Different<Outputs, { [O in ContractId]: ContractOutput<O> }>>().toEqualTypeOf<never>();
  });

  it('have the routes of the contract', () => {
    const expected = contractRoutes.map((route) => ({
      operationId: route.operationId,
      method: route.method,
      path: route.path,
      query: expect.arrayContaining([...inputFieldsOf(route).query]) as unknown,
      area: route.area,
      isPublic: route.tokens === 'none',
      isStreamed: route.pages !== undefined,
    }));
    expect(routes).toEqual(expected);
  });

  it('have the codes of errors with their statuses and other names', () => {
    expect(ERROR_STATUS).toEqual(CONTRACT_STATUS);
    const aliases = Object.entries(CONTRACT_ALIASES).map(([alias, { code }]) => [alias, code]);
    expect(CODE_ALIASES).toEqual(Object.fromEntries(aliases));
  });
});
