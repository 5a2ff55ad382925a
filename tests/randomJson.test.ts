import { Agent } from 'node:http';
import { routes, type RouteArea } from '@gatehouse/contract';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { randomRequests } from './src/badInput/randomInput.js';
import { sendRaw, type RawAnswer, type RawRequest } from './src/badInput/rawRequests.js';
import { judgeErrorBody } from './src/badInput/refusals.js';
import { makeVictims, openTokens } from './src/badInput/victims.js';
import { addPeople, type People } from './src/people.js';
import { forms, type TestServer } from './src/servers.js';
import { rowsOf } from './src/turns.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const RUNS_PER_ROUTE = randomRuns(20);
const EXPECTED_STATUSES = [200, 201, 400, 401, 403, 404];
/** On a slow machine each route has few runs. After so many more, no status is missing by chance. */
const FURTHER_RUNS_MAX = 1000;

const agent = new Agent({ keepAlive: true });
const statuses = new Map<number, number>();
let server: TestServer;
let api: Api;
let people: People;
let tokens: Record<string, string | null>;

describe.each(forms)('in the mode $form', ({ form, start }) => {
  beforeAll(async () => {
    server = await start(WEBHOOK_SETTINGS);
    api = await createApi(server.credentials);
    people = await addPeople(api);
    tokens = await openTokens(api, people);
  });

  afterAll(async () => {
    agent.destroy();
    await server[Symbol.asyncDispose]();
  });

  async function send(request: RawRequest, token: string | null): Promise<RawAnswer> {
    const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const answer = await sendRaw(
      server.baseUrl,
      { ...request, headers: { ...authorization, ...request.headers } },
      agent,
    );
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    return answer;
  }

  /** The possible forms of an error of this path: another method may belong to another area, or to none. */
  function areasOf(path: string): RouteArea[] {
    return [
      ...new Set([
        'management' as const,
        ...routes.filter((route) => route.path === path).map(({ area }) => area),
      ]),
    ];
  }

  const missing = () => EXPECTED_STATUSES.filter((status) => !statuses.has(status));

  function judge(answer: RawAnswer, areas: RouteArea[]): string | null {
    if (answer.status >= 500) return `${answer.status}: ${answer.text}`;
    if (answer.status >= 400) {
      const faults = areas.map((area) => judgeErrorBody(answer, area));
      return faults.includes(null) ? null : `${faults.join(', ')}: ${answer.text}`;
    }
    return typeof JSON.parse(answer.text) === 'object' ? null : answer.text;
  }

  describe('random JSON', () => {
    it.each(rowsOf(form, routes).map((route) => [`${route.method} ${route.path}`, route] as const))(
      'never breaks %s, for any caller',
      async (_, route) => {
        const owners = [people.author.session, people.tenant.powerUser.session, people.admin.session];
        const ids = await makeVictims(api, owners, route);
        const areas = areasOf(route.path);
        const property = fc.asyncProperty(
          fc.oneof(fc.constant('admin'), fc.constantFrom(...Object.keys(tokens))),
          randomRequests(route, ids),
          async (caller, request) => {
            expect(judge(await send(request, tokens[caller] ?? null), areas)).toBeNull();
          },
        );
        await fc.assert(property, { numRuns: RUNS_PER_ROUTE });
        if (route.operationId === 'invalidateToken') tokens = await openTokens(api, people);
      },
    );

    it('has passed the checks, and reached every kind of error', async () => {
      const callers = fc.constantFrom(...Object.keys(tokens));
      const owners = [people.admin.session];
      for (let run = 0; run < FURTHER_RUNS_MAX && missing().length > 0; run += 1) {
        const route = routes[run % routes.length];
        if (!route) break;
        const requests = randomRequests(route, await makeVictims(api, owners, route));
        const [[caller, request] = []] = fc.sample(fc.tuple(callers, requests), 1);
        if (request && caller !== undefined) await send(request, tokens[caller] ?? null);
      }
      expect(missing()).toEqual([]);
    });
  });
});
