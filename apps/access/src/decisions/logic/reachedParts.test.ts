import { ACCESS_LEVELS, USER_ROLES } from '@gatehouse/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { subjectsOfUser, type ResourceFacts, type UserAccessFacts } from './access.js';
import { effectiveAccess } from './effectiveAccess.js';
import { partsBySubject } from './reachedParts.js';

const now = new Date('2026-03-01T12:00:00Z');
const KEYS = ['u:a', 'u:b', 'u:c'];
const GROUPS = ['one', 'two', 'three'];

const shares = fc.array(
  fc.record({
    id: fc.uuid(),
    role: fc.constantFrom(...ACCESS_LEVELS),
    target: fc.oneof(
      fc.constantFrom(...KEYS).map((subject) => ({ scope: 'specific_org_user' as const, subject })),
      fc.constantFrom(...GROUPS).map((id) => ({ scope: 'group' as const, subject: `g:${id}` })),
      fc.constant({ scope: 'all_org_users' as const, subject: 'audience:all_org_users' }),
    ),
    expiresAt: fc.constantFrom(null, new Date(now.getTime() - 1), new Date(now.getTime() + 1)),
  }),
  { maxLength: 12 },
);
const resources: fc.Arbitrary<ResourceFacts> = fc
  .record({ shares, isPrivate: fc.boolean(), ownerKey: fc.constantFrom(...KEYS) })
  .map(({ shares: found, ...fields }) => ({
    id: 'd_one',
    projectId: 'p_one',
    type: 'dashboard',
    ownerType: 'organization',
    ownerTenantKey: null,
    ...fields,
    shares: found.map(({ target, ...share }) => ({ ...share, ...target })),
  }));
const users: fc.Arbitrary<UserAccessFacts> = fc.record({
  type: fc.constant('organization'),
  userKey: fc.constantFrom(...KEYS),
  role: fc.constantFrom(...USER_ROLES),
  isActive: fc.boolean(),
  tenantKey: fc.constant(null),
  groupIds: fc.subarray(GROUPS),
});

it('the part of a resource that a user reaches gives the same access as the whole resource', () => {
  fc.assert(
    fc.property(resources, users, (resource, user) => {
      const subjects = subjectsOfUser(user);
      const part = partsBySubject(resource)(subjects);
      const accessTo = (facts: ResourceFacts) =>
        effectiveAccess({ user, resource: facts, linkedFrom: [], now });
      expect(accessTo(part)).toEqual(accessTo(resource));
      expect(part.shares.filter(({ subject }) => !subjects.includes(subject))).toEqual([]);
    }),
  );
});
