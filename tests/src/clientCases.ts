import {
  ERROR_STATUS,
  findProcedure,
  hasEntityTag,
  pagedAnswerOf,
  routes,
  type FieldError,
  type Route,
} from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { inputOf } from './clientCalls.js';
import type { Connection, Outcome, RunProgram, Thrown } from './clientPrograms.js';
import { refusals, specimens } from './statusCases/allCases.js';
import type { Prepare, RouteRequest, World } from './statusCases/statusCase.js';
import { VERSION_CONTROL_SETTINGS } from './statusCases/versionControlCases.js';
import { WEBHOOK_SETTINGS } from './webhookRecords.js';

/** The credentials for a platform, and the environment of the client. */
export interface ClientWorld {
  world: World;
  baseUrl: string;
  /** As the ADMIN, with tokens that can be renewed. */
  renewable: Connection;
  run: RunProgram;
}

/** The settings of the platform for the cases. */
export const CLIENT_CASE_SETTINGS = {
  REQUEST_TIMEOUT_MS: '5000',
  ...WEBHOOK_SETTINGS,
  ...VERSION_CONTROL_SETTINGS,
};

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

/**
 * The result of a program.
 * @throws Error with what it threw instead
 */
export function valueOf<T>(outcome: Outcome<T>): T {
  if ('value' in outcome) return outcome.value;
  throw new Error(`The program threw ${JSON.stringify(outcome.thrown)}`);
}

/**
 * The error of a program.
 * @throws Error with its result instead
 */
export function thrownOf(outcome: Outcome<unknown>): Thrown {
  if ('thrown' in outcome) return outcome.thrown;
  throw new Error(`The program gave ${JSON.stringify(outcome.value)}`);
}

/** The cases of the client in every environment. */
export function describeClient(find: () => ClientWorld): void {
  const askAs = (
    { session, ...request }: RouteRequest,
    { operationId }: Route,
  ): [Connection, { operationId: string; input: Record<string, unknown> }] => [
    { baseUrl: find().baseUrl, accessToken: session?.token },
    { operationId, input: inputOf(request) },
  ];

  it.each(refused)('throws %s', async (_, route, [code, , prepare, field]) => {
    const { world, run } = find();
    const thrown = thrownOf(await run('call', ...askAs(await prepare(world), route)));
    expect(thrown).toMatchObject({
      type: 'GatehouseError',
      status: ERROR_STATUS[code],
      code,
      area: route.area,
      requestId: expect.any(String) as unknown,
    });
    const fields = (thrown['fieldErrors'] as FieldError[]).map((fault) => fault.field);
    expect(fields).toEqual(expect.arrayContaining(field === undefined ? [] : [field]));
  });

  // Not at once with the refusals, some of which need what there is to be as it was.
  it.each(rows)('calls %s', async (_, route) => {
    const { world, run } = find();
    const answer = valueOf(await run('call', ...askAs(await specimenOf(route)(world), route)));
    const { data, etag, requestId, isReplayed } = answer;
    const { output } = findProcedure(route.procedure);
    expect(data).toEqual((route.pages ? pagedAnswerOf(route) : output).parse(data));
    expect([etag !== null, isReplayed, typeof requestId]).toEqual([hasEntityTag(route), false, 'string']);
  });

  const streamed = rows.filter(([, { pages }]) => pages !== undefined);
  it.each(streamed)('reads %s line by line, with the same result', async (name, route) => {
    const { world, run } = find();
    const lines = valueOf(await run('readLines', ...askAs(await specimenOf(route)(world), route)));
    const { items = '', item = '' } = route.pages ?? {};
    const found = lines.filter(({ type }) => type === item).map((line) => line[item]);
    const { type: _type, ...summary } = lines.find(({ type }) => type === 'summary') ?? {};
    expect(
      pagedAnswerOf(route)
        .strict()
        .safeParse({ ...summary, [items]: found }).error?.issues ?? [],
    ).toEqual([]);
    expect([name, found.length]).not.toEqual([name, 0]);
  });

  it('continues after a stream that was cancelled', async () => {
    const { types, projects } = valueOf(await find().run('leaveStream', find().renewable));
    expect(types).toHaveLength(1);
    expect(projects).not.toEqual([]);
  });

  it.each([
    ['listDashboards', { scope: 'organization', sort: 'title' }],
    ['listGroups', {}],
    ['listOrgUsers', {}],
    ['listTenantUsers', {}],
  ])('gives all items of %s, however small its pages', async (operationId, query) => {
    const { run, renewable } = find();
    const walk = async (limit: number) =>
      valueOf(await run('readIds', renewable, { operationId, input: { ...query, limit } }));
    const [small, large] = [await walk(3), await walk(100)];
    expect(small).toEqual(large);
    expect(new Set(small).size).toBe(small.length);
    expect(small.length).toBeGreaterThan(3);
  });

  it('creates one record for a request whose first response was lost', async () => {
    const { run, baseUrl, world } = find();
    const connection = { baseUrl, accessToken: world.admin.token };
    const made = valueOf(await run('createDespiteLostAnswer', connection, 'Made once'));
    expect(made).toMatchObject({ isLost: true, isReplayed: true, found: [made.created] });
  });

  it('throws the reason of the signal that cancelled a call', async () => {
    const { run, baseUrl, world } = find();
    const thrown = thrownOf(await run('giveUp', { baseUrl, accessToken: world.admin.token }));
    expect(thrown).toMatchObject({ type: null, message: 'Enough' });
  });

  describe('with tokens that it can renew', () => {
    it('continues with another one after its own was revoked', async () => {
      expect(valueOf(await find().run('revokeTokenAndGoOn', find().renewable))).not.toEqual([]);
    });

    it('changes a record only in the version that it read', async () => {
      const { late, title } = valueOf(await find().run('changeTwiceAsRead', find().renewable));
      expect(late).toMatchObject({ type: 'GatehouseError', status: 412, code: 'PRECONDITION_FAILED' });
      expect(title).toBe('Revenue');
    });
  });
}
