import { parse } from 'libpg-query';
import { bench, describe } from 'vitest';
import type { AssignmentFacts, ResolutionRequest } from '../logic/model.js';
import { createPostgresEngine } from '../logic/postgres/engine.js';
import { resolvePolicies } from '../logic/resolve.js';
import { SHOP } from './neighbours.js';

/** What a preview costs inside the service, warm: `npx vitest bench --run --project parts apps/policy`. */

const SQL = `
  with big as (select id, amount from orders where amount > 100)
  select c.name, sum(o.amount) from orders o join customers c on c.id = o.id
  left join big on big.id = o.id and big.amount > (select avg(amount) from orders)
  group by c.name order by 2 desc limit 20`;
const matcher = { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' } as const;
const rules = ['tenant_id = {{ tenant }}', 'tenant_id in ({{ tenants }})', 'id > {{ least }}'].map(
  (expression) => ({
    matcher,
    expression,
    enabled: true,
  }),
);
const definition = { id: 'usd_1', name: 'Own rows', clsConfig: null, slsConfig: null, rlsConfig: { rules } };
const assignment: AssignmentFacts = {
  id: 'usa_1',
  definition,
  scopeType: 'TENANT',
  actorKey: 't:1',
  params: { tenant: 'north', tenants: ['north', 'south'], least: 5 },
  source: 'persisted',
};
const actor = {
  id: 'u',
  key: 'u:1',
  name: 'U',
  email: 'u@example.com',
  role: 'VIEWER',
  tenantId: 't',
  tenantKey: 't:1',
} as const;
const request: ResolutionRequest = {
  actor: { kind: 'TENANT_USER', ...actor },
  connection: { dialect: 'postgres', unassignedActors: 'deny' },
  isGoverned: true,
  assignments: [assignment],
  tokenPolicies: null,
  tokenParams: {},
  runtimeParams: {},
  onlyTokenPolicies: false,
};
const engine = await createPostgresEngine();

async function resolveAndCompile() {
  const { rules: resolved } = resolvePolicies(request);
  const { status } = await engine.restrict({
    dialect: 'postgres',
    sql: SQL,
    entities: [],
    catalog: SHOP,
    pinnedSchema: null,
    allowedSchemas: null,
    rules: resolved,
    rowBarrier: false,
  });
  if (status !== 'compiled') throw new Error(`The statement is ${status}`);
}

/** Milliseconds. The first thousand runs are much slower than those after them. */
const WARM = { warmupTime: 2000, time: 2000 };

describe('one preview on PostgreSQL', () => {
  bench('resolve and compile', resolveAndCompile, WARM);
  bench('resolve', () => void resolvePolicies(request), WARM);
  bench('limit: parse the statement', async () => void (await parse(SQL)), WARM);
});
