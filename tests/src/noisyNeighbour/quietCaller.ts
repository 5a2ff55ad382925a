import { sendRequest, succeeded, unique, type Answer, type Api, type Project } from '../api.js';
import { createDefinition, securityPath } from '../policyRecords.js';
import { createConnection } from '../semanticRecords.js';

/** The requests of an organization that is not part of the attack. */
const QUIET_KINDS = ['list', 'read', 'token', 'preview'] as const;
type QuietKind = (typeof QUIET_KINDS)[number];

/** Milliseconds of each request, and the statuses that were no success. */
export interface Measured {
  times: Record<QuietKind, number[]>;
  refusals: string[];
}

export interface QuietCaller {
  /** Sends each kind of request so often, one after the other, unless that takes very long. */
  measure(rounds: number): Promise<Measured>;
}

/** The time below which 95 of 100 of the requests end. */
function p95(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}

/** A request may take less than so many times as long as in quiet. */
const SLOWER_MAX = 5;

/** The faults in responses under load, as sentences. */
export function compare(quiet: Measured, noisy: Measured): string[] {
  const slower = QUIET_KINDS.flatMap((kind) => {
    const [calm, loud] = [p95(quiet.times[kind]), p95(noisy.times[kind])];
    return loud < SLOWER_MAX * calm ? [] : [`${kind}: ${loud.toFixed(1)} ms, quiet ${calm.toFixed(1)} ms`];
  });
  return [...slower, ...noisy.refusals];
}

/** A phase ends early when it takes so long: what it has measured by then is enough to see that. */
const TIME_MAX_MS = 10_000;
const ROUNDS_MIN = 3;

/**
 * Creates the records that the requests need: dashboards to list and read, and a governed connection for
 * previews.
 */
export async function createQuietCaller(api: Api): Promise<QuietCaller> {
  const { admin } = api;
  const { id: dashboardId } = await api.createDashboard(admin, { title: unique('Quiet') });
  for (let count = 1; count < 20; count += 1) await api.createDashboard(admin);
  const { id: connectionId } = await createConnection(admin);
  const { id: definitionId } = await createDefinition(api, connectionId);
  const { id: tenantId } = await api.createTenant();
  const assignment = { definitionId, scopeType: 'TENANT', tenantId };
  succeeded(await admin.post(`${securityPath(api)}/assignments`, assignment));
  const actor = { kind: 'TENANT', tenantId };
  const preview = { connectionId, actor, sql: 'SELECT id FROM orders WHERE id > 5' };
  const sends = (project: Project): Record<QuietKind, () => Promise<Answer<unknown>>> => ({
    list: () => admin.get('/dashboards?limit=20'),
    read: () => admin.get(`/dashboards/${dashboardId}`),
    token: () => sendRequest(api.baseUrl, ['POST', '/api/v1/token'], { body: project }),
    preview: () => admin.post(`${securityPath(api)}/preview`, preview),
  });
  return {
    async measure(rounds) {
      // A project of its own: the tokens of one are limited by the minute.
      const send = sends(await api.createProject());
      const measured: Measured = { times: { list: [], read: [], token: [], preview: [] }, refusals: [] };
      const beganMs = performance.now();
      for (let round = 0; round < rounds; round += 1) {
        if (round >= ROUNDS_MIN && performance.now() - beganMs > TIME_MAX_MS) break;
        for (const kind of QUIET_KINDS) {
          const startedMs = performance.now();
          const { status } = await send[kind]();
          measured.times[kind].push(performance.now() - startedMs);
          if (status >= 300) measured.refusals.push(`${kind} ${status}`);
        }
      }
      return measured;
    },
  };
}
