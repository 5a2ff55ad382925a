import type { Principal, UserRole } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import {
  canSeeTenant,
  groupPermissionsFor,
  judgeAdmin,
  judgeGroupManager,
  judgeReader,
  judgeTenantUserReader,
} from './authority.js';

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
const anonymous: Principal = { kind: 'anonymous', tokenType: 'dashboard', ...token };

const wholeOrganization = { organizationId: 'o_1', tenantKey: null };
const oneTenant = { organizationId: 'o_1', tenantKey: 't:1' };
const JUDGES = { judgeReader, judgeTenantUserReader, judgeAdmin, judgeGroupManager };
const verdictsOn = (principal: Principal) =>
  Object.values(JUDGES).map((judge) => {
    const verdict = judge(principal);
    return verdict === principal ? 'allowed' : verdict;
  });

describe('authority in the directory', () => {
  it.each([
    ['an ADMIN', orgUser('ADMIN'), [wholeOrganization, wholeOrganization, 'allowed', 'allowed']],
    ['an AUTHOR', orgUser('AUTHOR'), [wholeOrganization, 'notAdmin', 'notAdmin', 'allowed']],
    ['a VIEWER', orgUser('VIEWER'), [wholeOrganization, 'notAdmin', 'notAdmin', 'notAuthor']],
    ['a tenant POWER_USER', tenantUser('POWER_USER'), [oneTenant, oneTenant, 'notAdmin', 'notAuthor']],
    ['a tenant VIEWER', tenantUser('VIEWER'), [oneTenant, oneTenant, 'notAdmin', 'notAuthor']],
    // No such user can be created; should there be one, its kind decides.
    ['a tenant ADMIN', tenantUser('ADMIN'), [oneTenant, oneTenant, 'notAdmin', 'notAuthor']],
    ['the service identity', service, [wholeOrganization, wholeOrganization, 'noRole', 'noRole']],
    ['an anonymous viewer', anonymous, Array.from({ length: 4 }, () => 'dashboardToken')],
    [
      'an ADMIN at a dashboard',
      orgUser('ADMIN', 'dashboard'),
      Array.from({ length: 4 }, () => 'dashboardToken'),
    ],
    [
      'a tenant user at a dashboard',
      tenantUser('VIEWER', 'dashboard'),
      Array.from({ length: 4 }, () => 'dashboardToken'),
    ],
  ])('of %s', (_who, principal, verdicts) => {
    expect(verdictsOn(principal)).toEqual(verdicts);
  });

  it('shows a tenant user what is of its tenant, and others everything', () => {
    expect([null, 't:1', 't:2'].map((key) => canSeeTenant(oneTenant, key))).toEqual([false, true, false]);
    expect([null, 't:1'].map((key) => canSeeTenant(wholeOrganization, key))).toEqual([true, true]);
  });

  it('tells with a group what the caller may do with it', () => {
    const all = { canEdit: true, canDelete: true, canManageMembers: true };
    const none = { canEdit: false, canDelete: false, canManageMembers: false };
    expect(groupPermissionsFor(orgUser('AUTHOR'))).toEqual(all);
    for (const principal of [orgUser('VIEWER'), tenantUser('POWER_USER'), service, anonymous]) {
      expect(groupPermissionsFor(principal)).toEqual(none);
    }
  });
});
