import type { ShareListEntry } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { entryOf, explainCeiling, flattenShares, hasTarget, SCOPE_NAMES } from './shares.js';

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
});
