import type { CloudEvent } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { factOf, type GroupFact, type ResourceFact, type UserFact } from './facts.js';
import { groupIdsAt, inOrder, resourcesAt, usersAt } from './past.js';

let made = 0;
/** An event at a minute of the hour. */
function event(type: string, minute: number, about: Partial<CloudEvent>): CloudEvent {
  made += 1;
  return {
    specversion: '1.0',
    id: `e${made}`,
    source: '/gatehouse/access',
    type: `management.${type}.v1`,
    subject: 'd_1',
    time: at(minute).toISOString(),
    sequence: '000000000001',
    datacontenttype: 'application/json',
    organizationid: 'o_1',
    data: {},
    ...about,
  };
}
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
const sequence = (place: number) => String(place).padStart(12, '0');

const state = {
  id: 'd_1',
  projectId: 'p_1',
  title: 'Revenue',
  ownerId: 'ou_1',
  ownerType: 'organization',
  ownerKey: 'u:1',
  ownerTenantKey: null,
  tenantId: null,
  isPrivate: true,
};
const share = (role: string) => ({
  id: 'sh_1',
  scope: 'specific_org_user',
  role,
  targetId: 'ou_2',
  subject: 'u:2',
  expiresAt: null,
});
const shared = (verb: string, minute: number, place: number, role = 'VIEWER') =>
  event(`dashboard_share.${verb}`, minute, {
    sequence: sequence(place),
    data: { resourceId: 'd_1', shares: [share(role)] },
  });
const created = event('dashboard.created', 0, { data: state });

function resourceFacts(...events: CloudEvent[]): ResourceFact[] {
  return events.flatMap((each) => {
    const found = factOf(each);
    return found?.about === 'resource' ? [found.fact] : [];
  });
}
const resourceAt = async (facts: ResourceFact[], minute: number) =>
  (await resourcesAt(inOrder(facts), at(minute)))[0];
const rolesAt = async (facts: ResourceFact[], minute: number) =>
  (await resourceAt(facts, minute))?.resource.shares.map(({ role }) => role);

describe('a resource at a moment', () => {
  const facts = resourceFacts(
    shared('revoked', 30, 4),
    shared('granted', 20, 3, 'EDITOR'),
    created,
    shared('granted', 10, 2),
    event('dashboard.deleted', 40, { sequence: sequence(5), data: state }),
  );

  it('is the result of the events up to and including the moment', async () => {
    const roles = [5, 9, 10, 19, 20, 30, 39].map((minute) => rolesAt(facts, minute));
    expect(await Promise.all(roles)).toEqual([[], [], ['VIEWER'], ['VIEWER'], ['EDITOR'], [], []]);
    expect(await rolesAt(facts, -1)).toBeUndefined();
    expect(await rolesAt(facts, 40)).toBeUndefined();
  });

  it('names the last event, and counts missing events before it', async () => {
    const basedOn = async (known: ResourceFact[]) => (await resourceAt(known, 25))?.basedOn;
    expect(await basedOn(facts)).toEqual({
      eventId: expect.any(String),
      sequence: sequence(3),
      time: at(20).toISOString(),
      missing: 0,
    });
    expect(await basedOn(facts.filter((fact) => fact.sequence !== sequence(2)))).toMatchObject({
      missing: 1,
    });
    // An event without a relevant change counts too.
    const secret = event('dashboard_secret.rotated', 21, { sequence: sequence(4), data: { id: 'd_1' } });
    expect(
      await basedOn(resourceFacts(created, shared('granted', 10, 2), shared('granted', 20, 3), secret)),
    ).toMatchObject({
      sequence: sequence(4),
      missing: 0,
    });
  });

  it('orders events by sequence, not by time', async () => {
    const turned = resourceFacts(created, shared('granted', 30, 2), shared('revoked', 20, 3));
    expect(await Promise.all([25, 29].map((minute) => rolesAt(turned, minute)))).toEqual([[], []]);
    expect(await rolesAt(turned, 30)).toEqual([]);
    expect((await resourceAt(turned, 29))?.basedOn.sequence).toBe(sequence(1));
    expect((await resourceAt(turned, 30))?.basedOn.sequence).toBe(sequence(3));
  });
});

describe('a user at a moment', () => {
  const user = (key: string, isActive = true) => ({
    id: 'ann',
    key,
    email: 'ann@example.com',
    name: 'Ann',
    role: 'VIEWER',
    isActive,
    tenantId: 't_1',
    tenantKey: 't:1',
  });
  const about = (verb: string, minute: number, place: number, data: Record<string, unknown>) =>
    event(`tenant_user.${verb}`, minute, {
      source: '/gatehouse/directory',
      subject: 'ann',
      sequence: sequence(place),
      data,
    });
  const events = [
    about('created', 0, 1, user('u:1')),
    about('updated', 10, 2, { ...user('u:1', false), changes: {} }),
    about('deleted', 20, 3, { ...user('u:1', false), heir: null }),
    about('created', 30, 1, user('u:2')),
  ];
  const facts = events.flatMap((each): UserFact[] => {
    const found = factOf(each);
    return found?.about === 'user' ? [found.fact] : [];
  });

  it('is the user who had the id then', async () => {
    const then = [-1, 5, 15, 25, 35].map((minute) => usersAt(inOrder(facts), at(minute)));
    const found = (await Promise.all(then)).map(([first]) => first?.user);
    expect(found.map((each) => each && [each.userKey, each.isActive])).toEqual([
      undefined,
      ['u:1', true],
      ['u:1', false],
      undefined,
      ['u:2', true],
    ]);
  });

  it('has the groups that had added it and still existed', async () => {
    const members = (verb: string, minute: number, place: number, userKey: string) =>
      event(`group_member.${verb}`, minute, {
        source: '/gatehouse/directory',
        subject: 'grp_1',
        sequence: sequence(place),
        data: { groupId: 'grp_1', members: [{ id: 'gm_1', userId: 'ann', userKey }] },
      });
    const deleted = event('group.deleted', 40, {
      source: '/gatehouse/directory',
      subject: 'grp_1',
      sequence: sequence(5),
      data: { id: 'grp_1', name: 'G', type: 'ORG_GROUP', tenantId: null, userIds: [] },
    });
    const ofGroup = [
      members('added', 10, 2, 'u:1'),
      members('removed', 20, 3, 'u:1'),
      members('added', 30, 4, 'u:1'),
      members('added', 35, 4, 'u:2'),
      deleted,
    ].flatMap((each): GroupFact[] => {
      const found = factOf(each);
      return found?.about === 'group' ? [found.fact] : [];
    });
    const then = [5, 10, 20, 30, 35, 40].map((minute) => groupIdsAt(ofGroup, at(minute)));
    const memberKeys = (await Promise.all(then)).map((groupIds) => [...groupIds.keys()]);
    expect(memberKeys).toEqual([[], ['u:1'], [], ['u:1'], ['u:1', 'u:2'], []]);
  });
});

describe('an event', () => {
  it('of another service about the same resource is ignored', () => {
    const committed = event('dashboard.committed', 5, { source: '/gatehouse/lifecycle' });
    expect(factOf(committed)).toBeNull();
    expect(factOf(event('domain.created', 5, {}))).toBeNull();
  });

  it('without a sequence is rejected', () => {
    const { sequence: _, ...rest } = created;
    expect(() => factOf(rest)).toThrow(TypeError);
  });
});
