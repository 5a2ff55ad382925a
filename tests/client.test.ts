import { createClient, GatehouseError, type Answer, type Client } from '@gatehouse/client';
import {
  ERROR_STATUS,
  findProcedure,
  hasEntityTag,
  pagedAnswerOf,
  routes,
  type Route,
} from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from './src/api.js';
import { askInBrowser, bundleForBrowsers } from './src/browserBundle.js';
import { clientOf, inputOf, methodOf } from './src/clientCalls.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { refusals, specimens } from './src/statusCases/allCases.js';
import { makeStatusWorld, type Prepare, type World } from './src/statusCases/statusCase.js';
import { VERSION_CONTROL_SETTINGS } from './src/statusCases/versionControlCases.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const specimenOf = ({ operationId }: Route): Prepare => {
  const prepare = Object.entries(specimens).find(([name]) => name === operationId)?.[1];
  if (!prepare) throw new Error(`There is no specimen of ${operationId}`);
  return prepare;
};
const rows = routes.map((route) => [route.operationId, route] as const);
/** One refusal for each code of each area: what the client makes of an answer differs by these alone. */
const refused = rows
  .flatMap(([name, route]) => {
    const listed = Object.entries(refusals).find(([known]) => known === name)?.[1] ?? [];
    return listed.map((refusal) => [`${name}: ${refusal[1]}`, route, refusal] as const);
  })
  .filter(([, { area }, [code]], index, all) => {
    const first = all.findIndex(([, route, refusal]) => route.area === area && refusal[0] === code);
    return first === index;
  });

describe('the client, on a platform,', () => {
  let server: TestServer;
  let world: World;

  beforeAll(async () => {
    server = await startTestStandalone({
      REQUEST_TIMEOUT_MS: '5000',
      ...WEBHOOK_SETTINGS,
      ...VERSION_CONTROL_SETTINGS,
    });
    world = await makeStatusWorld(await createApi(server.credentials), server.credentials.adminOrgUserId);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(refused)('is refused %s', async (_, route, [code, , prepare, field]) => {
    const request = await prepare(world);
    const { withResponse } = clientOf(server.baseUrl, request);
    const call = methodOf<Promise<unknown>>(withResponse, route)(inputOf(request));
    const error = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(GatehouseError);
    const fields = error instanceof GatehouseError ? error.fieldErrors.map((fault) => fault.field) : [];
    expect(error).toMatchObject({
      status: ERROR_STATUS[code],
      code,
      area: route.area,
      requestId: expect.any(String) as unknown,
    });
    expect(fields).toEqual(expect.arrayContaining(field === undefined ? [] : [field]));
  });

  // Not at once with the refusals, some of which need what there is to be as it was.
  it.each(rows)('calls %s', async (_, route) => {
    const request = await specimenOf(route)(world);
    const { withResponse } = clientOf(server.baseUrl, request);
    const call = methodOf<Promise<Answer<unknown>>>(withResponse, route);
    const { data, etag, requestId, isReplayed } = await call(inputOf(request));
    const { output } = findProcedure(route.procedure);
    expect(data).toEqual((route.pages ? pagedAnswerOf(route) : output).parse(data));
    expect([etag !== null, isReplayed, typeof requestId]).toEqual([hasEntityTag(route), false, 'string']);
  });

  const streamed = rows.filter(([, { pages }]) => pages !== undefined);
  it.each(streamed)('reads %s line by line, the same as at once', async (name, route) => {
    const request = await specimenOf(route)(world);
    const client = clientOf(server.baseUrl, request);
    const { items = '', item = '' } = route.pages ?? {};
    const found: unknown[] = [];
    let summary: Record<string, unknown> = {};
    const lines = methodOf<AsyncIterable<Record<string, unknown>>>(client.stream, route)(inputOf(request));
    for await (const { type, ...line } of lines) {
      if (type === item) found.push(line[item]);
      if (type === 'summary') summary = line;
    }
    expect(
      pagedAnswerOf(route)
        .strict()
        .safeParse({ ...summary, [items]: found }).error?.issues ?? [],
    ).toEqual([]);
    expect([name, found.length]).not.toEqual([name, 0]);
  });

  it('gives all items of a list, however small its pages', async () => {
    const client = clientOf(server.baseUrl, { session: world.admin });
    const idsOf = async (list: AsyncIterable<{ id: string }>) => {
      const ids: string[] = [];
      for await (const { id } of list) ids.push(id);
      return ids;
    };
    const walk = async (pick: (limit: number) => AsyncIterable<{ id: string }>) => {
      const [small, large] = [await idsOf(pick(3)), await idsOf(pick(100))];
      expect(small).toEqual(large);
      expect(new Set(small).size).toBe(small.length);
      return small.length;
    };
    const counts = [
      await walk((limit) => client.items.listDashboards({ scope: 'organization', sort: 'title', limit })),
      await walk((limit) => client.items.listGroups({ limit })),
      await walk((limit) => client.items.listOrgUsers({ limit })),
      await walk((limit) => client.items.listTenantUsers({ limit })),
    ];
    expect(counts.filter((count) => count <= 3)).toEqual([]);
  });

  it('works with what every browser has, and nothing else', async () => {
    const { code, imports } = await bundleForBrowsers();
    expect(imports).toEqual([]);
    const { projectId, projectSecret } = server.credentials;
    const told = await askInBrowser(code, {
      baseUrl: server.baseUrl,
      credentials: { projectId, projectSecret, orgUserId: server.credentials.adminOrgUserId },
    });
    expect(told).toMatchObject({ titles: ['Made in a browser'], summaries: 1, refusal: 'NOT_FOUND' });
  });

  describe('with credentials', () => {
    const connect = (): Client => {
      const { projectId, projectSecret, adminOrgUserId } = server.credentials;
      const credentials = { projectId, projectSecret, orgUserId: adminOrgUserId };
      return createClient({ baseUrl: server.baseUrl, credentials });
    };

    it('goes on with another token when its own was revoked', async () => {
      const client = connect();
      await client.invalidateToken();
      expect((await client.listProjects()).projects).not.toEqual([]);
    });

    it('changes a record only as it was read', async () => {
      const client = connect();
      const { dashboard } = await client.createDashboard({ title: 'Sales' });
      const { etag } = await client.withResponse.getDashboard({ id: dashboard.id });
      if (etag === null) throw new Error('There is no entity tag');
      await client.updateDashboard({ id: dashboard.id, title: 'Revenue' }, { ifMatch: etag });
      const late = client.updateDashboard({ id: dashboard.id, title: 'Income' }, { ifMatch: etag });
      await expect(late).rejects.toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' });
      expect((await client.getDashboard({ id: dashboard.id })).dashboard.title).toBe('Revenue');
    });

    it('makes one record of a request whose first answer was lost', async () => {
      let isLost = false;
      const client = createClient({
        baseUrl: server.baseUrl,
        accessToken: world.admin.token,
        async fetch(...request) {
          const response = await fetch(...request);
          if (isLost) return response;
          isLost = true;
          await response.text();
          throw new TypeError('The connection was lost');
        },
      });
      const answer = await client.withResponse.createDashboard({ title: 'Made once' });
      expect([isLost, answer.isReplayed]).toEqual([true, true]);
      const { dashboards } = await client.listDashboards({ search: 'Made once' });
      expect(dashboards.map(({ id }) => id)).toEqual([answer.data.dashboard.id]);
    });
  });
});
