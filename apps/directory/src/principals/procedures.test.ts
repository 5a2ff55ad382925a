import type { TokenClaims } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimsIn, startPlatform, type TokenInput } from '../testing/platform.js';
import { addTenantUser, populate, type Population } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { tokens, tenants, tenantUsers, orgUsers, groups } = platform.directory;

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

async function claimsFor(request: TokenInput): Promise<TokenClaims> {
  const { accessToken } = await tokens.issue.mutate(
    { ...acme.credentials, ...request },
    { context: await platform.asSystem },
  );
  return claimsIn(accessToken);
}

describe('the bearer of a token', () => {
  it('is an org user with the current role and groups', async () => {
    const { userId, userKey, email } = acme.principals.author;
    const claims = await claimsFor({ orgUserId: userId, securityParams: { region: 'x' } });
    const { group } = await groups.create.mutate({ name: 'G', type: 'ORG_GROUP' }, { context: acme.asAdmin });
    await groups.addMembers.mutate({ id: group.id, userIds: [userId] }, { context: acme.asAdmin });
    expect(await platform.resolve(claims)).toEqual({
      kind: 'orgUser',
      tokenType: 'project',
      tokenId: claims.jti,
      tokenExpiresAt: claims.exp,
      organizationId: acme.organizationId,
      projectId: acme.credentials.projectId,
      securityParams: { region: 'x' },
      userId,
      userKey,
      email,
      role: 'AUTHOR',
      groupIds: [group.id],
    });
    await orgUsers.update.mutate({ id: userId, role: 'VIEWER' }, { context: acme.asAdmin });
    await groups.removeMember.mutate({ id: group.id, memberId: userId }, { context: acme.asAdmin });
    expect(await platform.resolve(claims)).toMatchObject({ role: 'VIEWER', groupIds: [] });
  });

  it('is a compiler for a token with that scope, and for no other combination of claims', async () => {
    const claims = await claimsFor({ scope: 'sql:compile', securityParams: { region: 'x' } });
    expect(claims).toMatchObject({ type: 'compiler', scope: 'sql:compile' });
    const { organizationId, credentials } = acme;
    const { projectId } = credentials;
    expect(await platform.resolve(claims)).toEqual({
      kind: 'compiler',
      tokenType: 'compiler',
      tokenId: claims.jti,
      tokenExpiresAt: claims.exp,
      organizationId,
      projectId,
      securityParams: { region: 'x' },
    });
    const { userId: orgUserId, userKey } = acme.principals.author;
    const { scope: _, ...withoutScope } = claims;
    const variants: TokenClaims[] = [
      { ...claims, type: 'project' },
      { ...withoutScope },
      { ...claims, sub: userKey },
      { ...claims, type: 'project', sub: userKey, orgUserId },
      { ...claims, type: 'dashboard', dashboardId: 'd_1', sub: 'd_1' },
    ];
    for (const variant of variants) expect(await platform.resolve(variant)).toBeNull();
  });

  it('is a tenant user with its tenant', async () => {
    const { userId, userKey, tenantId, tenantKey } = acme.principals.northPowerUser;
    const claims = await claimsFor({ endUserId: userId });
    const expected = {
      kind: 'tenantUser',
      userId,
      userKey,
      tenantId,
      tenantKey,
      role: 'POWER_USER',
      groupIds: [],
    };
    expect(await platform.resolve(claims)).toMatchObject(expected);
  });

  it('is the service identity or an anonymous viewer when the token names no user', async () => {
    expect(acme.principals.service).toMatchObject({ kind: 'service', tokenType: 'project' });
    expect(acme.principals.anonymous).toMatchObject({
      kind: 'anonymous',
      tokenType: 'dashboard',
      dashboardId: acme.dashboard.dashboardId,
    });
    expect(acme.principals.dashboardAdmin).toMatchObject({
      kind: 'orgUser',
      tokenType: 'dashboard',
      dashboardId: acme.dashboard.dashboardId,
      role: 'ADMIN',
    });
  });
});

describe('the bearer is null', () => {
  it('for a deactivated user, until the user is active again', async () => {
    const { userId: id } = acme.principals.northViewer;
    const claims = await claimsFor({ endUserId: id });
    await tenantUsers.update.mutate({ id, isActive: false }, { context: acme.asAdmin });
    expect(await platform.resolve(claims)).toBeNull();
    await tenantUsers.update.mutate({ id, isActive: true }, { context: acme.asAdmin });
    expect(await platform.resolve(claims)).not.toBeNull();
  });

  it('for a deleted user, even when another user gets the same id', async () => {
    const alice = await addTenantUser(platform, acme, { tenantId: acme.north.id, id: 'alice' });
    const claims = await claimsFor({ endUserId: 'alice' });
    expect(await platform.resolve(claims)).toMatchObject({ userKey: alice.userKey });
    await tenantUsers.delete.mutate({ id: 'alice' }, { context: acme.asAdmin });
    expect(await platform.resolve(claims)).toBeNull();
    const other = await addTenantUser(platform, acme, { tenantId: acme.north.id, id: 'alice' });
    expect(other.userKey).not.toBe(alice.userKey);
    expect(await platform.resolve(claims)).toBeNull();
  });

  it('for a user whose tenant was deleted and recreated with the same id', async () => {
    const { tenant } = await tenants.create.mutate({ id: 'brief', name: 'Brief' }, { context: acme.asAdmin });
    const user = await addTenantUser(platform, acme, { tenantId: tenant.id });
    const claims = await claimsFor({ endUserId: user.userId });
    // Simulates a crash in the only moment in which a user can outlive its tenant.
    await platform.database
      .collection('tenants')
      .deleteOne({ id: 'brief', organizationId: acme.organizationId });
    expect(await platform.resolve(claims)).toBeNull();
    await tenants.create.mutate({ id: 'brief', name: 'Brief' }, { context: acme.asAdmin });
    expect(await platform.resolve(claims)).toBeNull();
  });

  it('for inconsistent claims', async () => {
    const elsewhere = await populate(platform);
    const user = await claimsFor({ endUserId: acme.principals.northViewer.userId });
    const service = await claimsFor({});
    const { author, admin } = acme.principals;
    const altered: TokenClaims[] = [
      { ...user, sub: acme.principals.northPowerUser.userKey },
      { ...user, tenantUserId: acme.principals.northPowerUser.userId },
      { ...user, tenantId: acme.south.id },
      { ...user, tenantId: undefined },
      { ...user, organizationId: elsewhere.organizationId },
      { ...user, projectId: elsewhere.credentials.projectId },
      { ...user, projectId: 'p_none' },
      { ...user, orgUserId: author.userId },
      { ...user, tenantUserId: undefined, orgUserId: author.userId },
      { ...user, exp: user.iat - 1 },
      { ...service, orgUserId: admin.userId },
      { ...service, sub: admin.userKey },
      { ...service, type: 'dashboard' },
      { ...service, dashboardId: acme.dashboard.dashboardId },
      { ...service, organizationId: elsewhere.organizationId },
    ];
    for (const claims of altered) expect([claims, await platform.resolve(claims)]).toEqual([claims, null]);
    expect(await platform.resolve(user)).not.toBeNull();
    expect(await platform.resolve(service)).not.toBeNull();
  });
});
