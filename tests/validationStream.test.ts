import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ValidationResult } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { forms, type TestServer } from './src/servers.js';
import {
  cardOf,
  makeValidationWorld,
  templateOf,
  VALIDATE_ALL,
  type ValidationWorld,
} from './src/validationWorld.js';

type Line =
  | { type: 'result'; result: ValidationResult | { dashboardId: string; error: string } }
  | { type: 'progress'; done: number; total: number }
  | {
      type: 'summary';
      totalDashboards: number;
      validDashboards: number;
      invalidDashboards: number;
      failedDashboards: number;
    };

/** More than fit in one page. */
const DASHBOARDS = 230;

describe.each(forms)('the validation of a project, line by line ($form)', ({ start }) => {
  let server: TestServer;
  let api: Api;
  let world: ValidationWorld;

  beforeAll(async () => {
    server = await start({ METRICS_PORT: '0' });
    api = await createApi(server.credentials);
    world = await makeValidationWorld(api, server.credentials.adminOrgUserId);
    const { connectionId, unreadConnectionId } = world;
    const tooMany = Array.from({ length: 501 }, () => ({ table: 'orders' }));
    await world.createDashboard(templateOf({ dataSource: { connectionId, selectedEntities: tooMany } }));
    await world.createDashboard(templateOf(cardOf(unreadConnectionId, 'orders', 'id')));
    for (let made = 2; made < DASHBOARDS; made += 38) {
      const create = () => world.createDashboard(templateOf(cardOf(connectionId, 'orders', 'id')));
      await Promise.all(Array.from({ length: Math.min(38, DASHBOARDS - made) }, create));
    }
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const headersOf = () => ({
    authorization: `Bearer ${world.admin.token}`,
    'content-type': 'application/json',
    accept: 'application/x-ndjson',
  });

  it('has a line for each result, the progress after each page, and the usual summary', async () => {
    const url = server.baseUrl + VALIDATE_ALL;
    const response = await fetch(url, { method: 'POST', headers: headersOf(), body: '{}' });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const results = lines.flatMap((line) => (line.type === 'result' ? [line.result] : []));
    const progress = lines.flatMap((line) => (line.type === 'progress' ? [[line.done, line.total]] : []));
    const { results: together, ...summary } = await world.validateAll();
    expect(results.map(({ dashboardId }) => dashboardId)).toEqual(
      together.map(({ dashboardId }) => dashboardId),
    );
    expect(progress.length).toBeGreaterThanOrEqual(3);
    expect(progress.at(-1)).toEqual([DASHBOARDS, DASHBOARDS]);
    expect(lines.at(-1)).toEqual({ type: 'summary', ...summary });
    expect(summary).toMatchObject({
      totalDashboards: DASHBOARDS,
      validDashboards: DASHBOARDS - 1,
      failedDashboards: 1,
    });
    // The catalog that was never read is a warning in the result of the one dashboard that needs it.
    const warned = results.filter((result) => 'issues' in result && result.issues.length > 0);
    expect(warned).toMatchObject([{ isValid: true, issues: [{ code: 'CATALOG_UNAVAILABLE' }] }]);
  });

  it('releases everything after its caller disconnects', async () => {
    await new Promise<void>((resolve, reject) => {
      const sent = httpRequest(server.baseUrl + VALIDATE_ALL, { method: 'POST', headers: headersOf() });
      sent.once('error', reject);
      sent.once('response', (response) => {
        response.once('data', () => {
          response.destroy();
          resolve();
        });
      });
      sent.end('{}');
    });
    for (let looks = 0; looks < 5000 && (await inFlight()) > 0; looks += 1) await sleep(25);
    expect(await inFlight()).toBe(0);
    expect((await world.validateAll()).totalDashboards).toBe(DASHBOARDS);
  });

  /** The number of requests that the gateway currently serves; it is not readable in containers. */
  async function inFlight(): Promise<number> {
    const [url] = server.metricsUrls;
    if (url === undefined) return 0;
    const text = await (await fetch(url)).text();
    const found = /^gatehouse_http_requests_in_flight (\d+)/m.exec(text);
    if (!found) throw new Error('The gateway does not export its number of requests');
    return Number(found[1]);
  }
});
