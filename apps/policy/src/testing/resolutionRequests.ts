import fc from 'fast-check';
import type { InlinePolicies, ParamValue } from '@gatehouse/contract';
import type { ActorFacts, AssignmentFacts, ResolutionRequest } from '../preview/logic/facts.js';

const name = fc.constantFrom('x', 'y', 'actor.id', 'actor.tenantId');
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<ParamValue>('eu', 'us-1', 7, true) },
  { weight: 1, arbitrary: fc.constantFrom<ParamValue>('a/b', '..', '', ['p', 'q']) },
);
const params = fc.dictionary(fc.constantFrom('x', 'y', 'actor.id'), value, {
  maxKeys: 2,
  noNullPrototype: true,
});
const scalars = fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('eu', 'us-1'), {
  maxKeys: 1,
  noNullPrototype: true,
});
const holed = (before: string, after: string) => name.map((each) => `${before}{{ ${each} }}${after}`);
const cls = fc.oneof(
  fc.record({ connectionTemplate: fc.oneof(fc.constant('db://h/fixed'), holed('db://h/', '')) }),
  fc.record({ connectionTemplate: holed('db://h/', '/z'), params: scalars }),
  fc.record({ filePathTemplates: fc.record({ f: holed('data/', '/f.csv') }) }),
);
const schemas = fc.subarray(['a', 'b', 'c', 's_eu'], { minLength: 1 });
const sls = fc.oneof(
  fc.record({ schema: fc.constantFrom('a', 'b') }),
  fc.record({ schemaTemplate: holed('s_', '') }),
  fc.record({ allowedSchemas: schemas }),
  fc.record({ schema: fc.constantFrom('a', 'b'), allowedSchemas: schemas }),
  fc.record({ defaultSchema: fc.constantFrom('a', 'b') }),
);
const rule = fc.record({
  matcher: fc.constant({ type: 'SCHEMA' as const, schema: 's' }),
  expression: fc
    .tuple(name, name)
    .map(([a, b]) => (a === b ? `c = {{ ${a} }}` : `c = {{ ${a} }} OR d = {{ ${b} }}`)),
  params,
  enabled: fc.boolean(),
});
const rls = fc.record({ rules: fc.array(rule, { minLength: 1, maxLength: 2 }) });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 });
const definition = fc.record({ clsConfig: maybe(cls), slsConfig: maybe(sls), rlsConfig: maybe(rls) });
const actorKeys = { TENANT: ['kt1', 'kt2'], TENANT_USER: ['ku1', 'ku2'], ORG_USER: ['ko1', 'ku1'] };
const target = fc.oneof(
  fc.constant({ scopeType: 'ALL_TENANTS' as const, actorKey: null }),
  fc.constantFrom(...actorKeys.TENANT).map((actorKey) => ({ scopeType: 'TENANT' as const, actorKey })),
  fc
    .constantFrom(...actorKeys.TENANT_USER)
    .map((actorKey) => ({ scopeType: 'TENANT_USER' as const, actorKey })),
  fc.constantFrom(...actorKeys.ORG_USER).map((actorKey) => ({ scopeType: 'ORG_USER' as const, actorKey })),
);
const assignments = fc
  .tuple(
    fc.array(definition, { minLength: 1, maxLength: 3 }),
    fc.array(fc.record({ to: target, params, of: fc.nat(2) }), { maxLength: 5 }),
  )
  .map(([definitions, made]) =>
    made.map(({ to, params: given, of }, index): AssignmentFacts => {
      const at = of % definitions.length;
      const configs = definitions[at] ?? { clsConfig: null, slsConfig: null, rlsConfig: null };
      return {
        id: `a${index}`,
        definition: { id: `d${at}`, name: `d${at}`, ...configs },
        ...to,
        params: given,
        source: 'persisted',
      };
    }),
  );
const noActor = { id: null, key: null, name: null, email: null, role: null, tenantId: null, tenantKey: null };
const tenant = { tenantId: 't1', tenantKey: 'kt1' };
const actor = fc.constantFrom<ActorFacts>(
  { ...noActor, kind: 'ALL_TENANTS' },
  { ...noActor, ...tenant, kind: 'TENANT', id: 't1', key: 'kt1' },
  { ...noActor, ...tenant, kind: 'TENANT_USER', id: 'u1', key: 'ku1' },
  { ...noActor, kind: 'ORG_USER', id: 'o1', key: 'ko1' },
);
const token: fc.Arbitrary<InlinePolicies | null> = fc.option(
  fc.record({ cls, sls, rls }, { requiredKeys: [] }),
);

/** Requests for a resolution, small enough that their policies interact. */
export const resolutionRequests: fc.Arbitrary<ResolutionRequest> = fc.record({
  actor,
  connection: fc.record({
    dialect: fc.constant('postgres' as const),
    unassignedActors: fc.constantFrom('deny', 'allow'),
  }),
  isGoverned: fc.boolean(),
  assignments,
  tokenPolicies: token,
  tokenParams: params,
  runtimeParams: params,
  onlyTokenPolicies: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
});
