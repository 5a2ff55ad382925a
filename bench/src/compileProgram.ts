import {
  createEngines,
  createPolicyBudget,
  makePreview,
  resolvePolicies,
  type AssignmentFacts,
  type ResolutionRequest,
} from '@gatehouse/policy/compilation';
import type { Catalog, ConnectionSummary, RlsMatcher } from '@gatehouse/contract';
import { runToEnd } from '@gatehouse/testing';
import { parse } from 'libpg-query';

/**
 * The cost of a preview inside the policy service with its facts loaded, warm: five rules on a statement of
 * three tables. It is a program of its own, so that earlier measurements have neither warmed nor filled it.
 * Prints `CompileTimes[]` as JSON.
 */

const statement = (least: number) => `
  select c.region, sum(o.amount) as total, count(distinct r.id)
  from orders o join customers c on c.id = o.id left join refunds r on r.id = o.id and r.amount > ${least}
  where o.created_at > '2026-01-01' group by c.region order by total desc limit 20`;

const columns = Object.entries({
  id: 'bigint',
  tenant_id: 'text',
  region: 'text',
  amount: 'numeric',
  created_at: 'timestamp with time zone',
}).map(([name, type]) => ({ name, type }));
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
/** Each with the table that it is about where each is about one. */
const RULES = [
  ['tenant_id = {{ tenant }}', 'orders'],
  ['region in ({{ regions }})', 'customers'],
  ['amount > {{ least }} or amount is null', 'orders'],
  ['created_at >= {{ since }}', 'refunds'],
  ['id not in (1, 2, 3)', 'customers'],
] as const;
const ON_EVERY_TABLE = (): RlsMatcher => ({ type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' });
const ON_ITS_OWN_TABLE = (table: string): RlsMatcher => ({
  type: 'TABLE_LIST',
  tables: [{ table }],
});

function assignmentOf(matcherOf: (table: string) => RlsMatcher): AssignmentFacts {
  const rules = RULES.map(([expression, table]) => ({
    matcher: matcherOf(table),
    expression,
    enabled: true,
  }));
  return {
    id: 'usa_1',
    definition: { id: 'usd_1', name: 'Own rows', clsConfig: null, slsConfig: null, rlsConfig: { rules } },
    scopeType: 'TENANT',
    actorKey: 't:1',
    params: { tenant: 'north', regions: ['a', 'b', 'c'], least: 5, since: '2026-01-01' },
    source: 'persisted',
  };
}
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
const requestOf = (matcherOf: (table: string) => RlsMatcher): ResolutionRequest => ({
  actor,
  connection,
  isGoverned: true,
  assignments: [assignmentOf(matcherOf)],
  tokenPolicies: null,
  tokenParams: {},
  runtimeParams: {},
  onlyTokenPolicies: false,
});
const FIVE_CONDITIONS = requestOf(ON_ITS_OWN_TABLE);
const FIFTEEN_CONDITIONS = requestOf(ON_EVERY_TABLE);
const engines = createEngines(2000);

async function resolveAndCompile(request: ResolutionRequest, sql: string): Promise<void> {
  const budget = createPolicyBudget();
  const resolution = {
    actor,
    described: { organizationId: 'o_1', connection, catalog },
    resolved: runToEnd(resolvePolicies(request, budget)),
    budget,
  };
  const { compiled } = await makePreview(engines, resolution, { sql });
  if (compiled.conditions.length !== tables.length) throw new Error(`The statement is ${compiled.status}`);
}

let seen = 0;
const WORKS: Record<string, () => Promise<void>> = {
  'a statement never seen before': () => resolveAndCompile(FIVE_CONDITIONS, statement((seen += 1))),
  'the same, where each rule covers each table': () =>
    resolveAndCompile(FIFTEEN_CONDITIONS, statement((seen += 1))),
  'a statement seen before': () => resolveAndCompile(FIVE_CONDITIONS, statement(0)),
  'limit: parsing the statement': async () => void (await parse(statement(0))),
};

/** The first thousand runs are much slower than those after them. */
const WARM_UP_RUNS = 3000;
/** The works alternate, so that other load on the machine affects each of them. */
const ROUNDS = 40;
const RUNS_PER_ROUND = 100;

async function timesOf(work: () => Promise<void>, runs: number): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  return times;
}

const measured = Object.entries(WORKS).map(([name, work]) => ({ name, work, times: [] as number[] }));
for (const { work } of measured) await timesOf(work, WARM_UP_RUNS);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { work, times } of measured) times.push(...(await timesOf(work, RUNS_PER_ROUND)));
}
const quantile = (times: readonly number[], share: number) => times[Math.floor(times.length * share)] ?? NaN;
const results = measured.map(({ name, times }) => {
  const sorted = times.toSorted((one, other) => one - other);
  return { name, median: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
});
await engines.stop();
process.stdout.write(JSON.stringify(results));
