import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { caller, issueToken, type Call } from './seed.js';
import { readCredentials, startGatehouse, type Credentials } from './servers.js';

/**
 * The gain of the caches that save queries and calls between services. Two standalones serve the same
 * requests alternately, one at a time; the cache of one of them stores nothing.
 */

const PRELOAD = new URL('withoutCache.js', import.meta.url).href;
const API = '/api/management/v1';
const DASHBOARDS = 200;
const WARM_UP = 100;
const ROUNDS = 20;
/** Requests in a row: long enough for the clock of the processor time. */
const BATCH = 25;
const MS_PER_TICK = 10;
const TABLES = 500;

interface World {
  call: Call;
  credentials: Credentials;
  connectionId: string;
  dashboardId: string;
  actor: object;
}

type Work = (world: World) => Promise<unknown>;
type Named = Record<string, { id: string }>;

const columns = ['id', 'tenant_id', 'region', 'amount'].map((name) => ({ name, type: 'text' }));
const tables = Array.from({ length: TABLES }, (_, index) => ({ name: `table_${index}`, columns }));
const catalog = { defaultSchema: 'public', schemas: [{ name: 'public', tables }] };
const rlsConfig = {
  rules: [
    {
      matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
      expression: 'tenant_id = {{ tenant }}',
    },
  ],
};

async function makePolicy(call: Call, { projectId }: Credentials, connectionId: string): Promise<object> {
  const base = `${API}/projects/${projectId}/unified-security`;
  const tenant = (await call('POST', `${API}/tenants`, { name: 'Tenant' })) as unknown as Named;
  const tenantId = tenant['tenant']?.id ?? '';
  const person = { tenantId, email: 'user@example.com', name: 'User', role: 'VIEWER' };
  const made = (await call('POST', `${API}/tenant-users`, person)) as unknown as Named;
  const defined = (await call('POST', `${base}/definitions`, {
    connectionId,
    name: 'Own rows',
    rlsConfig,
  })) as unknown as { data: Named };
  const definitionId = defined.data['definition']?.id ?? '';
  await call('POST', `${base}/assignments`, {
    definitionId,
    scopeType: 'TENANT',
    tenantId,
    params: { tenant: 'north' },
  });
  return { kind: 'TENANT_USER', tenantUserId: made['user']?.id ?? '' };
}

const createDashboard = async (call: Call, template?: object) => {
  const created = (await call('POST', `${API}/dashboards`, { title: 'One', template })) as unknown as Named;
  return created['dashboard']?.id ?? '';
};

/** A dashboard with one card that reads a table of the connection. */
function templateOf(connectionId: string): object {
  const dataSource = { connectionId, mode: 'database', selectedEntities: [{ table: 'table_1' }] };
  const fields = { columns: [{ entity: 'table_1', column: 'region' }] };
  const card = { id: 'card', title: 'Card', type: 'table', dataSource, fields };
  return { sheets: [{ id: 'sheet', frames: [{ id: 'frame', cards: [card] }] }] };
}

async function makeWorld(credentials: Credentials): Promise<World> {
  const { baseUrl, adminOrgUserId } = credentials;
  const call = caller(baseUrl, await issueToken(credentials, { orgUserId: adminOrgUserId }));
  const connection = { name: 'Static', type: 'static', config: { dialect: 'postgres' }, catalog };
  const created = (await call('POST', '/api/v1/connections', connection)) as unknown as Named;
  const connectionId = created['connection']?.id ?? '';
  const actor = await makePolicy(call, credentials, connectionId);
  const dashboardId = await createDashboard(call, templateOf(connectionId));
  for (let count = 1; count < DASHBOARDS; count += 1) await createDashboard(call);
  return { call, credentials, connectionId, dashboardId, actor };
}

const preview: Work = ({ call, credentials, connectionId, actor }) =>
  call('POST', `${API}/projects/${credentials.projectId}/unified-security/preview`, {
    connectionId,
    actor,
    sql: 'select region, count(*) from table_1 group by region',
  });

/** Each cache, with the file that creates it and a request that uses it. */
const CACHES: Record<string, { file: string; work: Work }> = {
  'access tokens and principals, read': {
    file: 'apps/gateway/dist/plugins/authentication.js',
    work: ({ call, dashboardId }) => call('GET', `${API}/dashboards/${dashboardId}`),
  },
  'the active signing key, token': {
    file: 'apps/directory/dist/tokens/activeKeyCache.js',
    work: ({ credentials }) => issueToken(credentials, { orgUserId: credentials.adminOrgUserId }),
  },
  'catalogs of policy, preview': {
    file: 'apps/policy/dist/connections/findConnections.js',
    work: preview,
  },
  'catalogs of lifecycle, validation': {
    file: 'apps/lifecycle/dist/validation/catalogCache.js',
    work: ({ call, dashboardId }) => call('POST', '/api/v1/dashboard/validate', { dashboardId }),
  },
  'usage of quotas, new dashboard': {
    file: 'packages/service/dist/quotas/quota.js',
    work: ({ call }) => createDashboard(call),
  },
};

async function processorMs(pids: readonly number[]): Promise<number> {
  let ticks = 0;
  for (const pid of pids) {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * MS_PER_TICK;
}

/** A standalone and its engine. */
async function start(withoutCache: string | null) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-caches-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const preload = withoutCache === null ? [] : ['--import', PRELOAD];
  const server = await startGatehouse('standalone', {
    mongodbUrl: engine.url,
    dataDir,
    isBundled: false,
    nodeArguments: ['--max-semi-space-size=64', ...preload],
    settings: withoutCache === null ? {} : { WITHOUT_CACHE: withoutCache },
  });
  return {
    world: await makeWorld(await readCredentials(dataDir)),
    pids: [server.pid, engine.pid ?? 0],
    async stop() {
      await server.stop();
      await engine.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

type Running = Awaited<ReturnType<typeof start>>;

/** The processor time of a batch, and the median time of its requests, in milliseconds. */
async function runBatch({ world, pids }: Running, work: Work) {
  const before = await processorMs(pids);
  const times: number[] = [];
  for (let count = 0; count < BATCH; count += 1) {
    const startedMs = performance.now();
    await work(world);
    times.push(performance.now() - startedMs);
  }
  return { processorMs: (await processorMs(pids)) - before, times };
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

async function measureCache(name: string, { file, work }: { file: string; work: Work }): Promise<void> {
  const both = [await start(null), await start(file)] as const;
  try {
    const totals = both.map((running) => ({ running, processorMs: 0, times: [] as number[] }));
    for (const { running } of totals) for (let n = 0; n < WARM_UP; n += 1) await work(running.world);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const total of totals) {
        const batch = await runBatch(total.running, work);
        total.processorMs += batch.processorMs;
        total.times.push(...batch.times);
      }
    }
    const [cached, missed] = totals as [(typeof totals)[0], (typeof totals)[0]];
    const gains = [missed.processorMs / cached.processorMs, median(missed.times) / median(cached.times)];
    const [processor = 0, time = 0] = gains;
    console.log(
      `${name.padEnd(36)} ${time.toFixed(2).padStart(6)} of the time, ` +
        `${processor.toFixed(2)} of the processor time`,
    );
  } finally {
    for (const running of both) await running.stop();
  }
}

/** Measures each cache, and prints how many times as long a request takes without it. */
export async function measureServiceCaches(): Promise<void> {
  for (const [name, cache] of Object.entries(CACHES)) await measureCache(name, cache);
}
