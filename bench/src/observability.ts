import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from './load.js';
import { readCredentials, startGatehouse } from './servers.js';

const SECONDS = 3;
const CONNECTIONS = 8;
/** The clock ticks of /proc: a hundred a second on every Linux that Node runs on. */
const TICK_MS = 10;

async function cpuMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function openDashboard(dataDir: string) {
  const { baseUrl, projectId, projectSecret, adminOrgUserId: orgUserId } = await readCredentials(dataDir);
  const post = async (
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<unknown> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    return (await fetch(baseUrl + path, { ...init, body: JSON.stringify(body) })).json();
  };
  const identity = { projectId, projectSecret, orgUserId };
  const { accessToken } = (await post('/api/v1/token', identity)) as { accessToken: string };
  const headers = { authorization: `Bearer ${accessToken}` };
  const path = '/api/management/v1/dashboards';
  const { dashboard } = (await post(path, { title: 'Sales' }, headers)) as { dashboard: { id: string } };
  return { aim: { baseUrl, headers }, path: `${path}/${dashboard.id}` };
}

/** Microseconds of CPU for one request. */
async function measure(settings: Record<string, string>): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-observability-'));
  const server = await startGatehouse('standalone', { dataDir, settings });
  try {
    const { aim, path } = await openDashboard(dataDir);
    const work = { method: 'GET', next: () => ({ path }) } as const;
    await load(aim, work, { connections: CONNECTIONS, seconds: 1 });
    const before = await cpuMs(server.pid);
    const { requestsPerSecond, failures } = await load(aim, work, {
      connections: CONNECTIONS,
      seconds: SECONDS,
    });
    if (failures > 0) throw new Error(`${failures} requests failed`);
    return ((await cpuMs(server.pid)) - before) / ((requestsPerSecond * SECONDS) / 1000);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Microseconds of CPU for one request in each round, by what is switched on. */
type ObservabilityCosts = ReadonlyMap<string, number[]>;

/**
 * Measures the cost of metrics and traces: the CPU time of the standalone program for one read of a
 * dashboard, without the embedded engine, which is a process of its own. Linux only.
 */
export async function measureObservability(rounds: number): Promise<ObservabilityCosts> {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const forms = {
    neither: {},
    metrics: { METRICS_PORT: '0' },
    traces: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    'traces of 1 in 100': { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: '0.01' },
  };
  const found = new Map<string, number[]>();
  try {
    for (let round = 0; round < rounds; round += 1)
      for (const [name, settings] of Object.entries(forms))
        found.set(name, [...(found.get(name) ?? []), await measure(settings)]);
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
  return found;
}

/** The costs as a section of Markdown. */
export function reportObservability(costs: ObservabilityCosts): string {
  const lines = [...costs].map(([name, values]) => {
    const all = values.map((value) => value.toFixed(0));
    return `| ${name} | ${Math.min(...values).toFixed(0)} | ${all.join(', ')} |`;
  });
  return `
## Metrics and traces

Standalone, reads of one dashboard over ${CONNECTIONS} connections.
The table shows the CPU time of the program in microseconds for each read, without the engine's.
The forms alternate.

| switched on | at least | each round |
|---|---|---|
${lines.join('\n')}
`;
}
