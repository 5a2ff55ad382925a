import { setTimeout as sleep } from 'node:timers/promises';
import type { Dashboard } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import { succeeded, unique, type Api } from '../api.js';
import { definitionBody, securityPath } from '../policyRecords.js';
import { createStaticConnection, VALIDATE } from '../validationWorld.js';
import { DEAF_URL } from '../webhookRecords.js';

/** The needs of the platform under the load while its processes are replaced. */
export const LOAD_SETTINGS = {
  // Webhooks are registered, and nothing is sent to them.
  WEBHOOK_HOSTS: '127.0.0.1',
  // Longer than the client of these tests keeps an idle connection.
  DRAIN_MS: '8000',
  // On a busy machine a request in flight may need longer than a stop usually waits for it.
  SHUTDOWN_TIMEOUT_MS: '120000',
};

/**
 * With several workers a request is in flight at almost any moment, and capacity remains for the undisturbed
 * requests.
 */
const PAUSE_MS = 40;
/** Each kind of request is still made every few seconds. */
const CALM_PAUSE_MS = 200;

/** The result of a load. */
export interface LoadOutcome {
  /** Every request without a success response, as a sentence. */
  failures: string[];
  /** The request ids of the confirmed changes. */
  changes: string[];
  /** The title that was last answered, for each dashboard by its id. */
  titles: Map<string, string>;
}

export interface SteadyLoad extends AsyncDisposable {
  outcome: LoadOutcome;
  pace: Pace;
  stop(): Promise<void>;
}

/** How soon the requests of a load follow each other. */
export class Pace {
  #pauseMs = PAUSE_MS;

  async pause(): Promise<void> {
    await sleep(this.#pauseMs);
  }

  /** Leaves the processor to what takes long and disturbs no request, such as the start of a process. */
  async calmWhile<T>(happening: () => Promise<T>): Promise<T> {
    this.#pauseMs = CALM_PAUSE_MS;
    try {
      return await happening();
    } finally {
      this.#pauseMs = PAUSE_MS;
    }
  }
}

/** Reads and changes records of every service, over and over, until it is stopped. */
export async function startLoad(api: Api, workers: number): Promise<SteadyLoad> {
  const outcome: LoadOutcome = { failures: [], changes: [], titles: new Map() };
  const connectionId = await createStaticConnection(api.admin, { orders: ['id'] });
  const pace = new Pace();
  let isOver = false;
  const work = async () => {
    while (!isOver) await runRound(api, connectionId, { outcome, pace });
  };
  const running = Array.from({ length: workers }, work);
  const stop = async () => {
    isOver = true;
    await Promise.all(running);
  };
  return { outcome, pace, stop, [Symbol.asyncDispose]: stop };
}

type Body = Record<string, unknown>;

async function runRound(
  api: Api,
  connectionId: string,
  { outcome, pace }: Pick<SteadyLoad, 'outcome' | 'pace'>,
): Promise<void> {
  const send = async <T>(method: string, path: string, body?: Body): Promise<T | null> => {
    const requestId = newKey();
    try {
      const answer = await api.admin.send<T>(method, path, { body, headers: { 'x-request-id': requestId } });
      const record = succeeded(answer);
      if (body !== undefined && path !== VALIDATE) outcome.changes.push(requestId);
      return record;
    } catch (error) {
      outcome.failures.push(`${method} ${path}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    } finally {
      await pace.pause();
    }
  };
  const created = await send<{ dashboard: Dashboard }>('POST', '/dashboards', { title: unique('Made') });
  if (created !== null) await changeDashboard(created.dashboard.id, send, outcome);
  await send('POST', '/tenants', { name: unique('Tenant') });
  await send('POST', '/api/v1/domains', {
    name: unique('domain')
      .toLowerCase()
      .replace(/[^a-z]/g, '_'),
  });
  await send('POST', `${securityPath(api)}/definitions`, definitionBody(connectionId));
  await comeAndGo(send);
  await send('GET', '/audit-events?limit=1');
  await send('GET', '/tenants');
}

type Send = <T>(method: string, path: string, body?: Body) => Promise<T | null>;

async function changeDashboard(id: string, send: Send, { titles }: LoadOutcome): Promise<void> {
  const title = unique('Renamed');
  const changed = await send<{ dashboard: Dashboard }>('PATCH', `/dashboards/${id}`, { title });
  if (changed !== null) titles.set(id, changed.dashboard.title);
  await send('POST', `/dashboards/${id}/share`, { shares: [{ scope: 'all_org_users', role: 'VIEWER' }] });
  await send('GET', `/dashboards/${id}`);
  await send('POST', VALIDATE, { dashboardId: id });
}

/** Registers a webhook and deletes it: an organization may have only so many. */
async function comeAndGo(send: Send): Promise<void> {
  const body = { url: DEAF_URL, eventTypes: ['management.webhook_secret.rotated.v1'] };
  const registered = await send<{ webhook: { id: string } }>('POST', '/webhooks', body);
  if (registered !== null) await send('DELETE', `/webhooks/${registered.webhook.id}`);
}

/** The titles of all dashboards, by their ids. */
export async function readTitles({ admin }: Api): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  let cursor = '';
  do {
    const path = `/dashboards?limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = succeeded(await admin.get<{ dashboards: Dashboard[]; nextCursor: string | null }>(path));
    for (const { id, title } of page.dashboards) titles.set(id, title);
    cursor = page.nextCursor ?? '';
  } while (cursor !== '');
  return titles;
}
