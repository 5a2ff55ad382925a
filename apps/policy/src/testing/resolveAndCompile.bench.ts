import type { Catalog, ConnectionSummary } from '@gatehouse/contract';
import { parse } from 'libpg-query';
import { bench, describe } from 'vitest';
import type { AssignmentFacts, ResolutionRequest } from '../logic/model.js';
import { createPostgres } from '../engines.js';
import { resolvePolicies } from '../logic/resolve.js';
import { makePreview } from '../operations/compile.js';
import { rememberAnswers } from '../rememberAnswers.js';

/**
 * What a preview costs inside the service once its facts are there, warm: five rules on a statement of three tables.
 * `npx vitest bench --run --project parts apps/policy`. The rules were parsed and the catalog was indexed before; a statement
 * that was seen before, with the same rules and values, is answered from memory.
 */

const statement = (least: number) => `
  select c.region, sum(o.amount) as total, count(distinct r.id)
  from orders o join customers c on c.id = o.id left join refunds r on r.id = o.id and r.amount > ${least}
  where o.created_at > '2026-01-01' group by c.region order by total desc limit 20`;

const columns = ['id', 'tenant_id', 'region', 'amount', 'created_at'].map((name) => ({ name, type: 'text' }));
const tables = ['orders', 'customers', 'refunds'].map((name) => ({ name, kind: 'table' as const, columns }));
const catalog: Catalog = { defaultSchema: 'public', schemas: [{ name: 'public', tables }] };
const at = new Date(0).toISOString();
const connection: ConnectionSummary = {
  id: 'c_1',
  projectId: 'p_1',
  name: 'Shop',
  type: 'static',
  dialect: 'postgres',
  config: { dialect: 'postgres' },
  rowBarrier: false,
  unassignedActors: 'deny',
  catalogVersion: 1,
  catalogReadAt: at,
  createdBy: null,
  version: 1,
  createdAt: at,
  updatedAt: at,
};
const rules = [
  'tenant_id = {{ tenant }}',
  'region in ({{ regions }})',
  'amount > {{ least }} or amount is null',
  'created_at >= {{ since }}',
  'id not in (1, 2, 3)',
].map((expression) => ({
  matcher: { type: 'ALL_TABLES_WITH_COLUMN' as const, column: 'tenant_id' },
  expression,
  enabled: true,
}));
const assignment: AssignmentFacts = {
  id: 'usa_1',
  definition: { id: 'usd_1', name: 'Own rows', clsConfig: null, slsConfig: null, rlsConfig: { rules } },
  scopeType: 'TENANT',
  actorKey: 't:1',
  params: { tenant: 'north', regions: ['a', 'b', 'c'], least: 5, since: '2026-01-01' },
  source: 'persisted',
};
const actor = {
  kind: 'TENANT_USER',
  id: 'u',
  key: 'u:1',
  name: 'U',
  email: 'u@example.com',
  role: 'VIEWER',
  tenantId: 't',
  tenantKey: 't:1',
} as const;
const request: ResolutionRequest = {
  actor,
  connection,
  isGoverned: true,
  assignments: [assignment],
  tokenPolicies: null,
  tokenParams: {},
  runtimeParams: {},
  onlyTokenPolicies: false,
};
const engine = rememberAnswers(await createPostgres());

async function resolveAndCompile(sql: string) {
  const resolution = { actor, described: { connection, catalog }, resolved: resolvePolicies(request) };
  const { compiled } = await makePreview({ engineOf: () => engine }, resolution, { sql });
  if (compiled.conditions.length !== tables.length) throw new Error(`The statement is ${compiled.status}`);
}

let seen = 0;
/** Milliseconds. The first thousand runs are much slower than those after them. */
const WARM = { warmupTime: 2000, time: 2000 };

describe('resolve and compile on PostgreSQL', () => {
  bench('a statement never seen before', () => resolveAndCompile(statement((seen += 1))), WARM);
  bench('a statement seen before', () => resolveAndCompile(statement(0)), WARM);
  bench('limit: parsing the statement', async () => void (await parse(statement(0))), WARM);
});
