import type { DashboardSummary, Group, GroupMember, Project, TenantUser } from '@gatehouse/contract';
import { findProcedure, routes } from '@gatehouse/contract';
import { afterAll, beforeAll, expect, expectTypeOf, it } from 'vitest';
import { createClient, type Client, type ListInput, type ListItem, type ListOperationId } from './index.js';
import { startScriptedServer, type ScriptedServer } from './testing/scriptedServer.js';

let server: ScriptedServer;
let client: Client;

beforeAll(async () => {
  server = await startScriptedServer();
  client = createClient({ baseUrl: server.baseUrl, accessToken: 'a.b.c' });
});
afterAll(() => server[Symbol.asyncDispose]());

const queries = () => server.received.map(({ query }) => query.toString());
const idsOf = async (items: AsyncIterable<{ id: string }>) => {
  const ids: string[] = [];
  for await (const { id } of items) ids.push(id);
  return ids;
};
const records = (...ids: string[]) => ids.map((id) => ({ id }));

it('yields all items of a list with cursors', async () => {
  server.script(
    { body: { dashboards: records('d_1', 'd_2'), nextCursor: 'c+1' } },
    { body: { dashboards: [], nextCursor: 'c2' } },
    { body: { dashboards: records('d_3'), nextCursor: null } },
  );
  expect(await idsOf(client.items.listDashboards({ tag: 'a b', limit: 2 }))).toEqual(['d_1', 'd_2', 'd_3']);
  expect(queries()).toEqual(['tag=a+b&limit=2', 'tag=a+b&limit=2&cursor=c%2B1', 'tag=a+b&limit=2&cursor=c2']);
});

it('ends where a list has no next cursor', async () => {
  server.script({ body: { users: records('u1', 'u2'), total: 2 } });
  expect(await idsOf(client.items.listTenantUsers())).toEqual(['u1', 'u2']);
  expect(queries()).toEqual(['']);
});

it('requests no page that is not read', async () => {
  server.script({ body: { dashboards: records('d_1'), nextCursor: 'more' } });
  for await (const { id } of client.items.listDashboards()) {
    expect(id).toBe('d_1');
    break;
  }
  expect(server.received).toHaveLength(1);
});

it('exists for every paginated list, each with one array of items', () => {
  const paged = routes.filter((route) => Object.hasOwn(client.items, route.operationId));
  expect(Object.keys(client.items)).toEqual(
    expect.arrayContaining(['listDashboards', 'listDashboardViewers', 'listGroupMembers', 'listAuditEvents']),
  );
  const asks = routes.filter(
    ({ operationId, query, pages }) =>
      query.includes('limit') && pages === undefined && operationId !== 'getPolicyCoverage',
  );
  expect(paged).toEqual(asks);
  for (const { procedure } of paged) {
    const { output } = findProcedure(procedure);
    const shape = 'shape' in output ? (output.shape as Record<string, { type: string }>) : {};
    expect(Object.values(shape).filter(({ type }) => type === 'array').length).toBeGreaterThan(0);
  }
});

it('has the types of the contract', () => {
  expectTypeOf<ListItem<'listDashboards'>>().toEqualTypeOf<DashboardSummary>();
  expectTypeOf<ListItem<'listGroups'>>().toEqualTypeOf<Group>();
  expectTypeOf<ListItem<'listGroupMembers'>>().toEqualTypeOf<GroupMember>();
  expectTypeOf<ListItem<'listTenantUsers'>>().toEqualTypeOf<TenantUser>();
  expectTypeOf<ListItem<'listProjects'>>().toEqualTypeOf<Project>();
  expectTypeOf<'exportAuditEvents'>().not.toExtend<ListOperationId>();
  expectTypeOf<'cursor'>().not.toExtend<keyof ListInput<'listDashboards'>>();
});
