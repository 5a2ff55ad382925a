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

/** The groups of a user at a moment, from all facts that add or remove the user or delete a group. */
export function groupIdsAt(facts: readonly GroupFact[], userKey: string, at: Date): string[] {
  const groupIds: string[] = [];
  for (const [groupId, ofGroup] of groupByRecord(facts)) {
    let isMember = false;
    for (const { change } of factsUntil(ofGroup, at)) {
      if (change.kind === 'deleted') isMember = false;
      if (change.kind === 'joined' && change.userKeys.includes(userKey)) isMember = true;
      if (change.kind === 'left' && change.userKeys.includes(userKey)) isMember = false;
    }
    if (isMember) groupIds.push(groupId);
  }
  return groupIds.toSorted();
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
 * The user that had an id at a moment, from all facts of all users that ever had it; null when there was
 * none. An id may be reused: where clock differences make two users hold it at once, the later one does.
 */
export function userAt(facts: readonly UserFact[], at: Date): UserThen | null {
  const found = [...groupByRecord(facts).values()].flatMap((ofUser) => oneUserAt(ofUser, at) ?? []);
  const [latest] = found.toSorted((a, b) => b.since.getTime() - a.since.getTime());
  return latest === undefined ? null : { user: latest.user, basedOn: latest.basedOn };
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
