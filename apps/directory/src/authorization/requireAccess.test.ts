import { directory as contract, type ErrorCode, type ProcedurePath } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { callProcedure, hashSecret, newSecret, type CallOrigin } from '@gatehouse/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { createOrganization, populate, type Population, type PrincipalName } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);

const ADMINS: PrincipalName[] = ['admin'];
const GROUP_MANAGERS: PrincipalName[] = ['admin', 'author'];
const ORGANIZATION_READERS: PrincipalName[] = ['admin', 'author', 'viewer', 'service'];
const NORTH_READERS: PrincipalName[] = [...ORGANIZATION_READERS, 'northViewer', 'northPowerUser'];
const READERS: PrincipalName[] = [...NORTH_READERS, 'southPowerUser'];
const USER_READERS: PrincipalName[] = ['admin', 'service', 'northViewer', 'northPowerUser'];
const TENANT_USERS: PrincipalName[] = ['northViewer', 'northPowerUser', 'southPowerUser'];
const EVERYONE: PrincipalName[] = [...READERS, 'dashboardAdmin', 'anonymous'];

/**
 * The input of a call, and the principals that may make it. All others are denied with FORBIDDEN or
 * NOT_FOUND.
 */
interface AccessCase {
  input: Record<string, unknown>;
  allowed: PrincipalName[];
  /** Denied with NOT_FOUND: principals that may read such records, but not this one. */
  notFoundFor?: PrincipalName[];
}

/** A case for every procedure that a principal may call, by path. */
function casesOf(
  acme: Population,
  records: { north: string; org: string; session: string },
): Record<string, AccessCase> {
  const northUser = acme.principals.northViewer.userId;
  const orgUser = acme.principals.viewer.userId;
  const tenantId = acme.north.id;
  const south: PrincipalName[] = ['southPowerUser'];
  const name = 'Renamed';
  return {
    'tokens.invalidate': { input: {}, allowed: EVERYONE },
    'sessions.list': { input: {}, allowed: ['admin', 'viewer', 'author', ...TENANT_USERS] },
    'sessions.revoke': {
      input: { id: records.session },
      allowed: ['admin', 'viewer'],
      notFoundFor: ['author', ...TENANT_USERS],
    },
    'projects.list': { input: {}, allowed: ADMINS },
    'projects.create': { input: { name: 'Another' }, allowed: ADMINS },
    'projects.get': { input: { id: acme.credentials.projectId }, allowed: ADMINS },
    'projects.update': { input: { id: acme.credentials.projectId, name }, allowed: ADMINS },
    'projects.rotateSecret': { input: { id: acme.credentials.projectId }, allowed: ADMINS },
    'tenants.list': { input: {}, allowed: READERS },
    'tenants.create': { input: { name: 'West' }, allowed: ADMINS },
    'tenants.get': { input: { id: tenantId }, allowed: NORTH_READERS, notFoundFor: south },
    'tenants.update': { input: { id: tenantId, name }, allowed: ADMINS },
    'tenants.delete': { input: { id: 'empty' }, allowed: ADMINS },
    'orgUsers.list': { input: {}, allowed: ADMINS },
    'orgUsers.create': { input: { email: 'n@acme.test', name: 'N', role: 'ADMIN' }, allowed: ADMINS },
    'orgUsers.get': { input: { id: orgUser }, allowed: ADMINS },
    'orgUsers.update': { input: { id: orgUser, role: 'ADMIN' }, allowed: ADMINS },
    'orgUsers.delete': { input: { id: orgUser }, allowed: ADMINS },
    'tenantUsers.list': { input: {}, allowed: [...USER_READERS, 'southPowerUser'] },
    'tenantUsers.create': { input: { tenantId, email: 'n@acme.test' }, allowed: ADMINS },
    'tenantUsers.get': { input: { id: northUser }, allowed: USER_READERS, notFoundFor: south },
    'tenantUsers.update': { input: { id: northUser, role: 'POWER_USER' }, allowed: ADMINS },
    'tenantUsers.delete': { input: { id: northUser }, allowed: ADMINS },
    'tenantUsers.batch': {
      input: { mode: 'atomic', operations: [{ op: 'delete', id: northUser }] },
      allowed: ADMINS,
    },
    'unifiedUsers.list': { input: {}, allowed: READERS },
    'unifiedUsers.get': { input: { id: northUser }, allowed: NORTH_READERS, notFoundFor: south },
    'groups.list': { input: {}, allowed: READERS },
    'groups.create': { input: { name: 'New', type: 'ORG_GROUP' }, allowed: GROUP_MANAGERS },
    'groups.get': { input: { id: records.north }, allowed: NORTH_READERS, notFoundFor: south },
    'groups.update': { input: { id: records.north, name }, allowed: GROUP_MANAGERS },
    'groups.delete': { input: { id: records.north }, allowed: GROUP_MANAGERS },
    'groups.members': { input: { id: records.north }, allowed: NORTH_READERS, notFoundFor: south },
    'groups.addMembers': { input: { id: records.org, userIds: [orgUser] }, allowed: GROUP_MANAGERS },
    'groups.removeMembers': { input: { id: records.org, userIds: [orgUser] }, allowed: GROUP_MANAGERS },
    'groups.removeMember': { input: { id: records.org, memberId: northUser }, allowed: GROUP_MANAGERS },
    'subjects.lookup': { input: {}, allowed: EVERYONE },
    'subjects.getProject': { input: { projectId: acme.credentials.projectId }, allowed: EVERYONE },
    'subjects.getUser': { input: { userId: northUser }, allowed: EVERYONE },
    'subjects.getUsers': { input: { userIds: [northUser] }, allowed: EVERYONE },
    'subjects.listNames': { input: { emails: ['unknown@example.com'] }, allowed: EVERYONE },
    'subjects.listUsers': { input: { limit: 10 }, allowed: EVERYONE },
  };
}

/** The verbs that change nothing, so that all principals can use the same records. */
const READS = [
  'list',
  'get',
  'members',
  'lookup',
  'getUser',
  'getUsers',
  'getProject',
  'listUsers',
  'listNames',
];

/** Matches the procedures whose input names a record. */
const NAMES_A_RECORD =
  /\.(get|update|delete|batch|rotateSecret|revoke|\w*[mM]embers?)$|^tenantUsers\.create$/;

const callOf = (path: string) => (origin: CallOrigin, input: Record<string, unknown>) =>
  callProcedure(platform.services, `directory.${path}` as ProcedurePath, { origin, input });

async function codeOf(call: Promise<unknown>): Promise<ErrorCode | 'ok'> {
  return call.then(
    () => 'ok' as const,
    (error: { code: ErrorCode }) => error.code,
  );
}

async function prepare() {
  const acme = await populate(platform);
  const { groups, tenants } = platform.directory;
  const north = await groups.create.mutate(
    {
      name: 'N',
      type: 'TENANT_GROUP',
      tenantId: acme.north.id,
    },
    { context: acme.asAdmin },
  );
  const org = await groups.create.mutate({ name: 'O', type: 'ORG_GROUP' }, { context: acme.asAdmin });
  const { northViewer } = acme.principals;
  const userIds = 'userId' in northViewer ? [northViewer.userId] : [];
  await groups.addMembers.mutate({ id: org.group.id, userIds }, { context: acme.asAdmin });
  await tenants.create.mutate({ id: 'empty', name: 'Empty' }, { context: acme.asAdmin });
  const session = await openSession(acme);
  return { acme, cases: casesOf(acme, { north: north.group.id, org: org.group.id, session }) };
}

/** Signs the viewer in, and returns the id of the session. */
async function openSession({ credentials, principals }: Population): Promise<string> {
  const { sessions, tokens } = platform.directory;
  const system = { context: await platform.asSystem };
  const request = { ...credentials, orgUserId: principals.viewer.userId };
  const { signInCode } = await tokens.createSignInCode.mutate(request, system);
  const client = { address: '192.0.2.7', userAgent: 'Browser/1' };
  const cookieHash = hashSecret(newSecret());
  return (await sessions.createFromCode.mutate({ signInCode, cookieHash, ...client }, system)).id;
}

const procedures = Object.entries(contract.procedures).flatMap(([noun, verbs]) =>
  Object.entries(verbs).map(([verb, { audience }]) => ({ path: `${noun}.${verb}`, audience })),
);
const forPrincipals = procedures
  .filter(({ audience }) => typeof audience === 'string')
  .map(({ path }) => path);
const forPlatform = procedures.filter(({ audience }) => typeof audience !== 'string').map(({ path }) => path);

describe('access to procedures', () => {
  let prepared: Awaited<ReturnType<typeof prepare>>;
  beforeAll(async () => {
    prepared = await prepare();
  });

  it('has a case for every procedure', () => {
    expect(Object.keys(prepared.cases).toSorted()).toEqual(forPrincipals.toSorted());
  });

  it.each(forPrincipals)('%s denies all other principals and writes nothing', async (path) => {
    const { acme, cases } = prepared;
    const { input, allowed, notFoundFor = [] } = cases[path] as AccessCase;
    const before = await platform.snapshot();
    const denied = EVERYONE.filter((name) => !allowed.includes(name));
    for (const name of denied) {
      const origin = await platform.originOf(acme.principals[name]);
      const expected = notFoundFor.includes(name) ? 'NOT_FOUND' : 'FORBIDDEN';
      expect([name, await codeOf(callOf(path)(origin, input))]).toEqual([name, expected]);
    }
    expect(await platform.snapshot()).toEqual(before);
  });

  const named = forPrincipals.filter((path) => path !== 'subjects.getUser' && NAMES_A_RECORD.test(path));
  it.each(named)('%s finds no record of another organization, even for an ADMIN', async (path) => {
    const { input } = prepared.cases[path] as AccessCase;
    const elsewhere = await createOrganization(platform);
    const before = await platform.snapshot();
    // This procedure names the tenant in the body, so the request is invalid instead of not found.
    const expected = path === 'tenantUsers.create' ? 'INVALID_REQUEST' : 'NOT_FOUND';
    expect(await codeOf(callOf(path)(elsewhere.asAdmin, input))).toBe(expected);
    expect(await platform.snapshot()).toEqual(before);
  });

  const unnamed = forPrincipals.filter((path) => path !== 'tokens.invalidate' && !named.includes(path));
  it.each(unnamed)('%s returns no data of another organization, even for an ADMIN', async (path) => {
    const { acme, cases } = prepared;
    const elsewhere = await createOrganization(platform);
    const response = JSON.stringify(await callOf(path)(elsewhere.asAdmin, (cases[path] as AccessCase).input));
    for (const foreign of [acme.organizationId, 'North', 'tenant-', 'viewer-'])
      expect(response).not.toContain(foreign);
  });

  it.each(forPrincipals)('%s succeeds for every permitted principal', async (path) => {
    // Each principal gets new records, because an operation such as a deletion succeeds only once.
    const [, verb = ''] = path.split('.');
    const isRead = READS.includes(verb);
    const shared = isRead ? prepared : undefined;
    for (const name of (prepared.cases[path] as AccessCase).allowed) {
      const { acme, cases } = shared ?? (await prepare());
      const { input } = cases[path] as AccessCase;
      const origin = await platform.originOf(acme.principals[name]);
      expect([name, await codeOf(callOf(path)(origin, input))]).toEqual([name, 'ok']);
    }
  });

  it.each(forPrincipals)('%s rejects the platform itself, which has no identity', async (path) => {
    const { input } = prepared.cases[path] as AccessCase;
    expect(await codeOf(callOf(path)(await platform.asSystem, input))).toBe('UNAUTHENTICATED');
  });

  it.each(forPlatform)('%s rejects every principal', async (path) => {
    const before = await platform.snapshot();
    for (const principal of Object.values(prepared.acme.principals)) {
      const origin = await platform.originOf(principal);
      expect(await codeOf(callOf(path)(origin, {}))).toBe('UNAUTHENTICATED');
    }
    expect(await platform.snapshot()).toEqual(before);
  });
});
