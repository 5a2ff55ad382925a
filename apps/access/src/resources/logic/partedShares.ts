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

/** Returns the listed parts in their order. To split the texts takes more than twice as long. */
export function parseParts(list: PartList): SharePart[] {
  const parts = Object.entries(list).map(([id, text]) => {
    const countEnd = text.indexOf(' ');
    const expiryEnd = text.indexOf(' ', countEnd + 1);
    const expiry = text.slice(countEnd + 1, expiryEnd);
    const nextExpiry = expiry === NEVER ? null : Number(expiry);
    return { id, count: Number(text.slice(0, countEnd)), nextExpiry, first: text.slice(expiryEnd + 1) };
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

/** Returns the end of the part that begins at a place of all, in order. Shares of one place stay together. */
function endOfPart(places: readonly string[], start: number): number {
  const count = places.length - start;
  if (count <= PART_SHARES) return places.length;
  let end = start + Math.ceil(count / Math.ceil(count / (PART_SHARES * FILL)));
  while (end < places.length && places[end] === places[end - 1]) end += 1;
  return end;
}

/** Distributes shares among parts, of which any two neighbours have more than `PART_SHARES` together. */
export function partShares(shares: readonly Share[], newId: () => string): NewPart[] {
  const sorted = shares.toSorted(byPlace);
  const places = sorted.map(placeOf);
  const parts: NewPart[] = [];
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    end = endOfPart(places, start);
    const own = sorted.slice(start, end);
    const first = places[start] ?? '';
    parts.push({ part: { id: newId(), count: own.length, nextExpiry: earliestOf(own), first }, shares: own });
  }
  return parts;
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
  added: Share[];
  /** The number of shares after the change. */
  count: number;
  isChanged: boolean;
}

/** Returns a run for each part. */
function changedParts(parts: readonly SharePart[], { removed, added }: ShareDifference): Run[] {
  const runs = parts.map((part): Run => ({ parts: [part], added: [], count: part.count, isChanged: false }));
  if (runs.length === 0) runs.push({ parts: [], added: [], count: 0, isChanged: false });
  const change = (share: Share, one: number) => {
    const run = runs[partAt(parts, placeOf(share))];
    if (run === undefined) return;
    run.count += one;
    run.isChanged = true;
    if (one > 0) run.added.push(share);
  };
  for (const share of removed) change(share, -1);
  for (const share of added) change(share, 1);
  return runs;
}

/** The least number of shares of a part of a run. One with too many for a part is split. */
const leastOf = ({ count, isChanged }: Run): number =>
  isChanged && count > PART_SHARES ? PART_SHARES / 2 : count;

/**
 * Returns the parts in runs. A part that has become small is joined with a neighbour, so two neighbours have
 * more than `PART_SHARES` shares together.
 */
function runsOf(parts: readonly SharePart[], difference: ShareDifference): Run[] {
  const runs: Run[] = [];
  for (const run of changedParts(parts, difference)) {
    const last = runs.at(-1);
    if (last !== undefined && leastOf(last) + leastOf(run) <= PART_SHARES) {
      last.parts.push(...run.parts);
      last.added.push(...run.added);
      last.count += run.count;
      last.isChanged = true;
    } else runs.push(run);
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
  const change: PartedChange = { parts: [], added: [], obsolete: [] };
  for (const run of runsOf(parts, difference)) {
    if (!run.isChanged) {
      change.parts.push(...run.parts);
      continue;
    }
    change.obsolete.push(...run.parts.map(({ id }) => id));
    const before = run.parts.flatMap(({ id }) => sharesOf(id));
    const shares = [...before.filter(({ id }) => !removed.has(id)), ...run.added];
    const written = partShares(shares, newId);
    change.added.push(...written);
    change.parts.push(...written.map(({ part }) => part));
  }
  return change;
}
