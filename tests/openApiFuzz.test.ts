import { routes, type OpenApiDocument, type Route } from '@gatehouse/contract';
import { createOpenApiDocument } from '@gatehouse/contract/openapi';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import type { KnownIds } from './src/badInput/randomInput.js';
import { fieldsIn, requestOf } from './src/badInput/routeRequests.js';
import { makeVictims, openTokens } from './src/badInput/victims.js';
import { exchange } from './src/exchange.js';
import { Arbitraries, spoil } from './src/openApi/arbitraries.js';
import { DocumentJudge, type TextAnswer } from './src/openApi/documentJudge.js';
import { HarvestedIds } from './src/openApi/harvestedIds.js';
import { wireFaultsIn } from './src/openApi/wireErrors.js';
import { addPeople, type People } from './src/people.js';
import { forms, type TestServer } from './src/servers.js';
import { rowsOf } from './src/turns.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const RUNS_PER_ROUTE = randomRuns(16, 150);
/** A request that the document allows is never rejected because of one of these. */
const STRUCTURAL = new Set(['required', 'type', 'unknown']);
/** Fields with rules that the document does not express: of stored records, and between fields. */
const OTHER_RULES: Readonly<Record<string, readonly string[]>> = {
  introspectConnection: ['catalog'],
  createPolicyTest: ['sampleData'],
  updatePolicyTest: ['sampleData'],
  updateConnection: ['config'],
  updateConnectionByPut: ['config'],
  listTenantUsers: ['page', 'pageSize'],
};

/** An update in a batch needs a field to change beside its id, which the document does not express. */
const isWithoutChange = ({ field, code }: { field: string; code: string }) =>
  code === 'required' && /^operations\[\d+\]$/.test(field);

const document = createOpenApiDocument();
const judge = new DocumentJudge(document);

describe.each(forms)('the server and the OpenAPI document ($form)', ({ form, start }) => {
  const harvested = new HarvestedIds();
  let server: TestServer;
  let api: Api;
  let people: People;
  let tokens: Record<string, string | null>;

  beforeAll(async () => {
    server = await start(WEBHOOK_SETTINGS);
    api = await createApi(server.credentials);
    people = await addPeople(api);
    tokens = await openTokens(api, people);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function send(
    route: Route,
    input: Record<string, unknown>,
    token: string | null,
  ): Promise<TextAnswer> {
    const { method, path, headers, body } = requestOf(route, input);
    return exchange(new URL(server.baseUrl + path), {
      method,
      headers: {
        ...(headers as Record<string, string>),
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body,
    });
  }

  /** The difference between the document and what the server did; null for none. */
  function compare(route: Route, input: Record<string, unknown>, answer: TextAnswer): string | null {
    const fault = judge.judgeAnswer(route, answer);
    if (fault !== null) return fault;
    const refusal = judge.judgeInput(route, input);
    if (refusal !== null) return answer.status < 400 ? `accepts an input of which ${refusal}` : null;
    if (answer.status !== 400) return null;
    const faults = wireFaultsIn(JSON.parse(answer.text));
    const excepted = OTHER_RULES[route.operationId] ?? [];
    const structural = faults.filter(
      (each) =>
        STRUCTURAL.has(each.code) &&
        !excepted.includes(each.field.split('.')[0] ?? '') &&
        !isWithoutChange(each),
    );
    return structural.length > 0 ? `rejects an allowed input: ${answer.text}` : null;
  }

  function requestsTo(route: Route, ids: KnownIds): fc.Arbitrary<Record<string, unknown>> {
    const right = new Arbitraries(document, judge, ids).inputOf(route);
    const body = fieldsIn('body', route);
    return fc.oneof(
      { weight: 2, arbitrary: right },
      { weight: 1, arbitrary: right.chain((input) => spoil(input, body)) },
    );
  }

  const rows = rowsOf(form, routes).map((route) => [`${route.method} ${route.path}`, route] as const);

  it.each(rows)('agree on %s', async (_, route) => {
    const owners = [people.author.session, people.tenant.powerUser.session, people.admin.session];
    const ids = harvested.join(route, await makeVictims(api, owners, route));
    const callers = fc.oneof(
      { weight: 6, arbitrary: fc.constant('admin') },
      { weight: 1, arbitrary: fc.constantFrom(...Object.keys(tokens)) },
    );
    const property = fc.asyncProperty(callers, requestsTo(route, ids), async (caller, input) => {
      const answer = await send(route, input, tokens[caller] ?? null);
      expect(compare(route, input, answer)).toBeNull();
      harvested.add(route, answer);
    });
    await fc.assert(property, { numRuns: RUNS_PER_ROUTE });
    if (route.operationId === 'invalidateToken') tokens = await openTokens(api, people);
    // The dashboards for the later routes are created without a commit message.
    if (route.operationId === 'putVersionControl')
      succeeded(await api.admin.put('/version-control', { commitOnSave: 'optional', remote: null }));
  });
});

describe('the OpenAPI document', () => {
  const project = { projectId: 'p_1', projectSecret: 's' };
  const dashboard = { dashboardId: 'd_1', dashboardSecret: 's' };

  it.each([
    ['issueToken', project],
    ['issueToken', { ...project, type: 'project' }],
    ['issueToken', { ...dashboard, type: 'dashboard', projectId: 'p_1' }],
    ['createSignInCode', { ...project, orgUserId: 'ou_1' }],
  ])('allows for %s the credentials of %j', (operationId, input) => {
    const route = routes.find((known) => known.operationId === operationId);
    expect(route && judge.judgeInput(route, input)).toBeNull();
  });

  it.each([
    ['issueToken', { ...dashboard, type: 'project' }],
    ['issueToken', { ...project, type: 'dashboard' }],
    ['issueToken', { ...project, dashboardId: 'd_1' }],
    ['issueToken', { ...project, ...dashboard }],
    ['createSignInCode', { ...project, orgUserId: 'ou_1', type: 'dashboard' }],
  ])('allows for %s no credentials of another type: %j', (operationId, input) => {
    const route = routes.find((known) => known.operationId === operationId);
    expect(route && judge.judgeInput(route, input)).toBeTypeOf('string');
  });
});

describe('a document that differs from the server', () => {
  const list = routes.find(({ operationId }) => operationId === 'listTenants');
  const answer: TextAnswer = {
    status: 200,
    headers: new Headers({ 'content-type': 'application/json' }),
    text: JSON.stringify({ tenants: [], total: 0, limit: 50, offset: 0, nextCursor: null }),
  };
  const changed = (change: (copy: OpenApiDocument) => void) => {
    const copy = structuredClone(document);
    change(copy);
    return new DocumentJudge(copy);
  };

  it('is found by a field of another type, an undeclared status, an undeclared code', () => {
    if (!list) throw new Error('There is no listTenants');
    expect(judge.judgeAnswer(list, answer)).toBeNull();
    const wrongCopy = changed(({ components }) => {
      const { properties = {} } = components.schemas['ListTenantsResponse'] ?? {};
      properties['total'] = { type: 'string' };
    });
    expect(wrongCopy.judgeAnswer(list, answer)).toContain('/total must be string');
    const withoutStatus = changed(({ paths }) => {
      delete paths[list.path]?.['get']?.responses['200'];
    });
    expect(withoutStatus.judgeAnswer(list, answer)).toContain('status 200 is not declared');
    expect(judge.judgeAnswer(list, { ...answer, status: 418 })).toContain('status 418 is not declared');
    expect(judge.judgeInput(list, { limit: 0 })).toContain('limit');
  });
});
