import type { Principal } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, describe, expect, it } from 'vitest';
import { orgUserPrincipal, otherPrincipals } from '../testing/neighbours.js';
import { startPlatform, type Project, type TestPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
let definitionId: string;
let assignmentId: string;
let testId: string;
beforeAll(async () => {
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
  const made = await platform.policy.tests.create.mutate(
    { projectId, definitionId, ...test },
    { context: origin },
  );
  testId = made.data.test.id;
});

type Origin = Awaited<ReturnType<TestPlatform['as']>>;

/** A call of every procedure, which succeeds for an ADMIN of the project. */
function callsOf(projectId: string): Record<string, (origin: Origin) => Promise<unknown>> {
  const { definitions, assignments, previews, tests } = platform.policy;
  const { connectionId } = project;
  const actor = { kind: 'ALL_TENANTS' } as const;
  const slsConfig = { allowedSchemas: ['public'] };
  const byTest = { projectId, definitionId, testId };
  return {
    'definitions.list': (origin) => definitions.list.query({ projectId }, { context: origin }),
    'definitions.create': (origin) =>
      definitions.create.mutate({ projectId, connectionId, name: 'New', slsConfig }, { context: origin }),
    'definitions.get': (origin) => definitions.get.query({ projectId, definitionId }, { context: origin }),
    'definitions.update': (origin) =>
      definitions.update.mutate({ projectId, definitionId, name: 'Other' }, { context: origin }),
    'definitions.delete': (origin) =>
      definitions.delete.mutate({ projectId, definitionId }, { context: origin }),
    'assignments.list': (origin) => assignments.list.query({ projectId }, { context: origin }),
    'assignments.create': (origin) =>
      assignments.create.mutate({ projectId, definitionId, scopeType: 'ALL_TENANTS' }, { context: origin }),
    'assignments.get': (origin) => assignments.get.query({ projectId, assignmentId }, { context: origin }),
    'assignments.update': (origin) =>
      assignments.update.mutate({ projectId, assignmentId, params: {} }, { context: origin }),
    'assignments.delete': (origin) =>
      assignments.delete.mutate({ projectId, assignmentId }, { context: origin }),
    'previews.preview': (origin) =>
      previews.preview.mutate({ projectId, connectionId, actor }, { context: origin }),
    'previews.diff': (origin) =>
      previews.diff.mutate({ projectId, connectionId, actor, after: {} }, { context: origin }),
    'previews.lint': (origin) => previews.lint.mutate({ projectId, connectionId }, { context: origin }),
    'previews.coverage': (origin) =>
      previews.coverage.query({ projectId, connectionId }, { context: origin }),
    'tests.list': (origin) => tests.list.query({ projectId, definitionId }, { context: origin }),
    'tests.create': (origin) =>
      tests.create.mutate(
        {
          projectId,
          definitionId,
          name: 'New',
          actor,
          sql: 'select 1',
          expect: { status: 'compiled' },
        },
        { context: origin },
      ),
    'tests.get': (origin) => tests.get.query(byTest, { context: origin }),
    'tests.update': (origin) => tests.update.mutate({ ...byTest, name: 'Other' }, { context: origin }),
    'tests.delete': (origin) => tests.delete.mutate(byTest, { context: origin }),
    'tests.run': (origin) => tests.run.mutate({ projectId, definitionId }, { context: origin }),
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
  'tests.get',
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
  it('requires an ADMIN, whatever the project', async () => {
    const principals = everybodyElse();
    const refused = principals.map(() => 'FORBIDDEN');
    expect(await refusalsOf(call, project.projectId, principals)).toEqual(refused);
    // The role is checked first, so that other roles do not learn which projects exist.
    expect(await refusalsOf(call, 'p_none', principals)).toEqual(refused);
  });

  it('distinguishes an unknown project from one outside the token', async () => {
    const other = await platform.openProject();
    expect(await refusalsOf(call, 'p_none', [project.admin])).toEqual(['PROJECT_NOT_FOUND']);
    expect(await refusalsOf(call, other.projectId, [project.admin])).toEqual(['FORBIDDEN']);
  });
});

describe('a record of another project', () => {
  it('returns NOT_FOUND, like a missing record', async () => {
    const other = await platform.openProject();
    const { projectId, origin } = other;
    const { definitions, assignments, tests } = platform.policy;
    const own = (await other.define()).definition.id;
    const calls = [
      () => definitions.get.query({ projectId, definitionId }, { context: origin }),
      () => definitions.update.mutate({ projectId, definitionId, name: 'Mine' }, { context: origin }),
      () => definitions.delete.mutate({ projectId, definitionId }, { context: origin }),
      () => assignments.get.query({ projectId, assignmentId }, { context: origin }),
      () => assignments.update.mutate({ projectId, assignmentId, params: null }, { context: origin }),
      () => assignments.delete.mutate({ projectId, assignmentId }, { context: origin }),
      () => tests.list.query({ projectId, definitionId }, { context: origin }),
      () => tests.run.mutate({ projectId, definitionId }, { context: origin }),
      () => tests.get.query({ projectId, definitionId, testId }, { context: origin }),
      () => tests.get.query({ projectId, definitionId: own, testId }, { context: origin }),
      () => tests.delete.mutate({ projectId, definitionId, testId }, { context: origin }),
      () => tests.delete.mutate({ projectId, definitionId: own, testId }, { context: origin }),
      () => definitions.get.query({ projectId, definitionId: 'usd_none' }, { context: origin }),
    ];
    for (const call of calls) {
      const { code, message } = await platform.refusalOf(call);
      expect({ code, message }).toEqual({ code: 'NOT_FOUND', message: 'Not found' });
    }
  });
});
