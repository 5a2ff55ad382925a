import {
  factOf,
  groupIdsAt,
  inOrder,
  resourcesAt,
  usersAt,
  type GroupFact,
  type ResourceFact,
  type UserFact,
} from '@gatehouse/audit/history';
import type { AccessLevel, CloudEvent } from '@gatehouse/contract';
import { modelAccess, type Organization } from '@gatehouse/testing';
import fc from 'fast-check';

/** All facts of the events, in order of arrival; duplicates are removed. */
function factsOf(events: readonly CloudEvent[]) {
  const facts = {
    resources: new Map<string, ResourceFact>(),
    users: new Map<string, UserFact>(),
    groups: new Map<string, GroupFact>(),
  };
  for (const event of events) {
    const found = factOf(event);
    if (found?.about === 'resource') facts.resources.set(found.fact.eventId, found.fact);
    if (found?.about === 'user') facts.users.set(found.fact.eventId, found.fact);
    if (found?.about === 'group') facts.groups.set(found.fact.eventId, found.fact);
  }
  return {
    resources: [...facts.resources.values()],
    users: [...facts.users.values()],
    groups: [...facts.groups.values()],
  };
}

const nameOfSubject = (subject: string) =>
  subject.startsWith('audience:') ? null : subject.replace(/^g:/, '');

/**
 * The permissions of the users with these ids on the resources with these ids at a moment, from events and
 * the reference model only.
 */
export async function replayLevels(
  events: readonly CloudEvent[],
  { userIds, resourceIds, at }: { userIds: string[]; resourceIds: string[]; at: Date },
): Promise<Record<string, AccessLevel | null>> {
  const facts = factsOf(events);
  const organization: Organization = { tenants: [], users: {}, groups: {}, resources: {} };
  const keys = new Map<string, string>();
  const groupIds = await groupIdsAt(facts.groups, at);
  for (const userId of userIds) {
    const ofUser = facts.users.filter((fact) => fact.userId === userId);
    const [{ user } = {}] = await usersAt(inOrder(ofUser), at);
    if (user === undefined) continue;
    keys.set(userId, user.userKey);
    organization.users[user.userKey] = { tenant: user.tenantKey, role: user.role, isActive: user.isActive };
    for (const groupId of groupIds.get(user.userKey) ?? []) {
      const group = (organization.groups[groupId] ??= { type: 'ORG_GROUP', tenant: null, members: [] });
      group.members.push(user.userKey);
    }
  }
  for (const then of await resourcesAt(inOrder(facts.resources), at)) {
    const { type, projectId, ownerKey, ownerTenantKey, isPrivate, shares, id } = then.resource;
    // A deleted user still defines the home audience.
    organization.users[ownerKey] ??= { tenant: ownerTenantKey, role: 'VIEWER', isActive: false };
    organization.resources[id] = {
      type,
      project: projectId,
      owner: ownerKey,
      isPrivate,
      links: [...then.linkedVisualIds],
      shares: shares.map(({ scope, role, subject, expiresAt }) => ({
        scope,
        role,
        target: nameOfSubject(subject),
        expiresAt: expiresAt === null ? null : new Date(expiresAt),
      })),
    };
  }
  const levels: Record<string, AccessLevel | null> = {};
  for (const userId of userIds) {
    for (const resource of resourceIds) {
      const user = keys.get(userId);
      levels[`${userId} ${resource}`] =
        user === undefined || organization.resources[resource] === undefined
          ? null
          : modelAccess(organization, { user, resource, now: at });
    }
  }
  return levels;
}

/** The same events in another interleaving that keeps the order of each subject, with some duplicates. */
export function shuffled(events: readonly CloudEvent[], seed: number): CloudEvent[] {
  const [choices = []] = fc.sample(
    fc.array(fc.nat(9999), { minLength: events.length * 2, maxLength: events.length * 2 }),
    { seed, numRuns: 1 },
  );
  const bySubject = new Map<string, CloudEvent[]>();
  for (const event of events) bySubject.set(event.subject, [...(bySubject.get(event.subject) ?? []), event]);
  const lanes = [...bySubject.values()];
  const mixed: CloudEvent[] = [];
  for (const choice of choices) {
    const lane = lanes[choice % Math.max(1, lanes.length)];
    const event = lane?.shift();
    if (event === undefined) continue;
    mixed.push(event);
    if (choice % 3 === 0) mixed.push(event);
    if (lane?.length === 0) lanes.splice(lanes.indexOf(lane), 1);
  }
  return [...mixed, ...lanes.flat()];
}
