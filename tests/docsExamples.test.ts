import { routes } from '@gatehouse/contract';
import { examples, orderExamples, type Example, type OperationId } from '@gatehouse/contract/examples';
import { secondExamples } from '@gatehouse/contract/openapi';
import { buildTarget, fillIn, findFacts, namesIn, type Fetch } from '@gatehouse/docs';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApi, succeeded, type Api, type Session } from './src/api.js';
import { fixResponse } from './src/openApi/recordedResponses.js';
import { signIn } from './src/sessions/consoleBrowser.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

/** Deliveries of webhooks arrive some time after the request that causes them. */
const FACTS_TIMEOUT_MS = 120_000;

/** The responses that the OpenAPI document shows. `RECORD=1` writes them again. */
const fileOf = (name: string) =>
  fileURLToPath(new URL(`../packages/contract/src/rest/examples/${name}.json`, import.meta.url));
const IS_RECORDING = process.env['RECORD'] === '1';
type Responses = Record<string, unknown>;
const readRecorded = (name: string) => JSON.parse(readFileSync(fileOf(name), 'utf8')) as Responses;
const writeRecorded = (name: string, responses: Responses) =>
  writeFile(fileOf(name), `${JSON.stringify(responses, null, 2)}\n`);

/** The names of the fields at the first two levels. */
function fieldsIn(value: unknown, depth = 2): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fieldsIn(part, depth - 1)]));
}

const routeOf = (operationId: OperationId) => {
  const route = routes.find((known) => known.operationId === operationId);
  if (!route) throw new Error(`There is no ${operationId}`);
  return route;
};

describe('the examples of the reference', () => {
  const recorded: Responses = {};
  const recordedSecond: Responses = {};
  let server: TestServer;
  let api: Api;
  let caller: Session;
  let before: unknown;

  beforeAll(async () => {
    server = await startTestStandalone({ DEMO: '1', ...WEBHOOK_SETTINGS });
    api = await createApi(server.credentials);
    caller = await api.openSession({ orgUserId: server.credentials.adminOrgUserId });
    before = await readAll();
    await signIn(api, { orgUserId: server.credentials.adminOrgUserId });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    if (!IS_RECORDING) return;
    await writeRecorded('recorded', recorded);
    await writeRecorded('recordedSecond', recordedSecond);
  });

  const fetchList: Fetch = async (operationId, parameters) =>
    succeeded(await caller.get<unknown>(buildTarget(routeOf(operationId).path, parameters)));
  const given = () => {
    const { projectId, projectSecret, adminOrgUserId } = server.credentials;
    return new Map([
      ['projectId', projectId],
      ['projectSecret', projectSecret],
      ['orgUserId', adminOrgUserId],
    ]);
  };

  async function runExample(
    operationId: OperationId,
    example: Pick<Example, 'parameters' | 'body'> & { headers?: Readonly<Record<string, string>> },
  ): Promise<{ status: number; body: string }> {
    const { method, path, tokens } = routeOf(operationId);
    const names = namesIn([example.parameters, example.body]);
    const facts = await vi.waitFor(() => findFacts(names, given(), fetchList), {
      timeout: FACTS_TIMEOUT_MS,
      interval: 50,
    });
    const target = buildTarget(path, fillIn(example.parameters ?? {}, facts));
    const response = await fetch(server.baseUrl + target, {
      method,
      headers: {
        ...(tokens !== 'none' && { Authorization: `Bearer ${caller.token}` }),
        ...(example.body && { 'Content-Type': 'application/json' }),
        ...example.headers,
      },
      body: example.body ? JSON.stringify(fillIn<unknown>(example.body, facts)) : null,
    });
    return { status: response.status, body: await response.text() };
  }

  /** The existing records that the examples can delete again. */
  async function readAll(): Promise<unknown> {
    const lists = [
      'dashboards?scope=organization',
      'visuals?scope=organization',
      'groups',
      'unified-users',
      'tenants',
      'domains',
      'webhooks',
      `projects/${server.credentials.projectId}/unified-security/definitions`,
      `projects/${server.credentials.projectId}/unified-security/assignments`,
      ...['connections', 'datamodels', 'assistant-profiles'].map((name) => `../../v1/${name}`),
    ];
    const session = await api.openSession({ orgUserId: server.credentials.adminOrgUserId });
    const answers = lists.map(async (list) => {
      const path = list.startsWith('../') ? `/api/${list.slice(6)}` : `/${list}`;
      const text = JSON.stringify(succeeded(await session.get<unknown>(path)));
      return [list, new Set(text.match(/"id":"[\w-]+"/g))] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  }

  it.each(orderExamples())('%s succeeds, as recorded', async (operationId, example) => {
    // Before the first, because the first may delete the records that it needs. It changes nothing.
    const second = secondExamples.get(operationId);
    if (!second) throw new Error(`${operationId} has no second example`);
    const other = await runExample(operationId, second);
    recordedSecond[operationId] = fixResponse(JSON.parse(other.body));
    expect({ operationId, status: other.status, body: other.body }).toMatchObject({
      operationId,
      status: second.status,
    });
    const knownSecond = IS_RECORDING ? recordedSecond : readRecorded('recordedSecond');
    expect(fieldsIn(recordedSecond[operationId])).toEqual(fieldsIn(knownSecond[operationId]));
    const { status, body } = await runExample(operationId, example);
    recorded[operationId] = fixResponse(JSON.parse(body));
    expect({ operationId, status, body: status < 300 ? '' : body }).toEqual({
      operationId,
      status: routeOf(operationId).success,
      body: '',
    });
    const known = IS_RECORDING ? recorded : readRecorded('recorded');
    expect(fieldsIn(recorded[operationId])).toEqual(fieldsIn(known[operationId]));
  });

  it('leave only a project behind, once the copies are deleted as well', async () => {
    caller = await api.openSession({ orgUserId: server.credentials.adminOrgUserId });
    for (const operationId of ['deleteDashboard', 'deleteVisual'] as const) {
      expect((await runExample(operationId, examples[operationId])).status).toBe(200);
    }
    expect(await readAll()).toEqual(before);
  });
});
