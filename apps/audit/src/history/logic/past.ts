import type { LastEvent, PastResource, UserFacts } from '@gatehouse/contract';
import type { GroupFact, PastShare, ResourceFact, ResourceState, UserFact, UserState } from './facts.js';

type AnyFact = ResourceFact | UserFact | GroupFact;

/**
 * The facts of one record up to a moment, in their order. A fact that follows a later one is later too,
 * whatever the clock of its process showed.
 */
function factsUntil<F extends AnyFact>(facts: readonly F[], at: Date): F[] {
  const ordered = facts.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1));
  const later = ordered.findIndex((fact) => fact.time > at);
  return later === -1 ? ordered : ordered.slice(0, later);
}

/** The last of the ordered facts of one record, with the number of missing facts before it. */
function lastEventOf(facts: readonly AnyFact[]): LastEvent | null {
  const last = facts.at(-1);
  if (last === undefined) return null;
  const { eventId, sequence, time } = last;
  return { eventId, sequence, time: time.toISOString(), missing: Number(sequence) - facts.length };
}

/** A resource at a moment. */
export interface ResourceThen {
  resource: PastResource;
  linkedVisualIds: readonly string[];
  basedOn: LastEvent;
}

/**
 * The state of one resource at a moment, from all of its facts in any order; null when it did not exist then.
 */
export function resourceAt(facts: readonly ResourceFact[], at: Date): ResourceThen | null {
  const past = factsUntil(facts, at);
  let state: ResourceState | null = null;
  const shares = new Map<string, PastShare>();
  for (const { change } of past) {
    if (change.kind === 'deleted') return null;
    if (change.kind === 'state') state = change.state;
    if (change.kind === 'granted') for (const share of change.shares) shares.set(share.id, share);
    if (change.kind === 'withdrawn') for (const share of change.shares) shares.delete(share.id);
  }
  const [first] = past;
  const basedOn = lastEventOf(past);
  if (state === null || first === undefined || basedOn === null) return null;
  const { linkedVisualIds, ...fields } = state;
  return {
    resource: { id: first.record, ...fields, shares: [...shares.values()] },
    linkedVisualIds,
    basedOn,
  };
}

/** Whether the user is a member after these facts, which name it or delete the group. */
function isMemberAt(facts: readonly GroupFact[], at: Date): boolean {
  return factsUntil(facts, at).at(-1)?.change.kind === 'joined';
}

/** The facts of one group for each user that they name. The deletion of the group belongs to all. */
function groupByUser(facts: readonly GroupFact[]): Map<string, GroupFact[]> {
  const byUser = new Map<string, GroupFact[]>();
  for (const fact of facts) {
    const { change } = fact;
    for (const userKey of 'userKeys' in change ? change.userKeys : []) {
      byUser.set(userKey, [...(byUser.get(userKey) ?? []), fact]);
    }
  }
  const ends = facts.filter(({ change }) => change.kind === 'deleted');
  return new Map([...byUser].map(([userKey, ofUser]) => [userKey, [...ofUser, ...ends]]));
}

/**
 * The groups of users at a moment, in the order of their ids, by the keys of the users: from all facts that
 * add or remove one of them or delete a group.
 */
export function groupIdsAt(facts: readonly GroupFact[], at: Date): Map<string, string[]> {
  const groupIds = new Map<string, string[]>();
  const inOrder = [...groupByRecord(facts)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [groupId, ofGroup] of inOrder) {
    for (const [userKey, ofUser] of groupByUser(ofGroup)) {
      if (isMemberAt(ofUser, at)) groupIds.set(userKey, [...(groupIds.get(userKey) ?? []), groupId]);
    }
  }
  return groupIds;
}

/** A user at a moment, without groups. */
export interface UserThen {
  user: Omit<UserFacts, 'groupIds'>;
  basedOn: LastEvent;
}

function oneUserAt(facts: readonly UserFact[], at: Date): (UserThen & { since: Date }) | null {
  const past = factsUntil(facts, at);
  let state: UserState | null = null;
  for (const { change } of past) {
    if (change.kind === 'deleted') return null;
    if (change.kind === 'state') state = change.state;
  }
  const [first] = past;
  const basedOn = lastEventOf(past);
  if (state === null || first === undefined || basedOn === null) return null;
  const { userId, record: userKey, time: since } = first;
  return { user: { userId, userKey, ...state }, basedOn, since };
}

/**
 * The users that had an id at a moment, in the order of their ids, from all facts of all users that ever had
 * these ids. An id may be reused: where clock differences make two users hold it at once, the later one does.
 */
export function usersAt(facts: readonly UserFact[], at: Date): UserThen[] {
  const found = [...groupByRecord(facts).values()].flatMap((ofUser) => oneUserAt(ofUser, at) ?? []);
  const inOrder = found.toSorted((a, b) => a.since.getTime() - b.since.getTime());
  const byId = new Map(inOrder.map(({ user, basedOn }) => [user.userId, { user, basedOn }]));
  return [...byId.values()].toSorted((a, b) => (a.user.userId < b.user.userId ? -1 : 1));
}

/** The facts of each record, by record. */
export function groupByRecord<F extends AnyFact>(facts: readonly F[]): Map<string, F[]> {
  const byRecord = new Map<string, F[]>();
  for (const fact of facts) {
    const known = byRecord.get(fact.record);
    if (known) known.push(fact);
    else byRecord.set(fact.record, [fact]);
  }
  return byRecord;
}
