import type { Share } from '../../sharing/logic/grants.js';

/** A part of the shares of a resource, as the resource lists it. */
export interface SharePart {
  id: string;
  count: number;
  /** The earliest expiry of its shares in milliseconds; null if none expires. */
  nextExpiry: number | null;
  /** The place of its first share. The shares before the next part belong to it. */
  first: string;
}

/** Returns true if the subject is a single user. */
export function isSingleUser(subject: string): boolean {
  return subject.startsWith('u:');
}

/**
 * A reader of every resource with parts, and no user: a list without parts needs no look at the single users
 * in them.
 */
export const WITH_PARTS = 'parts';

/** A share by its place: its scope and the public id of its target. */
export type ShareName = Pick<Share, 'scope' | 'targetId'>;

/** The shares of a part have consecutive places: one user's are found without the others. */
export function placeOf({ scope, targetId }: ShareName): string {
  return `${scope} ${targetId ?? ''}`;
}

const NEVER = '-';

/** The parts of a resource by id, in no order: a text for each costs less than a document for each. */
export type PartList = Readonly<Record<string, string>>;

/** Returns the text by which a resource lists a part. */
export function formatPart({ count, nextExpiry, first }: SharePart): string {
  return [count, nextExpiry ?? NEVER, first].join(' ');
}

/** Returns the list that a resource stores of its parts. */
export function formatParts(parts: readonly SharePart[]): PartList {
  return Object.fromEntries(parts.map((part) => [part.id, formatPart(part)]));
}

/** Returns the listed parts in their order. */
export function parseParts(list: PartList): SharePart[] {
  const parts = Object.entries(list).map(([id, text]) => {
    const [count, expiry, ...first] = text.split(' ');
    const nextExpiry = expiry === NEVER ? null : Number(expiry);
    return { id, count: Number(count), nextExpiry, first: first.join(' ') };
  });
  return parts.toSorted((a, b) => (a.first < b.first ? -1 : 1));
}

/** Returns the index of the part in which a share of this place is or would be. */
export function partAt(parts: readonly SharePart[], place: string): number {
  let [low, high] = [0, parts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((parts[middle]?.first ?? '') <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the number of shares in the parts. */
export function countParted(parts: readonly SharePart[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

function earliestOf(shares: readonly Pick<Share, 'expiresAt'>[]): number | null {
  const times = shares.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt.getTime()]));
  return times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b));
}

const byPlace = (a: ShareName, b: ShareName): number => {
  const [one, other] = [placeOf(a), placeOf(b)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

/** A part that is to be written. */
export interface NewPart {
  part: SharePart;
  shares: readonly Share[];
}

/** A part has between half of this number of shares and this number, if there are enough. */
export const PART_SHARES = 64;
/** New parts leave room for further shares. */
const FILL = 0.75;

/** Splits sorted shares into parts. Shares of one place stay together. */
function splitShares(shares: readonly Share[], newId: () => string): NewPart[] {
  const runs = shares.length <= PART_SHARES ? 1 : Math.ceil(shares.length / (PART_SHARES * FILL));
  const size = Math.ceil(shares.length / runs);
  const parts: Share[][] = [];
  for (const share of shares) {
    const last = parts.at(-1);
    const before = last?.at(-1);
    const isFull = last === undefined || before === undefined || last.length >= size;
    if (isFull && (before === undefined || byPlace(before, share) !== 0)) parts.push([share]);
    else last?.push(share);
  }
  return parts.map((run) => {
    const [first] = run;
    if (first === undefined) throw new RangeError('A part has at least one share');
    const part = { id: newId(), count: run.length, nextExpiry: earliestOf(run), first: placeOf(first) };
    return { part, shares: run };
  });
}

/** Distributes shares among parts. */
export function partShares(shares: readonly Share[], newId: () => string): NewPart[] {
  return splitShares(shares.toSorted(byPlace), newId);
}

/** The shares that a change removes and adds. A changed share is removed and added. */
export interface ShareDifference {
  removed: readonly Share[];
  added: readonly Share[];
}

/** Returns how two lists of shares differ. Equal objects are equal shares. */
export function differenceOf(before: readonly Share[], after: readonly Share[]): ShareDifference {
  const [old, current] = [new Set(before), new Set(after)];
  return {
    removed: before.filter((share) => !current.has(share)),
    added: after.filter((share) => !old.has(share)),
  };
}

/** Adjacent parts that a change rewrites as one run of shares, or one part that stays as it is. */
interface Run {
  parts: SharePart[];
  count: number;
  isChanged: boolean;
}

function changesByPart(parts: readonly SharePart[], { removed, added }: ShareDifference) {
  const changes = new Map<number, number>();
  for (const [shares, one] of [
    [removed, -1],
    [added, 1],
  ] as const)
    for (const share of shares) {
      const index = partAt(parts, placeOf(share));
      changes.set(index, (changes.get(index) ?? 0) + one);
    }
  return changes;
}

/**
 * Returns the parts in runs. A part that has become small is joined with the one before it, so two neighbours
 * have more than `PART_SHARES` shares together.
 */
function runsOf(parts: readonly SharePart[], difference: ShareDifference): Run[] {
  const changes = changesByPart(parts, difference);
  const runs: Run[] = [];
  for (const [index, part] of parts.entries()) {
    const isChanged = changes.has(index);
    const count = part.count + (changes.get(index) ?? 0);
    const last = runs.at(-1);
    if (last !== undefined && last.count + count <= PART_SHARES) {
      last.parts.push(part);
      last.count += count;
      last.isChanged = true;
    } else runs.push({ parts: [part], count, isChanged });
  }
  return runs;
}

/** The parts of a resource after a change, and the ones to write and to delete. */
export interface PartedChange {
  parts: SharePart[];
  added: NewPart[];
  obsolete: string[];
}

/** Returns the ids of the parts that {@link changeParts} needs to have read. */
export function partsToChange(parts: readonly SharePart[], difference: ShareDifference): string[] {
  return runsOf(parts, difference).flatMap((run) => (run.isChanged ? run.parts.map(({ id }) => id) : []));
}

/**
 * Changes parts.
 *
 * @param sharesOf returns the shares of a part
 */
export function changeParts(
  parts: readonly SharePart[],
  difference: ShareDifference,
  { sharesOf, newId }: { sharesOf: (partId: string) => readonly Share[]; newId: () => string },
): PartedChange {
  const removed = new Set(difference.removed.map(({ id }) => id));
  const addedTo = new Map<SharePart | undefined, Share[]>();
  for (const share of difference.added) {
    const part = parts[partAt(parts, placeOf(share))];
    const known = addedTo.get(part);
    if (known === undefined) addedTo.set(part, [share]);
    else known.push(share);
  }
  const change: PartedChange = { parts: [], added: [], obsolete: [] };
  for (const run of runsOf(parts, difference)) {
    if (!run.isChanged) {
      change.parts.push(...run.parts);
      continue;
    }
    change.obsolete.push(...run.parts.map(({ id }) => id));
    const shares = run.parts.flatMap((part) => [
      ...sharesOf(part.id).filter(({ id }) => !removed.has(id)),
      ...(addedTo.get(part) ?? []),
    ]);
    const written = partShares(shares, newId);
    change.added.push(...written);
    change.parts.push(...written.map(({ part }) => part));
  }
  return change;
}
