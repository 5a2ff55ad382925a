import type { Principal, UserRole } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import {
  canSeeTenant,
  groupPermissionsFor,
  isOfOtherTenant,
  authorizeAdmin,
  authorizeGroupManager,
  authorizeReader,
  authorizeSecretKeeper,
  authorizeTenantUserReader,
} from './decideAccess.js';

const token = { tokenId: 'j', tokenExpiresAt: 1, organizationId: 'o_1', projectId: 'p_1' };
const person = { userId: 'x', userKey: 'u:x', email: 'x@x.test', groupIds: [] };
type TokenType = Principal['tokenType'];
const orgUser = (role: UserRole, tokenType: TokenType = 'project'): Principal => ({
  kind: 'orgUser',
  tokenType,
  ...token,
  ...person,
  role,
});
const tenantUser = (role: UserRole, tokenType: TokenType = 'project'): Principal => ({
  kind: 'tenantUser',
  tokenType,
  ...token,
  ...person,
  role,
  tenantId: 't',
  tenantKey: 't:1',
});
const service: Principal = { kind: 'service', tokenType: 'project', ...token };
const compiler: Principal = { kind: 'compiler', tokenType: 'project', ...token };
const anonymous: Principal = { kind: 'anonymous', tokenType: 'dashboard', ...token };

const wholeOrganization = { organizationId: 'o_1', tenantKey: null };
const oneTenant = { organizationId: 'o_1', tenantKey: 't:1' };
const DECISIONS = { authorizeReader, authorizeTenantUserReader, authorizeAdmin, authorizeGroupManager };
const decisionsOn = (principal: Principal) =>
  Object.values(DECISIONS).map((decide) => {
    const decision = decide(principal);
    return decision === principal ? 'allowed' : decision;
  });

describe('access decisions of the directory', () => {
  it.each([
    ['an ADMIN', orgUser('ADMIN'), [wholeOrganization, wholeOrganization, 'allowed', 'allowed']],
    ['an AUTHOR', orgUser('AUTHOR'), [wholeOrganization, 'notAdmin', 'notAdmin', 'allowed']],
    ['a VIEWER', orgUser('VIEWER'), [wholeOrganization, 'notAdmin', 'notAdmin', 'notAuthor']],
    ['a tenant POWER_USER', tenantUser('POWER_USER'), [oneTenant, oneTenant, 'notAdmin', 'notAuthor']],
    ['a tenant VIEWER', tenantUser('VIEWER'), [oneTenant, oneTenant, 'notAdmin', 'notAuthor']],
    // Such a user cannot be created. If one existed, its kind would decide.
    ['a tenant ADMIN', tenantUser('ADMIN'), [oneTenant, oneTenant, 'notAdmin', 'notAuthor']],
    ['the service identity', service, [wholeOrganization, wholeOrganization, 'noRole', 'noRole']],
    ['a token for sql:compile', compiler, Array.from({ length: 4 }, () => 'noRole')],
    ['an anonymous viewer', anonymous, Array.from({ length: 4 }, () => 'dashboardToken')],
    [
      'an ADMIN with a dashboard token',
      orgUser('ADMIN', 'dashboard'),
      Array.from({ length: 4 }, () => 'dashboardToken'),
    ],
    [
      'a tenant user with a dashboard token',
      tenantUser('VIEWER', 'dashboard'),
      Array.from({ length: 4 }, () => 'dashboardToken'),
    ],
  ])('are correct for %s', (_who, principal, decisions) => {
    expect(decisionsOn(principal)).toEqual(decisions);
  });

  it('give the secret of a project to no ADMIN whose token hides a domain', () => {
    const decisionsWith = (access: Principal['semanticDomainAccess']) =>
      authorizeSecretKeeper({ ...orgUser('ADMIN'), semanticDomainAccess: access });
    expect(decisionsWith({ mode: 'all' })).toMatchObject({ role: 'ADMIN' });
    expect(authorizeSecretKeeper(orgUser('ADMIN'))).toMatchObject({ role: 'ADMIN' });
    expect(authorizeSecretKeeper(orgUser('AUTHOR'))).toBe('notAdmin');
    for (const mode of ['include', 'exclude'] as const)
      expect(decisionsWith({ mode, domains: ['sales'] })).toBe('limitedDomains');
    expect(decisionsWith({ mode: 'none' })).toBe('limitedDomains');
  });

  it('limit a tenant user to its tenant, and no other principal', () => {
    expect([null, 't:1', 't:2'].map((key) => canSeeTenant(oneTenant, key))).toEqual([false, true, false]);
    expect([null, 't:1'].map((key) => canSeeTenant(wholeOrganization, key))).toEqual([true, true]);
  });

  it('find a filter by another tenant only for tenant users', () => {
    const isOther = (principal: Principal) =>
      [undefined, 't', 'other'].map((tenantId) => isOfOtherTenant(principal, tenantId));
    expect(isOther(tenantUser('VIEWER'))).toEqual([false, false, true]);
    for (const principal of [orgUser('ADMIN'), service, compiler])
      expect(isOther(principal)).toEqual([false, false, false]);
  });

  it('give the permissions on groups to group managers only', () => {
    const all = { canEdit: true, canDelete: true, canManageMembers: true };
    const none = { canEdit: false, canDelete: false, canManageMembers: false };
    expect(groupPermissionsFor(orgUser('AUTHOR'))).toEqual(all);
    for (const principal of [orgUser('VIEWER'), tenantUser('POWER_USER'), service, compiler, anonymous]) {
      expect(groupPermissionsFor(principal)).toEqual(none);
    }
  });
});
