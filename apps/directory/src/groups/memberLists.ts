import { countLookup, currentDryRun } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import { placeOf } from '../records/logic/userPlaces.js';
import type { GroupMemberStore, GroupState, MemberNames } from './store.js';

/** The members of one group, in the order of lists of users. */
export interface MemberList extends GroupState {
  /** Their places in such a list, ascending. */
  places: readonly string[];
  /** Their keys, in the same order. */
  keys: readonly string[];
}

/** A member of at least one of several groups. */
export interface ListedMember {
  place: string;
  key: string;
  groupIds: string[];
}

/** The most members of all cached groups together. */
const MEMBERS_MAX = 200_000;

function sortMembers({ _id, revision, updatedAt, keys, ids }: MemberNames): MemberList {
  const members = keys.map((key, index) => ({ key, place: placeOf(ids[index] ?? '') }));
  members.sort((one, other) => (one.place < other.place ? -1 : 1));
  return {
    _id,
    revision,
    updatedAt,
    places: members.map(({ place }) => place),
    keys: members.map(({ key }) => key),
  };
}

const isSameState = (one: GroupState, other: GroupState): boolean =>
  one.revision === other.revision && one.updatedAt.getTime() === other.updatedAt.getTime();

/**
 * Reads the sorted members of groups, and caches them: a group may have thousands of members of which a page
 * shows a hundred. The state of each group is read every time, so a cached list is never stale.
 */
export class MemberLists {
  readonly #store: Pick<GroupMemberStore, 'listNames' | 'listStates'>;
  readonly #lists = new LRUCache<string, MemberList>({
    maxSize: MEMBERS_MAX,
    sizeCalculation: ({ keys }) => 1 + keys.length,
  });

  constructor(store: Pick<GroupMemberStore, 'listNames' | 'listStates'>) {
    this.#store = store;
  }

  /** The lists of the groups that exist in the organization, by group id. */
  async read(organizationId: string, groupIds: readonly string[]): Promise<MemberList[]> {
    if (groupIds.length === 0) return [];
    // What a dry run writes is not stored.
    if (currentDryRun())
      return byId((await this.#store.listNames(organizationId, groupIds)).map(sortMembers));
    const states = await this.#store.listStates(organizationId, groupIds);
    const known = states.flatMap((state) => this.#findKnown(state) ?? []);
    const knownIds = new Set(known.map(({ _id }) => _id));
    const missing = states.map(({ _id }) => _id).filter((id) => !knownIds.has(id));
    return byId([...known, ...(await this.#readMissing(organizationId, missing))]);
  }

  #findKnown(state: GroupState): MemberList | undefined {
    const list = this.#lists.get(state._id);
    const isKnown = list !== undefined && isSameState(list, state);
    countLookup('member_lists', isKnown);
    return isKnown ? list : undefined;
  }

  async #readMissing(organizationId: string, groupIds: readonly string[]): Promise<MemberList[]> {
    if (groupIds.length === 0) return [];
    const lists = (await this.#store.listNames(organizationId, groupIds)).map(sortMembers);
    for (const list of lists) this.#lists.set(list._id, list);
    return lists;
  }
}

const byId = (lists: readonly MemberList[]) => lists.toSorted((one, other) => (one._id < other._id ? -1 : 1));

/** The index of the first place after another one. */
function indexAfter(places: readonly string[], place: string): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? '') > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The end of the first `count` places, with all that are equal to the last one: a deleted user remains a
 * member until the clean-up, beside a new user with the same id.
 */
function endOfPlaces(count: number, placeAt: (index: number) => string | undefined): number {
  let end = count;
  while (end > 0 && placeAt(end) !== undefined && placeAt(end) === placeAt(end - 1)) end += 1;
  return end;
}

/**
 * The first members of at least one group after a place, each with those of the groups that contain it: all
 * members up to the place of the last one. `isAll` is true if no further member follows.
 */
export function firstMembers(
  lists: readonly MemberList[],
  { after, count }: { after: string; count: number },
): { members: ListedMember[]; isAll: boolean } {
  const byKey = new Map<string, ListedMember>();
  let isAll = true;
  for (const { _id, places, keys } of lists) {
    const start = indexAfter(places, after);
    const end = endOfPlaces(Math.min(places.length, start + count), (index) => places[index]);
    if (end < places.length) isAll = false;
    for (let index = start; index < end; index += 1) {
      const [key = '', place = ''] = [keys[index], places[index]];
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, { place, key, groupIds: [_id] });
      else known.groupIds.push(_id);
    }
  }
  const sorted = [...byKey.values()].toSorted((one, other) => (one.place < other.place ? -1 : 1));
  const members = sorted.slice(
    0,
    endOfPlaces(count, (index) => sorted[index]?.place),
  );
  return { members, isAll: isAll && members.length === sorted.length };
}
