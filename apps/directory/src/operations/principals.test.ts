import type { TokenClaims } from '@gatehouse/contract';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { claimsIn, startPlatform, type TokenInput } from '../testing/platform.js';
import { addTenantUser, populate, type Population } from '../testing/population.js';

const platform = await startPlatform(await startTestMongo());
const { tokens, tenants, tenantUsers, orgUsers, groups } = platform.directory;
afterAll(() => platform.stop());

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

async function claimsFor(request: TokenInput): Promise<TokenClaims> {
  const { accessToken } = await tokens.issue(await platform.asSystem, { ...acme.credentials, ...request });
  return claimsIn(accessToken);
}

describe('the bearer of a token', () => {
  it('is an org user with role and groups as they are now', async () => {
    const { userId, userKey, email } = acme.principals.author;
    const claims = await claimsFor({ orgUserId: userId, securityParams: { region: 'x' } });
    const { group } = await groups.create(acme.asAdmin, { name: 'G', type: 'ORG_GROUP' });
    await groups.addMembers(acme.asAdmin, { id: group.id, userIds: [userId] });
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
    await orgUsers.update(acme.asAdmin, { id: userId, role: 'VIEWER' });
    await groups.removeMember(acme.asAdmin, { id: group.id, memberId: userId });
    expect(await platform.resolve(claims)).toMatchObject({ role: 'VIEWER', groupIds: [] });
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

  it('is the service identity or an anonymous viewer when nobody is named', async () => {
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

describe('nobody', () => {
  it('bears the token of a deactivated user, until it is active again', async () => {
    const { userId: id } = acme.principals.northViewer;
    const claims = await claimsFor({ endUserId: id });
    await tenantUsers.update(acme.asAdmin, { id, isActive: false });
    expect(await platform.resolve(claims)).toBeNull();
    await tenantUsers.update(acme.asAdmin, { id, isActive: true });
    expect(await platform.resolve(claims)).not.toBeNull();
  });

  it('bears the token of a deleted user, also when another user gets the same id', async () => {
    const alice = await addTenantUser(platform, acme, { tenantId: acme.north.id, id: 'alice' });
    const claims = await claimsFor({ endUserId: 'alice' });
    expect(await platform.resolve(claims)).toMatchObject({ userKey: alice.userKey });
    await tenantUsers.delete(acme.asAdmin, { id: 'alice' });
    expect(await platform.resolve(claims)).toBeNull();
    const other = await addTenantUser(platform, acme, { tenantId: acme.north.id, id: 'alice' });
    expect(other.userKey).not.toBe(alice.userKey);
    expect(await platform.resolve(claims)).toBeNull();
  });

  it('bears the token of a user whose tenant was deleted and made anew under the same id', async () => {
    const { tenant } = await tenants.create(acme.asAdmin, { id: 'brief', name: 'Brief' });
    const user = await addTenantUser(platform, acme, { tenantId: tenant.id });
    const claims = await claimsFor({ endUserId: user.userId });
    // As after a crash in the one moment that lets a user outlive its tenant.
    await platform.database
      .collection('tenants')
      .deleteOne({ id: 'brief', organizationId: acme.organizationId });
    expect(await platform.resolve(claims)).toBeNull();
    await tenants.create(acme.asAdmin, { id: 'brief', name: 'Brief' });
    expect(await platform.resolve(claims)).toBeNull();
  });

  it('bears claims that do not fit together', async () => {
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
