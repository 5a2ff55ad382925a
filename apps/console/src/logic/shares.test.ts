import type { ShareListEntry } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import {
  entryOf,
  explainCeiling,
  findShare,
  flattenShares,
  hasTarget,
  mayGiveSharing,
  SCOPE_NAMES,
} from './shares.js';

describe('shares', () => {
  it('name their target in the field that their scope requires', () => {
    expect(entryOf('group', 'g')).toEqual({ scope: 'group', groupId: 'g' });
    expect(entryOf('specific_tenant_user', 'u')).toEqual({
      scope: 'specific_tenant_user',
      tenantUserId: 'u',
    });
    expect(entryOf('all_tenants_only', 'ignored')).toEqual({ scope: 'all_tenants_only' });
    const withTarget = Object.keys(SCOPE_NAMES).filter((scope) => hasTarget(scope as 'group'));
    expect(withTarget).toHaveLength(4);
  });

  it('of all scopes are one list in the order of their grants', () => {
    const share = (id: string, grantedAt: string) => ({ id, grantedAt }) as ShareListEntry;
    const lists = {
      owner: { id: 'o' },
      orgWide: [share('b', '2026-02')],
      specificGroups: [share('a', '2026-01')],
    };
    expect(flattenShares(lists).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('explain a ceiling only where the role limits the level', () => {
    expect(explainCeiling('Ada', 'VIEWER', 'EDITOR')).toBe(
      'Ada has the role Viewer, which allows Viewer at most. ' +
        'The grant of Editor has full effect once the role is raised; until then Ada can view it.',
    );
    expect(explainCeiling('Ada', 'VIEWER', 'VIEWER')).toBeNull();
    expect(explainCeiling('Ada', 'POWER_USER', 'OWNER')).toBeNull();
  });

  it('are found by their audience', () => {
    const share = (scope: string, id?: string) => ({ scope, target: id ? { id } : null }) as ShareListEntry;
    const shares = [share('group', 'g'), share('all_org_users'), share('specific_org_user', 'u')];
    expect(findShare(shares, 'group', 'g')).toBe(shares[0]);
    expect(findShare(shares, 'all_org_users', null)).toBe(shares[1]);
    expect(findShare(shares, 'specific_org_user', 'g')).toBeUndefined();
    expect(findShare(shares, 'specific_org_user', null)).toBeUndefined();
  });

  it.each([
    ['group', 'g', 'CONTRIBUTOR', true],
    ['group', 'g', 'EDITOR', false],
    ['specific_org_user', 'u', 'OWNER', true],
    ['specific_org_user', 'another', 'OWNER', false],
    ['specific_tenant_user', 'another', 'OWNER', false],
    ['all_org_users', null, 'CONTRIBUTOR', true],
    ['org_users_only', null, 'CONTRIBUTOR', true],
    ['all_tenants_only', null, 'CONTRIBUTOR', false],
    ['all_tenant_users', 't', 'CONTRIBUTOR', false],
  ])('with %s %s at %s may give an org user the right to share: %s', (scope, id, role, expected) => {
    const share = { scope, role, target: id === null ? null : { id } } as ShareListEntry;
    expect(mayGiveSharing(share, { id: 'u', kind: 'orgUser' })).toBe(expected);
  });
});
