import { directory as contract, type ErrorCode } from '@gatehouse/contract';
import { startTestMongo } from '@gatehouse/testing';
import type { CallOrigin } from '@gatehouse/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { createOrganization, populate, type Population, type PrincipalName } from '../testing/population.js';

const platform = await startPlatform(await startTestMongo());
afterAll(() => platform.stop());

const ADMINS: PrincipalName[] = ['admin'];
const GROUP_MANAGERS: PrincipalName[] = ['admin', 'author'];
const ORGANIZATION_READERS: PrincipalName[] = ['admin', 'author', 'viewer', 'service'];
const NORTH_READERS: PrincipalName[] = [...ORGANIZATION_READERS, 'northViewer', 'northPowerUser'];
const READERS: PrincipalName[] = [...NORTH_READERS, 'southPowerUser'];
const USER_READERS: PrincipalName[] = ['admin', 'service', 'northViewer', 'northPowerUser'];
const ANYBODY: PrincipalName[] = [...READERS, 'dashboardAdmin', 'anonymous'];

/** A call, who may make it, and what those are answered who see that the record is there for others. */
interface Line {
  input: Record<string, unknown>;
  allowed: PrincipalName[];
  /** Refused with NOT_FOUND: those who may read such records but not this one. */
  blind?: PrincipalName[];
}

/** Every procedure that a principal may call, by path. */
function linesOf(acme: Population, groups: { north: string; org: string }): Record<string, Line> {
  const northUser = acme.principals.northViewer.userId;
  const orgUser = acme.principals.viewer.userId;
  const tenantId = acme.north.id;
  const south: PrincipalName[] = ['southPowerUser'];
  const name = 'Renamed';
  return {
    'tokens.invalidate': { input: {}, allowed: ANYBODY },
    'projects.list': { input: {}, allowed: ADMINS },
    'projects.create': { input: { name: 'Another' }, allowed: ADMINS },
    'projects.get': { input: { id: acme.credentials.projectId }, allowed: ADMINS },
    'projects.update': { input: { id: acme.credentials.projectId, name }, allowed: ADMINS },
    'projects.rotateSecret': { input: { id: acme.credentials.projectId }, allowed: ADMINS },
    'tenants.list': { input: {}, allowed: READERS },
    'tenants.create': { input: { name: 'West' }, allowed: ADMINS },
    'tenants.get': { input: { id: tenantId }, allowed: NORTH_READERS, blind: south },
    'tenants.update': { input: { id: tenantId, name }, allowed: ADMINS },
    'tenants.delete': { input: { id: 'empty' }, allowed: ADMINS },
    'orgUsers.list': { input: {}, allowed: ADMINS },
    'orgUsers.create': { input: { email: 'n@acme.test', name: 'N', role: 'ADMIN' }, allowed: ADMINS },
    'orgUsers.get': { input: { id: orgUser }, allowed: ADMINS },
    'orgUsers.update': { input: { id: orgUser, role: 'ADMIN' }, allowed: ADMINS },
    'orgUsers.delete': { input: { id: orgUser }, allowed: ADMINS },
    'tenantUsers.list': { input: {}, allowed: [...USER_READERS, 'southPowerUser'] },
    'tenantUsers.create': { input: { tenantId, email: 'n@acme.test' }, allowed: ADMINS },
    'tenantUsers.get': { input: { id: northUser }, allowed: USER_READERS, blind: south },
    'tenantUsers.update': { input: { id: northUser, role: 'POWER_USER' }, allowed: ADMINS },
    'tenantUsers.delete': { input: { id: northUser }, allowed: ADMINS },
    'unifiedUsers.list': { input: {}, allowed: READERS },
    'unifiedUsers.get': { input: { id: northUser }, allowed: NORTH_READERS, blind: south },
    'groups.list': { input: {}, allowed: READERS },
    'groups.create': { input: { name: 'New', type: 'ORG_GROUP' }, allowed: GROUP_MANAGERS },
    'groups.get': { input: { id: groups.north }, allowed: NORTH_READERS, blind: south },
    'groups.update': { input: { id: groups.north, name }, allowed: GROUP_MANAGERS },
    'groups.delete': { input: { id: groups.north }, allowed: GROUP_MANAGERS },
    'groups.members': { input: { id: groups.north }, allowed: NORTH_READERS, blind: south },
    'groups.addMembers': { input: { id: groups.org, userIds: [orgUser] }, allowed: GROUP_MANAGERS },
    'groups.removeMembers': { input: { id: groups.org, userIds: [orgUser] }, allowed: GROUP_MANAGERS },
    'groups.removeMember': { input: { id: groups.org, memberId: northUser }, allowed: GROUP_MANAGERS },
    'subjects.lookup': { input: {}, allowed: ANYBODY },
    'subjects.getProject': { input: { projectId: acme.credentials.projectId }, allowed: ANYBODY },
    'subjects.getUser': { input: { userId: northUser }, allowed: ANYBODY },
    'subjects.listUsers': { input: { limit: 10 }, allowed: ANYBODY },
  };
}

/** The procedures whose input in the table names a record. */
const NAMES_A_RECORD =
  /\.(get|update|delete|rotateSecret|members|addMembers|removeMembers|removeMember)$|^tenantUsers\.create$/;

type AnyCall = (origin: CallOrigin, input: Record<string, unknown>) => Promise<unknown>;

function callOf(path: string): AnyCall {
  const [noun = '', verb = ''] = path.split('.');
  const nouns = platform.directory as unknown as Record<string, Record<string, AnyCall>>;
  const call = nouns[noun]?.[verb];
  if (!call) throw new Error(`No procedure ${path}`);
  return call;
}

async function codeOf(call: Promise<unknown>): Promise<ErrorCode | 'ok'> {
  return call.then(
    () => 'ok' as const,
    (error: { code: ErrorCode }) => error.code,
  );
}

async function prepare() {
  const acme = await populate(platform);
  const { groups, tenants } = platform.directory;
  const north = await groups.create(acme.asAdmin, {
    name: 'N',
    type: 'TENANT_GROUP',
    tenantId: acme.north.id,
  });
  const org = await groups.create(acme.asAdmin, { name: 'O', type: 'ORG_GROUP' });
  const { northViewer } = acme.principals;
  const userIds = 'userId' in northViewer ? [northViewer.userId] : [];
  await groups.addMembers(acme.asAdmin, { id: org.group.id, userIds });
  await tenants.create(acme.asAdmin, { id: 'empty', name: 'Empty' });
  return { acme, lines: linesOf(acme, { north: north.group.id, org: org.group.id }) };
}

const procedures = Object.entries(contract.procedures).flatMap(([noun, verbs]) =>
  Object.entries(verbs).map(([verb, { audience }]) => ({ path: `${noun}.${verb}`, audience })),
);
const forPrincipals = procedures.filter(({ audience }) => audience === 'principal').map(({ path }) => path);
const forPlatform = procedures.filter(({ audience }) => audience !== 'principal').map(({ path }) => path);

describe('who may call what', () => {
  let prepared: Awaited<ReturnType<typeof prepare>>;
  beforeAll(async () => {
    prepared = await prepare();
  });

  it('is said of every procedure', () => {
    expect(Object.keys(prepared.lines).toSorted()).toEqual(forPrincipals.toSorted());
  });

  it.each(forPrincipals)('%s refuses everybody else, and then writes nothing', async (path) => {
    const { acme, lines } = prepared;
    const { input, allowed, blind = [] } = lines[path] as Line;
    const before = await platform.snapshot();
    const refused = ANYBODY.filter((name) => !allowed.includes(name));
    for (const name of refused) {
      const origin = await platform.originOf(acme.principals[name]);
      const expected = blind.includes(name) ? 'NOT_FOUND' : 'FORBIDDEN';
      expect([name, await codeOf(callOf(path)(origin, input))]).toEqual([name, expected]);
    }
    expect(await platform.snapshot()).toEqual(before);
  });

  const named = forPrincipals.filter((path) => path !== 'subjects.getUser' && NAMES_A_RECORD.test(path));
  it.each(named)('%s finds no record of another organization, whoever asks there', async (path) => {
    const { input } = prepared.lines[path] as Line;
    const elsewhere = await createOrganization(platform);
    const before = await platform.snapshot();
    // A tenant is named in the body there: the request is wrong, rather than its address.
    const expected = path === 'tenantUsers.create' ? 'INVALID_REQUEST' : 'NOT_FOUND';
    expect(await codeOf(callOf(path)(elsewhere.asAdmin, input))).toBe(expected);
    expect(await platform.snapshot()).toEqual(before);
  });

  const unnamed = forPrincipals.filter((path) => path !== 'tokens.invalidate' && !named.includes(path));
  it.each(unnamed)('%s shows nothing of another organization, whoever asks there', async (path) => {
    const { acme, lines } = prepared;
    const elsewhere = await createOrganization(platform);
    const answer = JSON.stringify(await callOf(path)(elsewhere.asAdmin, (lines[path] as Line).input));
    for (const foreign of [acme.organizationId, 'North', 'tenant-', 'viewer-'])
      expect(answer).not.toContain(foreign);
  });

  it.each(forPrincipals)('%s answers whoever may call it', async (path) => {
    // Each anew, because what one may do, such as deleting, the next could not do again.
    const [, verb = ''] = path.split('.');
    const isRead = ['list', 'get', 'members', 'lookup', 'getUser', 'getProject', 'listUsers'].includes(verb);
    const shared = isRead ? prepared : undefined;
    for (const name of (prepared.lines[path] as Line).allowed) {
      const { acme, lines } = shared ?? (await prepare());
      const { input } = lines[path] as Line;
      const origin = await platform.originOf(acme.principals[name]);
      expect([name, await codeOf(callOf(path)(origin, input))]).toEqual([name, 'ok']);
    }
  });

  it.each(forPrincipals)('%s refuses the platform itself, which has no identity', async (path) => {
    const { input } = prepared.lines[path] as Line;
    expect(await codeOf(callOf(path)(await platform.asSystem, input))).toBe('UNAUTHENTICATED');
  });

  it.each(forPlatform)('%s refuses every principal', async (path) => {
    const before = await platform.snapshot();
    for (const principal of Object.values(prepared.acme.principals)) {
      const origin = await platform.originOf(principal);
      expect(await codeOf(callOf(path)(origin, {}))).toBe('UNAUTHENTICATED');
    }
    expect(await platform.snapshot()).toEqual(before);
  });
});
