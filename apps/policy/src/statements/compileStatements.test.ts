import type { InputOf, PolicyActor, Principal, Services, UserFacts } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orgUserPrincipal } from '../testing/neighbours.js';
import { fieldsOf, ORDERS, startPlatform, TENANT_RULE, type Project } from '../testing/platform.js';

type Request = Omit<InputOf<Services['policy']['procedures']['statements']['compile']>, 'connectionId'>;

const { platform } = await usePlatform(startPlatform);
let project: Project;
let nora: UserFacts;
let sam: UserFacts;
let ada: UserFacts;

const TOKEN = { tokenType: 'project', tokenId: 'token', tokenExpiresAt: 4_000_000_000 } as const;
const baseOf = ({ organizationId, projectId }: Project) => ({ ...TOKEN, organizationId, projectId });

/** The principal of a tenant user. */
function tenantUser({ userId, userKey, email, role, tenantId, tenantKey }: UserFacts): Principal {
  const person = { userId, userKey, email, role, groupIds: [] };
  return {
    kind: 'tenantUser',
    ...baseOf(project),
    ...person,
    tenantId: tenantId ?? '',
    tenantKey: tenantKey ?? '',
  };
}
const compiler = (): Principal => ({ kind: 'compiler', ...baseOf(project), tokenType: 'compiler' });

const input = (request: Request) => ({ connectionId: project.connectionId, ...request });
const compile = async (principal: Principal, request: Request) =>
  (await platform.policy.statements.compile.mutate(input(request), { context: await platform.as(principal) }))
    .data;
const refusal = (principal: Principal, request: Request) =>
  platform.refusalOf(() => compile(principal, request));
const one = { statements: [{ sql: ORDERS }] };

beforeAll(() => {
  for (const id of ['t_north', 't_south']) platform.people.tenant(id);
  nora = platform.people.tenantUser('nora', 't_north');
  sam = platform.people.tenantUser('sam', 't_south');
  ada = platform.people.orgUser('ou_ada', 'AUTHOR');
});
beforeEach(async () => {
  project = await platform.openProject();
  const { id } = (await project.define({ name: 'Own tenant' })).definition;
  await project.assign(id, { scopeType: 'TENANT', tenantId: 't_north', params: { tenant: 'north' } });
  await project.assign(id, { scopeType: 'TENANT', tenantId: 't_south', params: { tenant: 'south' } });
});

describe('a user', () => {
  it('gets its statements restricted by its own policies', async () => {
    const north = await compile(tenantUser(nora), one);
    expect(north).toMatchObject({
      dialect: 'postgres',
      results: [{ status: 'compiled', parameters: ['north'], reasons: [] }],
    });
    expect((await compile(tenantUser(sam), one)).results).toMatchObject([{ parameters: ['south'] }]);
  });

  it('is refused everything on a governed connection without an assignment', async () => {
    const { results } = await compile(orgUserPrincipal(ada, project), one);
    expect(results).toMatchObject([{ status: 'denied', sql: null, reasons: [{ code: 'UNASSIGNED' }] }]);
  });

  it.each<[string, Partial<Request>]>([
    ['actor', { actor: { kind: 'TENANT', tenantId: 't_south' } }],
    ['actor', { actor: { kind: 'ALL_TENANTS' } }],
    ['runtimeParams', { runtimeParams: { tenant: 'south' } }],
  ])('may not set %s, which would replace its own tenant', async (field, fields) => {
    for (const principal of [tenantUser(nora), project.admin]) {
      const error = await refusal(principal, { ...one, ...fields });
      expect([error.code, fieldsOf(error)]).toEqual(['INVALID_REQUEST', [field]]);
    }
  });

  it('is restricted by the policies and values of its token too', async () => {
    const policies = {
      rls: {
        rules: [
          { matcher: TENANT_RULE.matcher, expression: 'amount < {{ limit }}', params: {}, enabled: true },
        ],
      },
    };
    const principal = { ...tenantUser(nora), policies, securityParams: { limit: 10 } };
    const [result] = (await compile(principal, { statements: [{ sql: 'select id from orders' }] })).results;
    expect(result).toMatchObject({ status: 'compiled', parameters: expect.arrayContaining(['north', 10]) });
  });
});

describe('a token whose policies do not compile', () => {
  it('compiles nothing, with an error that names the policy', async () => {
    const rules = [{ matcher: TENANT_RULE.matcher, expression: 'amount <', enabled: true }];
    const error = await refusal({ ...tenantUser(nora), policies: { rls: { rules } } }, one);
    expect(fieldsOf(error)).toEqual(['token.policies.rls.rules[0].expression']);
  });
});

describe('a token without a user', () => {
  it.each(['service', 'anonymous'] as const)('of the kind %s compiles nothing', async (kind) => {
    const error = await refusal({ kind, ...baseOf(project) }, one);
    expect(error.code).toBe('FORBIDDEN');
  });

  it('of a dashboard compiles nothing, even with a user', async () => {
    const error = await refusal({ ...tenantUser(nora), tokenType: 'dashboard', dashboardId: 'd_1' }, one);
    expect(error.code).toBe('FORBIDDEN');
  });
});

describe('a compiler', () => {
  const ACTORS: PolicyActor[] = [
    { kind: 'TENANT_USER', tenantUserId: 'nora' },
    { kind: 'TENANT', tenantId: 't_south' },
    { kind: 'ORG_USER', orgUserId: 'ou_ada' },
    { kind: 'ALL_TENANTS' },
  ];
  const STATEMENTS = [ORDERS, 'select count(*) from customers c join orders o on o.id = c.id', 'delete', '('];

  it.each(ACTORS)('gets for $kind what a preview shows', async (actor) => {
    const { results } = await compile(compiler(), { actor, statements: STATEMENTS.map((sql) => ({ sql })) });
    for (const [index, sql] of STATEMENTS.entries()) {
      const {
        status,
        sql: restricted,
        parameters,
        reasons,
      } = (await project.preview({ actor, sql })).compiled;
      expect(results[index]).toEqual({ status, sql: restricted, parameters, reasons });
    }
  });

  it('may set values', async () => {
    const [actor] = ACTORS;
    const { results } = await compile(compiler(), { ...one, actor, runtimeParams: { tenant: 'given' } });
    expect(results).toMatchObject([{ parameters: ['given'] }]);
  });

  it('names an active actor of the organization', async () => {
    platform.people.tenantUser('gone', 't_north').isActive = false;
    const refused: [PolicyActor | undefined, string][] = [
      [undefined, 'actor'],
      [{ kind: 'TENANT_USER', tenantUserId: 'stranger' }, 'actor.tenantUserId'],
      [{ kind: 'TENANT_USER', tenantUserId: 'gone' }, 'actor.tenantUserId'],
      [{ kind: 'ORG_USER', orgUserId: 'nora' }, 'actor.orgUserId'],
    ];
    for (const [actor, field] of refused) {
      const error = await refusal(compiler(), { ...one, actor });
      expect([error.code, fieldsOf(error)]).toEqual(['INVALID_REQUEST', [field]]);
    }
  });

  it('reaches no other procedure of the service', async () => {
    const context = await platform.as(compiler());
    const { projectId, connectionId } = project;
    const { previews, definitions } = platform.policy;
    const actor: PolicyActor = { kind: 'TENANT_USER', tenantUserId: 'nora' };
    const calls = [
      () => previews.preview.mutate({ projectId, connectionId, actor, sql: ORDERS }, { context }),
      () => definitions.list.query({ projectId }, { context }),
    ];
    for (const call of calls) expect((await platform.refusalOf(call)).code).toBe('UNAUTHENTICATED');
  });

  it('reads no connection of another project', async () => {
    const { connectionId } = await platform.openProject();
    const context = await platform.as(compiler());
    const call = () =>
      platform.policy.statements.compile.mutate({ connectionId, ...one, actor: ACTORS[0] }, { context });
    expect(fieldsOf(await platform.refusalOf(call))).toEqual(['connectionId']);
  });
});

describe('a request', () => {
  it('has 100 statements at most, and their results in order', async () => {
    const statements = Array.from({ length: 100 }, (_, index) => ({
      sql: `select ${index} as n from countries`,
    }));
    const { results } = await compile(tenantUser(nora), { statements });
    expect(results.map((result) => result.sql)).toEqual(
      statements.map((_, index) => expect.stringContaining(`SELECT ${index} AS n`)),
    );
    const error = await refusal(tenantUser(nora), { statements: [...statements, ...one.statements] });
    expect([error.code, fieldsOf(error)]).toEqual(['INVALID_REQUEST', ['statements']]);
  });

  it('has results that are no longer together than those of one statement may be', async () => {
    // Each reference to the table repeats the value of its rule, so a short statement has a long result.
    const { id } = (await project.define({ name: 'Long value' })).definition;
    const params = { tenant: 'x'.repeat(5000) };
    await project.assign(id, { scopeType: 'TENANT_USER', tenantUserId: 'nora', params });
    const sql = Array.from({ length: 20 }, () => 'select id from orders').join(' union all ');
    const statements = Array.from({ length: 100 }, () => ({ sql }));
    const { results } = await compile(tenantUser(nora), { statements });
    expect(results[0]).toMatchObject({ status: 'compiled', reasons: [] });
    expect(results.at(-1)).toMatchObject({ status: 'denied', reasons: [{ code: 'TOO_LARGE' }] });
    expect(JSON.stringify(results).length).toBeLessThan(5_000_000);
  });

  it('stores nothing', async () => {
    const stored = await platform.database.collection('compilations').countDocuments();
    await compile(tenantUser(nora), one);
    expect(await platform.database.collection('compilations').countDocuments()).toBe(stored);
  });
});
