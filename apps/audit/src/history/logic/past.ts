import type { LastEvent, PastResource, UserFacts } from '@gatehouse/contract';
import type { GroupFact, PastShare, ResourceFact, ResourceState, UserFact, UserState } from './facts.js';

type AnyFact = ResourceFact | UserFact | GroupFact;
type Facts<F extends AnyFact> = AsyncIterable<F> | Iterable<F>;

/** Orders facts as the functions below need them: by record, and those of one record by sequence. */
export function inOrder<F extends AnyFact>(facts: Iterable<F>): F[] {
  const placeOf = ({ record, sequence }: F) => `${record} ${sequence}`;
  return [...facts].toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** What the facts of one record up to a moment amount to. */
interface Folded<F extends AnyFact, S> {
  state: S;
  first: F;
  last: F;
  count: number;
}

/**
 * Applies the ordered facts of each record up to a moment to a state of its own. A fact that follows a later
 * one is later too, whatever the clock of its process showed. Only one fact is in memory at a time: a record
 * may have any number of them.
 */
async function foldRecords<F extends AnyFact, S>(
  facts: Facts<F>,
  at: Date,
  { begin, apply }: { begin(): S; apply(state: S, fact: F): void },
): Promise<Folded<F, S>[]> {
  const folded: Folded<F, S>[] = [];
  let current: Folded<F, S> | undefined;
  let laterRecord: string | undefined;
  for await (const fact of facts) {
    if (fact.time > at) laterRecord = fact.record;
    if (fact.record === laterRecord) continue;
    if (current?.first.record !== fact.record) {
      current = { state: begin(), first: fact, last: fact, count: 0 };
      folded.push(current);
    }
    apply(current.state, fact);
    current.last = fact;
    current.count += 1;
  }
  return folded;
}

/** The last event of a record, with the number of missing events before it. */
function lastEventOf({ last, count }: Folded<AnyFact, unknown>): LastEvent {
  const { eventId, sequence, time } = last;
  return { eventId, sequence, time: time.toISOString(), missing: Number(sequence) - count };
}

/** A resource at a moment. */
export interface ResourceThen {
  resource: PastResource;
  linkedVisualIds: readonly string[];
  basedOn: LastEvent;
}

/** A resource while its facts are applied. */
interface Known {
  state: ResourceState | null;
  isDeleted: boolean;
  shares: Map<string, PastShare>;
}

function applyToResource(known: Known, { change }: ResourceFact): void {
  if (change.kind === 'deleted') known.isDeleted = true;
  if (change.kind === 'state') known.state = change.state;
  if (change.kind === 'granted') for (const share of change.shares) known.shares.set(share.id, share);
  if (change.kind === 'withdrawn') for (const share of change.shares) known.shares.delete(share.id);
}

/** The resources that existed at a moment, from all of their facts in order. */
export async function resourcesAt(facts: Facts<ResourceFact>, at: Date): Promise<ResourceThen[]> {
  const folded = await foldRecords(facts, at, {
    begin: (): Known => ({ state: null, isDeleted: false, shares: new Map() }),
    apply: applyToResource,
  });
  return folded.flatMap((each): ResourceThen[] => {
    const { state, isDeleted, shares } = each.state;
    if (state === null || isDeleted) return [];
    const { linkedVisualIds, ...fields } = state;
    const resource = { id: each.first.record, ...fields, shares: [...shares.values()] };
    return [{ resource, linkedVisualIds, basedOn: lastEventOf(each) }];
  });
}

/** A user at a moment, without groups. */
export interface UserThen {
  user: Omit<UserFacts, 'groupIds'>;
  basedOn: LastEvent;
}

/**
 * The users that had an id at a moment, in the order of their ids, from all facts of all users that ever had
 * these ids, in order. An id may be reused: where clock differences make two users hold it at once, the later
 * one does.
 */
export async function usersAt(facts: Facts<UserFact>, at: Date): Promise<UserThen[]> {
  const folded = await foldRecords(facts, at, {
    begin: (): { state: UserState | null; isDeleted: boolean } => ({ state: null, isDeleted: false }),
    apply(known, { change }) {
      if (change.kind === 'deleted') known.isDeleted = true;
      if (change.kind === 'state') known.state = change.state;
    },
  });
  const byTime = folded.toSorted((a, b) => a.first.time.getTime() - b.first.time.getTime());
  const byId = new Map<string, UserThen>();
  for (const each of byTime) {
    const { userId, record: userKey } = each.first;
    const { state, isDeleted } = each.state;
    if (state === null || isDeleted) continue;
    byId.set(userId, { user: { userId, userKey, ...state }, basedOn: lastEventOf(each) });
  }
  return [...byId.values()].toSorted((a, b) => (a.user.userId < b.user.userId ? -1 : 1));
}

/** What a fact states about one member of a group, without the other members. */
interface Mention {
  sequence: string;
  isLater: boolean;
  isMember: boolean;
}

function mentionOf({ sequence, time, change }: GroupFact, at: Date): Mention {
  return { sequence, isLater: time > at, isMember: change.kind === 'joined' };
}

/** The state after the last of these mentions that no later one precedes. */
function isMemberAfter(mentions: readonly Mention[]): boolean {
  const ordered = mentions.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1));
  const later = ordered.findIndex(({ isLater }) => isLater);
  return (later === -1 ? ordered : ordered.slice(0, later)).at(-1)?.isMember ?? false;
}

/** The mentions of each user in one group, and the deletion of the group, which concerns all of them. */
interface GroupMentions {
  byUser: Map<string, Mention[]>;
  ends: Mention[];
}

function mention(known: GroupMentions, fact: GroupFact, at: Date): void {
  const { change } = fact;
  if (change.kind === 'deleted') known.ends.push(mentionOf(fact, at));
  for (const userKey of 'userKeys' in change ? change.userKeys : []) {
    const mentions = known.byUser.get(userKey);
    if (mentions) mentions.push(mentionOf(fact, at));
    else known.byUser.set(userKey, [mentionOf(fact, at)]);
  }
}

/**
 * The groups of users at a moment, in the order of their ids, by the keys of the users: from all facts, in
 * any order, that add or remove one of them or delete a group.
 */
export async function groupIdsAt(facts: Facts<GroupFact>, at: Date): Promise<Map<string, string[]>> {
  const groups = new Map<string, GroupMentions>();
  for await (const fact of facts) {
    const known = groups.get(fact.record) ?? { byUser: new Map(), ends: [] };
    groups.set(fact.record, known);
    mention(known, fact, at);
  }
  const groupIds = new Map<string, string[]>();
  for (const [groupId, { byUser, ends }] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const [userKey, mentions] of byUser) {
      if (!isMemberAfter([...mentions, ...ends])) continue;
      const known = groupIds.get(userKey);
      if (known) known.push(groupId);
      else groupIds.set(userKey, [groupId]);
    }
  }
  return groupIds;
}
