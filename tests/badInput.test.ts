import { Agent } from 'node:http';
import { routes, type Route } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { nestedObjects, wholeBodyFaultsOf } from './src/badInput/bodyFaults.js';
import { bodyFaultsOf, parameterFaultsOf, type Fault } from './src/badInput/fieldFaults.js';
import { sendBytes, sendRaw, type RawRequest } from './src/badInput/rawRequests.js';
import { judgeErrorBody, judgeRefusal } from './src/badInput/refusals.js';
import { malformedRequests, requestFaults } from './src/badInput/requestFaults.js';
import { inputOf, placeOf } from './src/badInput/routeRequests.js';
import { fieldsOf } from './src/badInput/schemaFields.js';
import {
  findUnreadCollections,
  readSettledDocuments,
  readStoredDocuments,
  type StoredDocuments,
} from './src/badInput/storedDocuments.js';
import { forms, type TestServer } from './src/servers.js';
import { mapSideBySide } from './src/sideBySide.js';
import { rowsOf } from './src/turns.js';

const agent = new Agent({ keepAlive: true });
let mongo: TestMongo;
let server: TestServer;
let api: Api;
let stored: StoredDocuments;

describe.each(forms)('in the mode $form', ({ form, start }) => {
  beforeAll(async () => {
    mongo = await startTestMongo();
    server = await start({
      MONGODB_URL: mongo.url,
      MONGODB_PREFIX: mongo.prefix,
      SWEEP_INTERVAL_MS: '600000',
    });
    api = await createApi(server.credentials);
    stored = await readSettledDocuments(mongo.databases);
  });

  afterAll(async () => {
    agent.destroy();
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });

  const send = (request: RawRequest) => {
    const headers = { authorization: `Bearer ${api.admin.token}`, ...request.headers };
    return sendRaw(server.baseUrl, { ...request, headers }, agent);
  };

  /** Sends each as an ADMIN, and describes every response that is not the expected error. */
  async function complainAbout({ area }: Pick<Route, 'area'>, faults: readonly Fault[]): Promise<string[]> {
    const complaints = await mapSideBySide(
      faults,
      async ({ name, request, code = 'INVALID_REQUEST', named }) => {
        const complaint = judgeRefusal(await send(request), { area, codes: [code], named });
        return complaint === null ? [] : [`${name}: ${complaint}`];
      },
    );
    return complaints.flat();
  }

  function fieldFaultsOf(route: Route): Fault[] {
    return fieldsOf(inputOf(route)).flatMap((field) => {
      const [top] = field.path;
      const isInBody = top === undefined || placeOf(route, String(top)) === 'body';
      const faults = isInBody ? bodyFaultsOf(route, field) : parameterFaultsOf(route, field);
      return faults.map((fault) => ({ ...fault, name: `${field.named[0]}, ${fault.name}` }));
    });
  }

  const cases = rowsOf(form, routes).map((route) => [`${route.method} ${route.path}`, route] as const);

  describe('bad input', () => {
    async function expectUnharmed(): Promise<void> {
      expect(await readStoredDocuments(mongo.databases)).toEqual(stored);
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect((await send({ method: 'GET', path: '/readyz' })).status).toBe(200);
    }
    afterEach(expectUnharmed);

    it.each(cases)('in one field is rejected, and the error names the field: %s', async (_, route) => {
      expect(await complainAbout(route, fieldFaultsOf(route))).toEqual([]);
    });

    it.each(cases)('in a body as a whole is rejected: %s', async (_, route) => {
      expect(await complainAbout(route, wholeBodyFaultsOf(route))).toEqual([]);
    });

    it('outside of the body is rejected', async () => {
      const complaints: string[] = [];
      for (const { name, method = 'GET', path, headers = {}, body, codes, named } of requestFaults) {
        const bytes = body === undefined ? undefined : Buffer.from(body);
        const answer = await send({ method, path, headers, body: bytes });
        const complaint = judgeRefusal(answer, { area: 'management', codes, named });
        if (complaint !== null) complaints.push(`${name}: ${complaint}`);
      }
      expect(complaints).toEqual([]);
    });

    it.each(Object.entries(malformedRequests))(
      'that is no HTTP is refused: %s',
      async (_, [bytes, status]) => {
        const received = await sendBytes(server.baseUrl, bytes);
        const [head = '', text = ''] = received.split('\r\n\r\n');
        expect({ received, status: Number(head.split(' ')[1]) }).toEqual({ received, status });
        const headers = Object.fromEntries(
          head.split('\r\n').map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]]),
        );
        expect(judgeErrorBody({ status, headers, text }, 'management')).toBeNull();
      },
    );
  });

  describe('unusual valid input', () => {
    it('is accepted: a body of 64 levels, all characters of JSON, keys that are property names', async () => {
      const template = JSON.parse(`{"a":${nestedObjects(62)}}`) as Record<string, unknown>;
      const title = '\u0001 \u00e9 \u{1f600} \u202e \ufffe </script> ${x} {{x}} %00 $where ../..';
      const odd = { constructor: { prototype: 1 }, $set: { 'a.b': 1 }, '': null, toString: [] };
      for (const body of [
        { title, template },
        { title, template: odd },
      ]) {
        const { dashboard } = (
          await api.admin.post<{ dashboard: Record<string, unknown> }>('/dashboards', body)
        ).body;
        expect(dashboard).toMatchObject({ title });
        expect(dashboard['template']).toEqual(body.template);
      }
    });

    it('is accepted: more than two MiB for a template, and only two MiB elsewhere', async () => {
      const body = Buffer.alloc(4 * 1024 * 1024, ' ');
      body.write(JSON.stringify({ title: 'Sales' }));
      const headers = { 'content-type': 'application/json' };
      const statusOf = async (path: string, bytes: Buffer) =>
        (await send({ method: 'POST', path: `/api/management/v1${path}`, headers, body: bytes })).status;
      expect(await statusOf('/dashboards', body)).toBe(201);
      expect(await statusOf('/visuals', body)).toBe(201);
      body.write(JSON.stringify({ name: 'Sales', type: 'ORG_GROUP' }));
      expect(await statusOf('/groups', body)).toBe(413);
      expect(await statusOf('/groups', body.subarray(0, body.length / 2))).toBe(201);
    });
  });

  it('created no collection that is not compared', async () => {
    expect(await findUnreadCollections(mongo.databases)).toEqual([]);
  });
});
