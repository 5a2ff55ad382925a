import { readFile } from 'node:fs/promises';
import type { OperationId } from '@gatehouse/client';
import { findSelectable, readField, routes, type FieldNames, type Route } from '@gatehouse/contract';
import { createLlmsText, createOpenApiDocument } from '@gatehouse/contract/openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeeded, type Answer } from './src/api.js';
import { readErrorBody } from './src/errorBodies.js';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import { startTestPlatform } from './src/servers.js';
import { specimens } from './src/statusCases/allCases.js';
import { AnswerLog } from './src/statusCases/answerLog.js';
import { by, makeStatusWorld, type RouteRequest, type World } from './src/statusCases/statusCase.js';
import { VERSION_CONTROL_SETTINGS } from './src/statusCases/versionControlCases.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const operationOf = ({ operationId }: Route) => operationId as OperationId;
const reads = routes.filter(({ method }) => method === 'GET');
const selectable = reads.flatMap((route) => {
  const found = findSelectable(route);
  return found ? [[route.operationId, route, found] as const] : [];
});

/** What the lists of the project are to contain. */
const CREATIONS = [
  'createDashboard',
  'createVisual',
  'createGroup',
  'createDomain',
  'createConnection',
  'createDatamodel',
  'createAssistantProfile',
  'createPolicyAssignment',
  'createWebhook',
] as const satisfies readonly OperationId[];
/** Lists that are empty in the requests of these tests. */
const EMPTY: readonly string[] = [
  'listSessions',
  'listGroupPermissions',
  'listPolicyTests',
  'listMigrations',
  'diffDashboardVersions',
  'listWebhookDeliveries',
] satisfies OperationId[];

let observed: ObservedServer;
let world: World;
let log: AnswerLog;

beforeAll(async () => {
  observed = await startObserved(startTestPlatform, { ...WEBHOOK_SETTINGS, ...VERSION_CONTROL_SETTINGS });
  log = new AnswerLog(() => observed.baseUrl);
  world = await makeStatusWorld(observed.api, observed.adminId);
  for (const operation of CREATIONS) {
    const route = routes.find(({ operationId }) => operationId === operation);
    if (!route) throw new Error(operation);
    succeeded(await log.send(route, await specimens[operation](world)));
  }
});
afterAll(() => observed[Symbol.asyncDispose]());

const withFields = (request: RouteRequest, fields: string): RouteRequest => ({
  ...request,
  query: { ...request.query, fields },
});

type Json = Record<string, unknown>;
const recordsAt = (body: unknown, place: string): Json[] => {
  const found = readField(body, place);
  return (Array.isArray(found) ? found : [found]) as Json[];
};

/** The records of all places, and the response without them. */
function partsOf(body: unknown, places: readonly string[]): { records: Json[]; rest: unknown } {
  const records = places.flatMap((place) => recordsAt(body, place));
  const rest = structuredClone(body);
  for (const place of places) {
    const parent = place.split('.').slice(0, -1).join('.');
    const holder = (parent === '' ? rest : readField(rest, parent)) as Json;
    holder[place.split('.').at(-1) ?? ''] = null;
  }
  return { records, rest };
}

/** Every path of the names, down to the second level. */
const pathsOf = (names: FieldNames) =>
  Object.entries(names).flatMap(([name, inner]) => [
    name,
    ...Object.keys(inner).map((field) => `${name}.${field}`),
  ]);

/** The part of a value at a path, with the ids beside it: what a selection of the path has. */
function partAt(value: unknown, [name, ...rest]: string[]): unknown {
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => partAt(item, [name, ...rest]));
  if (typeof value !== 'object' || value === null) return value;
  const record = value as Json;
  return {
    ...('id' in record && { id: record['id'] }),
    ...(name in record && { [name]: partAt(record[name], rest) }),
  };
}

const UNKNOWN = [
  'nothing',
  'constructor',
  '__proto__',
  'id.length',
  'toString',
  '',
  ',',
  'id,',
  ' id',
  'ID',
  'id.',
];

describe('fields', () => {
  it('accepts the examples of the reference, of llms.txt and of the page about the API', async () => {
    const page = await readFile(new URL('../docs/api.md', import.meta.url), 'utf8');
    const document = createOpenApiDocument();
    const texts = [JSON.stringify(document), createLlmsText(document), page];
    const forms = [/The fields of each record, [^`]*`([\w.,]+)`/, /fields=([\w.,]+)/, /fields=([\w.,]+)/];
    for (const [index, text] of texts.entries()) {
      const example = forms[index]?.exec(text)?.[1];
      const { status } = await world.admin.get(`/dashboards?fields=${String(example)}`);
      expect({ example, status }).toEqual({ example, status: 200 });
    }
  });

  it.each(selectable)('of %s reduce each record to what they name', async (_, route, { places, names }) => {
    const request = await specimens[operationOf(route)](world);
    const whole = await log.send(route, request);
    const { records, rest } = partsOf(whole.body, places);
    expect(records.length > 0 || EMPTY.includes(route.operationId)).toBe(true);
    for (const path of pathsOf(names)) {
      const reduced = await log.send(route, withFields(request, path));
      expect({ path, status: reduced.status }).toEqual({ path, status: 200 });
      expect({ path, ...partsOf(reduced.body, places) }).toEqual({
        path,
        rest,
        records: records.map((record) => partAt(record, path.split('.'))),
      });
    }
    const all = await log.send(route, withFields(request, Object.keys(names).join(',')));
    expect(all.body).toEqual(whole.body);
  });

  it.each(selectable)('of %s leave the entity tag', async (_, route, { names }) => {
    const request = await specimens[operationOf(route)](world);
    const [name = ''] = Object.keys(names);
    const tagOf = ({ headers }: Answer) => headers.get('etag');
    const reduced = await log.send(route, withFields(request, name));
    const tag = tagOf(reduced);
    expect(tag).toBe(tagOf(await log.send(route, request)));
    if (tag === null) return;
    const again = { ...withFields(request, name), headers: { 'if-none-match': tag } };
    expect((await log.send(route, again)).status).toBe(304);
  });

  it.each(selectable)('of %s are rejected with the valid names', async (_, route, { names }) => {
    const request = await specimens[operationOf(route)](world);
    for (const fields of UNKNOWN) {
      const { status, body } = await log.send(route, withFields(request, fields));
      expect({ fields, status, named: readErrorBody(route.area, body).fields }).toEqual({
        fields,
        status: 400,
        named: ['fields'],
      });
    }
    const { body } = await log.send(route, withFields(request, 'nothing'));
    for (const name of Object.keys(names)) expect(JSON.stringify(body)).toContain(name);
  });

  const others = reads.filter(({ options }) => !options.includes('fields'));
  it.each(others.map((route) => [route.operationId, route] as const))(
    'are unknown to %s',
    async (_, route) => {
      const request = await specimens[operationOf(route)](world);
      const { status, body } = await log.send(route, withFields(request, 'id'));
      expect([status, readErrorBody(route.area, body).fields]).toEqual([400, ['fields']]);
    },
  );

  it('disclose nothing to a caller who may not read the record', async () => {
    for (const operationId of ['getDashboard', 'getOrgUser', 'getConnection'] as const) {
      const route = routes.find((known) => known.operationId === operationId);
      if (!route) throw new Error(operationId);
      const request = await by('tenantViewer', specimens[operationId])(world);
      const [plain, reduced] = [
        await log.send(route, request),
        await log.send(route, withFields(request, 'id')),
      ];
      expect(plain.status).toBeGreaterThanOrEqual(403);
      const { requestId: _plainId, ...expected } = readErrorBody(route.area, plain.body);
      const { requestId: _reducedId, ...found } = readErrorBody(route.area, reduced.body);
      expect([reduced.status, found]).toEqual([plain.status, expected]);
    }
  });
});
