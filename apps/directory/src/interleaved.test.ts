import { hashSecret, newSecret } from '@gatehouse/service';
import { findAnomalies, sampleOf } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { claimsIn, startPlatform, type TokenInput } from './testing/platform.js';
import { createOrganization, type TestOrganization } from './testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { tenants, tenantUsers, orgUsers, groups, sessions, tokens, unifiedUsers } = platform.directory;

/** An organization with the tenants `north` and `south`, of which `north` has the user `uma` and a group. */
interface World extends TestOrganization {
  author: string;
  otherAdmin: string;
  group: string;
  tenantGroup: string;
  /** A token of `uma`. */
  token: string;
}
type Operation = (world: World) => Promise<unknown>;

const issue = async ({ credentials }: TestOrganization, request: TokenInput): Promise<string> => {
  const input = { ...credentials, ...request };
  return (await tokens.issue.mutate(input, { context: await platform.asSystem })).accessToken;
};

async function createWorld(): Promise<World> {
  const organization = await createOrganization(platform);
  const by = { context: organization.asAdmin };
  await tenants.create.mutate({ id: 'north', name: 'North' }, by);
  await tenants.create.mutate({ id: 'south', name: 'South' }, by);
  const uma = { id: 'uma', tenantId: 'north', email: 'uma@acme.test', name: 'Uma' };
  await tenantUsers.create.mutate(uma, by);
  const addOrgUser = async (name: string, role: 'AUTHOR' | 'ADMIN') =>
    (await orgUsers.create.mutate({ email: `${name}@acme.test`, name, role }, by)).user.id;
  const own = { name: 'Own', type: 'TENANT_GROUP' as const, tenantId: 'north' };
  const tenantGroup = (await groups.create.mutate(own, by)).group.id;
  await groups.addMembers.mutate({ id: tenantGroup, userIds: ['uma'] }, by);
  return {
    ...organization,
    author: await addOrgUser('author', 'AUTHOR'),
    otherAdmin: await addOrgUser('other', 'ADMIN'),
    group: (await groups.create.mutate({ name: 'All', type: 'ORG_GROUP' }, by)).group.id,
    tenantGroup,
    token: await issue(organization, { endUserId: 'uma' }),
  };
}

const by = ({ asAdmin }: World) => ({ context: asAdmin });

function signIn(tenantId: string | null, matchesEmail: boolean): Operation {
  return async ({ organizationId }) => {
    const person = { organizationId, tenantId, role: 'VIEWER' as const, createsUser: true };
    const account = { issuer: 'https://provider.example', subject: 'new', email: 'new@acme.test' };
    const claims = { isEmailVerified: true, name: 'New', matchesEmail };
    const browser = { address: '192.0.2.7', userAgent: 'Browser/1', cookieHash: hashSecret(newSecret()) };
    const mapped = { ...person, projectIds: null, groups: [] };
    const attempt = { ...account, ...claims, ...browser, person: mapped };
    const result = await sessions.createFromProvider.mutate(attempt, { context: await platform.asSystem });
    return result.outcome === 'rejected' ? result.reason : result.outcome;
  };
}

const enter =
  (request: TokenInput): Operation =>
  async (world) =>
    claimsIn(await issue(world, request)).type;
const entering = { endUserEmail: 'new@acme.test', autoCreateEndUser: true, role: 'VIEWER' } as const;
const newUser = { id: 'new', email: 'new@acme.test', name: 'New' };

const CHANGES: Record<string, Operation> = {
  'a new user': (world) => tenantUsers.create.mutate({ ...newUser, tenantId: 'north' }, by(world)),
  'the same user in another tenant': (world) =>
    tenantUsers.create.mutate({ ...newUser, tenantId: 'south' }, by(world)),
  'a new org user': (world) =>
    orgUsers.create.mutate({ email: newUser.email, name: 'New', role: 'VIEWER' }, by(world)),
  'a sign-in': signIn(null, false),
  'a sign-in by e-mail': signIn(null, true),
  'a sign-in to a tenant': signIn('north', true),
  'a token': enter({ endUserId: 'uma' }),
  'a token of a new user': enter({ ...entering, tenantId: 'north' }),
  'a token by the name of a tenant': enter({ ...entering, tenantName: 'North' }),
  'a new tenant': (world) => tenants.create.mutate({ id: 'west', name: 'West' }, by(world)),
  'a new name of a tenant': (world) => tenants.update.mutate({ id: 'north', name: 'West' }, by(world)),
  'a default owner': (world) => tenants.update.mutate({ id: 'north', defaultOwnerId: 'uma' }, by(world)),
  'a deleted tenant': (world) => tenants.delete.mutate({ id: 'north' }, by(world)),
  'another deleted tenant': (world) => tenants.delete.mutate({ id: 'south' }, by(world)),
  'another e-mail': (world) =>
    tenantUsers.update.mutate({ id: 'uma', email: newUser.email, name: 'New' }, by(world)),
  'a deactivated user': (world) => tenantUsers.update.mutate({ id: 'uma', isActive: false }, by(world)),
  'a deleted user': (world) => tenantUsers.delete.mutate({ id: 'uma' }, by(world)),
  'a new member': (world) =>
    groups.addMembers.mutate({ id: world.group, userIds: [world.author] }, by(world)),
  'a removed member': (world) =>
    groups.removeMember.mutate({ id: world.tenantGroup, memberId: 'uma' }, by(world)),
  'a new group of a tenant': (world) =>
    groups.create.mutate({ name: 'New', type: 'TENANT_GROUP', tenantId: 'north' }, by(world)),
  'a deleted group': (world) => groups.delete.mutate({ id: world.group }, by(world)),
  'a deleted group of a tenant': (world) => groups.delete.mutate({ id: world.tenantGroup }, by(world)),
  'a demoted admin': (world) => orgUsers.update.mutate({ id: world.otherAdmin, role: 'VIEWER' }, by(world)),
  'a deleted admin': async (world) => {
    const other = await platform.login({ ...world.credentials, orgUserId: world.otherAdmin });
    const context = await platform.originOf(other);
    return orgUsers.delete.mutate({ id: world.admin.userId }, { context });
  },
};

/** All that reads show. The events of deletions remove members and count them later. */
async function stateOf(world: World): Promise<unknown> {
  const { organizationId } = world;
  const { stores } = platform.dependencies;
  // Not by a request: a pair may have deleted or demoted each ADMIN but one.
  const admin = await stores.orgUsers.find(organizationId, world.admin.userId);
  const reader = admin?.role === 'ADMIN' ? world.admin.userId : world.otherAdmin;
  const asReader = await platform.originOf(await platform.login({ ...world.credentials, orgUserId: reader }));
  const context = { context: asReader };
  const all = await groups.list.query({ includeMembers: true, limit: 100 }, context);
  const { users } = await unifiedUsers.list.query({}, context);
  const isPresent = new Set(users.map(({ id }) => id));
  const memberships = all.groups.flatMap(({ name, members = [] }) =>
    members.filter(({ userId }) => isPresent.has(userId)).map(({ userId }) => `${userId} in ${name}`),
  );
  const bearer = await platform.resolve(claimsIn(world.token));
  return {
    tenants: (await tenants.list.query({}, context)).tenants,
    users: users.map(({ email, name, type, isActive }) => ({ email, name, type, isActive })),
    groups: all.groups.map(({ name, tenantId }) => ({ name, tenantId })),
    memberships: memberships.toSorted(),
    isTokenValid: bearer !== null,
  };
}

function textOf(value: unknown, { organizationId, admin, author, otherAdmin, group }: World): string {
  const known: Record<string, string> = {
    [organizationId]: 'organization',
    [admin.userId]: 'admin',
    [author]: 'author',
    [otherAdmin]: 'other',
    [group]: 'group',
  };
  return JSON.stringify(value, (key, each: unknown) => {
    if (key.endsWith('At')) return undefined;
    if (typeof each !== 'string') return each;
    return Object.entries(known)
      .reduce((text, [id, name]) => text.replaceAll(id, name), each)
      .replace(/^(gm|grp|ou|tu)_.*/, 'another id');
  });
}

const names = Object.keys(CHANGES);
const pairs = names.flatMap((outer) => names.map((inner) => ({ outer, inner })));

it.each(sampleOf(pairs, 24))('$outer during $inner is as before or after it', async ({ outer, inner }) => {
  const operations = { outer: CHANGES[outer] as Operation, inner: CHANGES[inner] as Operation };
  const found = await findAnomalies({ createWorld, ...operations, stateOf, textOf });
  expect(found.runs).toBeGreaterThan(0);
  expect(found).toEqual({ ...found, anomalies: [] });
});
