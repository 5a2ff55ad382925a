import { countLookup, currentDryRun, FairShares } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import { placeOf } from '../records/logic/userPlaces.js';
import { sortInSteps } from './sortInSteps.js';
import type { GroupSize, GroupState, MemberNames } from './store/memberReads.js';
import type { GroupMemberStore } from './store/members.js';

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

/** The first members of several groups; `isAll` is true if no further member follows. */
export interface FirstMembers {
  members: readonly ListedMember[];
  isAll: boolean;
}

/** The size of all cached groups together, in members: about 56 MiB. */
const SIZE_MAX = 250_000;
/** A group without members takes the memory of about as many. */
const GROUP_SIZE = 4;
/** The most members that are read at once, unless one group has more: about 20 MiB. */
const READ_MAX = 50_000;

/**
 * Limits of concurrent reads of members that are not cached, per process and per organization: each takes
 * memory and, to sort the members, the processor of all callers.
 */
const SHARES = { capacity: 4, perShare: 2, waitingPerShare: 64, waiting: 512, waitMs: 5000 };

/** Splits groups into parts that are small enough to read at once. */
function splitBySize(groups: readonly GroupSize[]): GroupSize[][] {
  const parts: GroupSize[][] = [];
  let room = 0;
  for (const group of groups) {
    const part = parts.at(-1);
    if (part !== undefined && group.memberCount <= room) part.push(group);
    else {
      parts.push([group]);
      room = READ_MAX;
    }
    room -= group.memberCount;
  }
  return parts;
}

async function sortMembers({ _id, revision, updatedAt, keys, ids }: MemberNames): Promise<MemberList> {
  const members = await sortInSteps(
    keys.map((key, index) => ({ key, place: placeOf(ids[index] ?? '') })),
    (one, other) => one.place < other.place,
  );
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

const byId = <T extends GroupState>(groups: readonly T[]): T[] =>
  groups.toSorted((one, other) => (one._id < other._id ? -1 : 1));

/**
 * Reads the sorted members of groups, and caches them: a group may have thousands of members of which a page
 * shows a hundred. The state of each group is read every time, so a cached list is never stale.
 */
export class MemberLists {
  readonly #store: Pick<GroupMemberStore, 'listNames' | 'listStates'>;
  readonly #lists = new LRUCache<string, MemberList>({
    maxSize: SIZE_MAX,
    sizeCalculation: ({ keys }) => GROUP_SIZE + keys.length,
  });
  readonly #shares = new FairShares(SHARES);

  constructor(store: Pick<GroupMemberStore, 'listNames' | 'listStates'>) {
    this.#store = store;
  }

  /**
   * Yields the lists of the groups that exist in the organization, by group id, in parts: all groups of an
   * organization together may have more members than the memory holds.
   */
  async *read(organizationId: string, groupIds: readonly string[]): AsyncGenerator<MemberList[]> {
    if (groupIds.length === 0) return;
    const groups = byId(await this.#store.listStates(organizationId, groupIds));
    const size = groups.reduce((sum, { memberCount }) => sum + GROUP_SIZE + memberCount, 0);
    // Groups that do not fit together would evict each other, and those of all other organizations.
    const keepsAll = size <= SIZE_MAX;
    for (const part of splitBySize(groups)) yield this.#readPart(organizationId, part, keepsAll);
  }

  /** The first members of the groups after a place: see {@link firstMembers}. */
  async findFirst(organizationId: string, groupIds: readonly string[], place: Place): Promise<FirstMembers> {
    let first: FirstMembers = { members: [], isAll: true };
    for await (const lists of this.read(organizationId, groupIds)) first = firstMembers(lists, place, first);
    return first;
  }

  async #readPart(
    organizationId: string,
    groups: readonly GroupState[],
    keepsAll: boolean,
  ): Promise<MemberList[]> {
    const known = this.#findKnown(groups);
    const knownIds = new Set(known.map(({ _id }) => _id));
    for (const { _id } of groups) countLookup('member_lists', knownIds.has(_id));
    if (known.length === groups.length) return known;
    return this.#shares.run(organizationId, () => this.#readMissing(organizationId, groups, keepsAll));
  }

  async #readMissing(
    organizationId: string,
    groups: readonly GroupState[],
    keepsAll: boolean,
  ): Promise<MemberList[]> {
    // Another caller may have read them while this one waited.
    const known = this.#findKnown(groups);
    const knownIds = new Set(known.map(({ _id }) => _id));
    const missing = groups.map(({ _id }) => _id).filter((id) => !knownIds.has(id));
    if (missing.length === 0) return known;
    const lists: MemberList[] = [];
    for (const names of await this.#store.listNames(organizationId, missing))
      lists.push(await sortMembers(names));
    if (keepsAll && currentDryRun() === null) for (const list of lists) this.#lists.set(list._id, list);
    return byId([...known, ...lists]);
  }

  /** The cached lists of groups in these states. What a dry run writes is not stored. */
  #findKnown(groups: readonly GroupState[]): MemberList[] {
    if (currentDryRun() !== null) return [];
    return groups.flatMap((state) => {
      const list = this.#lists.get(state._id);
      return list !== undefined && isSameState(list, state) ? [list] : [];
    });
  }
}

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

/** Where a part of a list of members begins, and how many it has. */
interface Place {
  after: string;
  count: number;
}

/**
 * The first members of at least one group after a place, each with those of the groups that contain it: all
 * members up to the place of the last one. `before` has those of other groups.
 */
export function firstMembers(
  lists: readonly MemberList[],
  { after, count }: Place,
  before: FirstMembers,
): FirstMembers {
  const byKey = new Map(before.members.map((member) => [member.key, member]));
  let { isAll } = before;
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
  const end = endOfPlaces(count, (index) => sorted[index]?.place);
  return { members: sorted.slice(0, end), isAll: isAll && sorted.length <= end };
}
