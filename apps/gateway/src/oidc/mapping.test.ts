import { describe, expect, it } from 'vitest';
import { isEmailVerified, mapClaims, Mapping, type Claims } from './mapping.js';

const rulesOf = (people: unknown[], more: Record<string, unknown> = {}) =>
  Mapping.parse({ organizationId: 'o_1', people, ...more });
const admins = { when: [{ claim: 'groups', value: 'admins' }], role: 'ADMIN' };

describe('the mapping of claims', () => {
  it.each<[string, Claims, string | null]>([
    ['a list with the value', { groups: ['x', 'admins'] }, 'ADMIN'],
    ['the value', { groups: 'admins' }, 'ADMIN'],
    ['no list', {}, null],
    ['an empty list', { groups: [] }, null],
    ['a part of the value', { groups: 'admins2' }, null],
    ['the value in another case', { groups: ['Admins'] }, null],
    ['a nested list', { groups: [['admins']] }, null],
    ['an object with the key', { groups: { admins: true } }, null],
    ['null', { groups: null }, null],
  ])('compares a claim as it is: %s', (_what, claims, role) => {
    expect(mapClaims(rulesOf([admins]), claims)?.role ?? null).toBe(role);
  });

  it('takes the first rule whose conditions all hold, and none otherwise', () => {
    const mapping = rulesOf([
      { when: [...admins.when, { claim: 'mfa', value: true }], role: 'ADMIN' },
      { when: [{ claim: 'level', value: 2 }], role: 'AUTHOR' },
      { when: [{ claim: 'groups', value: 'admins' }], role: 'VIEWER' },
    ]);
    const roleOf = (claims: Claims) => mapClaims(mapping, claims)?.role;
    expect(roleOf({ groups: ['admins'], mfa: true, level: 2 })).toBe('ADMIN');
    expect(roleOf({ groups: ['admins'], mfa: 'true' })).toBe('VIEWER');
    expect(roleOf({ level: 2 })).toBe('AUTHOR');
    expect(roleOf({ level: '2' })).toBeUndefined();
  });

  it('reads nested claims and claims whose names have dots, and nothing that an object inherits', () => {
    const nested = rulesOf([{ when: [{ claim: ['realm_access', 'roles'], value: 'a' }], role: 'VIEWER' }]);
    expect(mapClaims(nested, { realm_access: { roles: ['a'] } })?.role).toBe('VIEWER');
    expect(mapClaims(nested, { 'realm_access.roles': ['a'] })).toBeNull();
    const dotted = rulesOf([{ when: [{ claim: 'https://a.example/roles', value: 'a' }] }]);
    expect(mapClaims(dotted, { 'https://a.example/roles': 'a' })).not.toBeNull();
    const inherited = rulesOf([{ tenantId: { claim: ['constructor', 'name'] } }]);
    expect(mapClaims(inherited, {})).toBeNull();
  });

  it('finds the tenant in a claim that is an id, and rejects any other value', () => {
    const mapping = rulesOf([{ tenantId: { claim: 'tenant' }, role: 'POWER_USER', createsUsers: true }]);
    expect(mapClaims(mapping, { tenant: 't_1' })).toMatchObject({ tenantId: 't_1', createsUser: true });
    for (const tenant of [undefined, '', 'a b', ['t_1'], { $ne: null }, 1])
      expect(mapClaims(mapping, { tenant })).toBeNull();
  });

  it('decides each group by itself: one of its entries suffices', () => {
    const groups = [
      { when: [{ claim: 'groups', value: 'a' }], groupId: 'grp_1' },
      { when: [{ claim: 'groups', value: 'b' }], groupId: 'grp_1' },
      { when: [{ claim: 'groups', value: 'c' }], groupId: 'grp_2' },
    ];
    const memberships = (claims: Claims) => mapClaims(rulesOf([{}], { groups }), claims)?.groups;
    expect(memberships({ groups: ['a'] })).toEqual([
      { groupId: 'grp_1', isMember: true },
      { groupId: 'grp_2', isMember: false },
    ]);
    expect(memberships({})?.some(({ isMember }) => isMember)).toBe(false);
  });

  it('trusts an e-mail by `email_verified`, or by the claim that the operator names', () => {
    expect(isEmailVerified(rulesOf([{}]), { email_verified: true })).toBe(true);
    for (const email_verified of [undefined, 'true', 1, null])
      expect(isEmailVerified(rulesOf([{}]), { email_verified })).toBe(false);
    const entra = rulesOf([{}], { emailVerified: { claim: 'xms_edov', value: true } });
    expect([
      isEmailVerified(entra, { xms_edov: true }),
      isEmailVerified(entra, { email_verified: true }),
    ]).toEqual([true, false]);
  });

  it.each<[string, unknown]>([
    ['no organization', { people: [{}] }],
    ['no rule', { organizationId: 'o_1', people: [] }],
    ['an unknown field', { organizationId: 'o_1', people: [{ roles: ['ADMIN'] }] }],
    ['an unknown role', { organizationId: 'o_1', people: [{ role: 'OWNER' }] }],
    ['a role of tenant users without a tenant', { organizationId: 'o_1', people: [{ role: 'POWER_USER' }] }],
    [
      'a role of org users in a tenant',
      { organizationId: 'o_1', people: [{ tenantId: 't_1', role: 'ADMIN' }] },
    ],
    ['people to create without a role', { organizationId: 'o_1', people: [{ createsUsers: true }] }],
    [
      'a group without a condition',
      { organizationId: 'o_1', people: [{}], groups: [{ when: [], groupId: 'g' }] },
    ],
  ])('is rejected at the start with %s', (_what, mapping) => {
    expect(Mapping.safeParse(mapping).success).toBe(false);
  });
});
