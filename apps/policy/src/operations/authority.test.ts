import type { Principal } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orgUserPrincipal, otherPrincipals } from '../testing/neighbours.js';
import { startPlatform, type Project, type TestPlatform } from '../testing/platform.js';

let mongo: TestMongo;
let platform: TestPlatform;
let project: Project;
let definitionId: string;
let assignmentId: string;
let testId: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
  project = await platform.openProject();
  definitionId = (await project.define()).definition.id;
  assignmentId = (await project.assign(definitionId, { scopeType: 'ALL_TENANTS' })).assignment.id;
  const { origin, projectId } = project;
  const test = {
    name: 'Any',
    actor: { kind: 'ALL_TENANTS' },
    sql: 'select 1',
    expect: { status: 'compiled' },
  } as const;
  const made = await platform.policy.tests.create(origin, { projectId, definitionId, ...test });
  testId = made.data.test.id;
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

type Origin = Awaited<ReturnType<TestPlatform['as']>>;

/** A call of every procedure that would succeed as an ADMIN of the project. */
function callsOf(projectId: string): Record<string, (origin: Origin) => Promise<unknown>> {
  const { definitions, assignments, previews, tests } = platform.policy;
  const { connectionId } = project;
  const actor = { kind: 'ALL_TENANTS' } as const;
  const slsConfig = { allowedSchemas: ['public'] };
  const byTest = { projectId, definitionId, testId };
  return {
    'definitions.list': (origin) => definitions.list(origin, { projectId }),
    'definitions.create': (origin) =>
      definitions.create(origin, { projectId, connectionId, name: 'New', slsConfig }),
    'definitions.get': (origin) => definitions.get(origin, { projectId, definitionId }),
    'definitions.update': (origin) => definitions.update(origin, { projectId, definitionId, name: 'Other' }),
    'definitions.delete': (origin) => definitions.delete(origin, { projectId, definitionId }),
    'assignments.list': (origin) => assignments.list(origin, { projectId }),
    'assignments.create': (origin) =>
      assignments.create(origin, { projectId, definitionId, scopeType: 'ALL_TENANTS' }),
    'assignments.get': (origin) => assignments.get(origin, { projectId, assignmentId }),
    'assignments.update': (origin) => assignments.update(origin, { projectId, assignmentId, params: {} }),
    'assignments.delete': (origin) => assignments.delete(origin, { projectId, assignmentId }),
    'previews.preview': (origin) => previews.preview(origin, { projectId, connectionId, actor }),
    'previews.diff': (origin) => previews.diff(origin, { projectId, connectionId, actor, after: {} }),
    'previews.lint': (origin) => previews.lint(origin, { projectId, connectionId }),
    'previews.coverage': (origin) => previews.coverage(origin, { projectId, connectionId }),
    'tests.list': (origin) => tests.list(origin, { projectId, definitionId }),
    'tests.create': (origin) =>
      tests.create(origin, {
        projectId,
        definitionId,
        name: 'New',
        actor,
        sql: 'select 1',
        expect: { status: 'compiled' },
      }),
    'tests.update': (origin) => tests.update(origin, { ...byTest, name: 'Other' }),
    'tests.delete': (origin) => tests.delete(origin, byTest),
    'tests.run': (origin) => tests.run(origin, { projectId, definitionId }),
  };
}

const CALLS = [
  'definitions.list',
  'definitions.create',
  'definitions.get',
  'definitions.update',
  'definitions.delete',
  'assignments.list',
  'assignments.create',
  'assignments.get',
  'assignments.update',
  'assignments.delete',
  'previews.preview',
  'previews.diff',
  'previews.lint',
  'previews.coverage',
  'tests.list',
  'tests.create',
  'tests.update',
  'tests.delete',
  'tests.run',
];

async function refusalsOf(call: string, projectId: string, principals: Principal[]): Promise<string[]> {
  const codes: string[] = [];
  for (const principal of principals) {
    const origin = await platform.as(principal);
    const refusal = await platform.refusalOf(async () => callsOf(projectId)[call]?.(origin));
    codes.push(refusal.code);
  }
  return codes;
}

function everybodyElse(): Principal[] {
  const { organizationId, projectId, admin } = project;
  const ground = { organizationId, projectId };
  const author = orgUserPrincipal(platform.people.orgUser('ou_author', 'AUTHOR'), ground);
  const viewer = orgUserPrincipal(platform.people.orgUser('ou_viewer', 'VIEWER'), ground);
  const byDashboard = { ...admin, tokenType: 'dashboard', dashboardId: 'd_1' } as const;
  return [
    author,
    viewer,
    byDashboard,
    ...otherPrincipals(platform.people.tenantUser('nora', 't_north'), ground),
  ];
}

describe.each(CALLS)('%s', (call) => {
  it('is for an ADMIN alone, whatever the project', async () => {
    const principals = everybodyElse();
    const refused = principals.map(() => 'FORBIDDEN');
    expect(await refusalsOf(call, project.projectId, principals)).toEqual(refused);
    // The role is asked first: who has none does not learn which projects exist.
    expect(await refusalsOf(call, 'p_none', principals)).toEqual(refused);
  });

  it('tells an unknown project from one that the token is not for', async () => {
    const other = await platform.openProject();
    expect(await refusalsOf(call, 'p_none', [project.admin])).toEqual(['PROJECT_NOT_FOUND']);
    expect(await refusalsOf(call, other.projectId, [project.admin])).toEqual(['FORBIDDEN']);
  });
});

describe('a record of another project', () => {
  it('is not found, as one that does not exist', async () => {
    const other = await platform.openProject();
    const { projectId, origin } = other;
    const { definitions, assignments, tests } = platform.policy;
    const own = (await other.define()).definition.id;
    const calls = [
      () => definitions.get(origin, { projectId, definitionId }),
      () => definitions.update(origin, { projectId, definitionId, name: 'Mine' }),
      () => definitions.delete(origin, { projectId, definitionId }),
      () => assignments.get(origin, { projectId, assignmentId }),
      () => assignments.update(origin, { projectId, assignmentId, params: null }),
      () => assignments.delete(origin, { projectId, assignmentId }),
      () => tests.list(origin, { projectId, definitionId }),
      () => tests.run(origin, { projectId, definitionId }),
      () => tests.delete(origin, { projectId, definitionId, testId }),
      () => tests.delete(origin, { projectId, definitionId: own, testId }),
      () => definitions.get(origin, { projectId, definitionId: 'usd_none' }),
    ];
    for (const call of calls) {
      const { code, message } = await platform.refusalOf(call);
      expect({ code, message }).toEqual({ code: 'NOT_FOUND', message: 'Not found' });
    }
  });
});
