import { isDeepStrictEqual } from 'node:util';
import type { ResourceType } from '@gatehouse/contract';
import { newKey, WriteConflict } from '@gatehouse/service';
import { factsOf, readersOf } from '../../decisions/logic/access.js';
import type { Share } from '../../sharing/logic/grants.js';
import {
  changeParts,
  countParted,
  differenceOf,
  formatPart,
  formatParts,
  isSingleUser,
  partsToChange,
  partShares,
  WITH_PARTS,
  type NewPart,
  type PartedChange,
  type ShareDifference,
  type SharePart,
} from '../logic/partedShares.js';
import type {
  ListedParts,
  PartedField,
  ResourceChange,
  ResourceDocument,
  ResourceHeader,
} from './document.js';
import { countShares } from './headers.js';
import { PACKED_MAX, packShares } from './packedShares.js';
import { newPendingId, partFields, type ShareParts } from './shareParts.js';

/** With fewer shares, the parts go back into the document. */
const PARTED_MIN = PACKED_MAX / 2;

type ShareFields = Partial<
  Pick<ResourceDocument, 'readers'> & {
    packedShares: string | undefined;
    nextExpiryAt: Date | undefined;
    shareParts: ListedParts | undefined;
    /** A former release kept copies of very many shares. */
    shareBuckets: undefined;
  }
>;

/** The parts that a change writes, and the ones that they replace. */
interface Replacement {
  added: readonly NewPart[];
  obsolete: readonly string[];
}

/** How a change writes the shares of a resource, and the readers that follow from them. */
export interface ShareWrite extends Replacement {
  /** The fields to set; undefined unsets a field. */
  fields: ShareFields & Record<string, unknown>;
  /** The resource after the write. */
  after: Pick<ResourceHeader, 'shares' | Exclude<PartedField, 'readParts'>>;
}

const READER_SOURCES = ['isPrivate', 'ownerKey', 'ownerType', 'ownerTenantKey'] as const;

/** Returns true if the owner or the home audience may be another one. */
const changesReaders = (before: ResourceHeader, after: ResourceHeader): boolean =>
  READER_SOURCES.some((field) => before[field] !== after[field]);

/** Returns the owner and the home audience of a resource, and the other subjects that may reach it. */
const readersWith = (type: ResourceType, resource: ResourceHeader, subjects: readonly string[]) => [
  ...readersOf(factsOf(type, { ...resource, shares: [] })),
  ...subjects,
  WITH_PARTS,
];

function earliestExpiry(parts: readonly SharePart[]): Date | undefined {
  const times = parts.flatMap(({ nextExpiry }) => nextExpiry ?? []);
  return times.length === 0 ? undefined : new Date(times.reduce((a, b) => Math.min(a, b)));
}

/** Sets the added and changed shares if no other has moved, and otherwise all of them. */
function setShares(before: readonly Share[], after: readonly Share[]): Record<string, unknown> {
  if (!before.every((share, index) => share.id === after[index]?.id)) return { shares: after };
  const changed = [...after.entries()].filter(([index, share]) => share !== before[index]);
  return Object.fromEntries(changed.map(([index, share]) => [`shares.${index}`, share]));
}

/** Returns the fields of a resource whose document has all shares. */
export function documentFields(type: ResourceType, resource: ResourceHeader): ShareFields {
  const times = resource.shares.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt.getTime()]));
  return {
    readers: readersOf(factsOf(type, resource)),
    packedShares: packShares(resource.shares),
    nextExpiryAt: times.length === 0 ? undefined : new Date(times.reduce((a, b) => Math.min(a, b))),
  };
}

/** Returns the fields of a resource whose shares are in parts. */
function partedFields(
  type: ResourceType,
  resource: ResourceHeader,
  { parts, subjects }: { parts: readonly SharePart[]; subjects: readonly string[] },
) {
  const shareParts = { list: formatParts(parts), subjects };
  return {
    shares: [],
    packedShares: '',
    shareParts,
    readers: readersWith(type, resource, subjects),
    nextExpiryAt: earliestExpiry(parts),
  };
}

const subjectsIn = (shares: readonly Share[]) => [
  ...new Set(shares.map(({ subject }) => subject).filter((subject) => !isSingleUser(subject))),
];

/** Unsets what a former release kept of very many shares in the document. */
function withoutBuckets({ shareParts, shares }: ResourceHeader): ShareFields {
  return shareParts === undefined && shares.length > PACKED_MAX ? { shareBuckets: undefined } : {};
}

/** Writes all shares to new parts. */
function intoParts(
  type: ResourceType,
  [before, after]: readonly [ResourceHeader, ResourceHeader],
  obsolete: readonly string[],
): ShareWrite {
  const { shares } = after;
  const added = partShares(shares, newKey);
  const parts = added.map(({ part }) => part);
  const parted = partedFields(type, after, { parts, subjects: subjectsIn(shares) });
  const fields = { ...parted, ...withoutBuckets(before) };
  const shareParts = { subjects: parted.shareParts.subjects };
  return { added, obsolete, fields, after: { shares, shareParts, parts, unreadShares: 0 } };
}

/** Writes all shares to the document. */
function intoDocument(
  type: ResourceType,
  [before, after]: readonly [ResourceHeader, ResourceHeader],
  obsolete: readonly string[],
): ShareWrite {
  const { shares } = after;
  const isMoved = before.shareParts !== undefined;
  const set = isMoved ? { shares } : setShares(before.shares, shares);
  const unset = isMoved ? { shareParts: undefined } : {};
  const fields = { ...set, ...documentFields(type, after), ...unset, ...withoutBuckets(before) };
  return { added: [], obsolete, fields, after: { shares } };
}

/**
 * Reads the shares that the change has not read, so that all of them are known after it. Of two with the same
 * subject, the one beside the parts is newer.
 */
async function readOthers(
  stored: ShareParts,
  before: ResourceHeader,
  { after, parts }: { after: ResourceHeader; parts: readonly SharePart[] },
): Promise<ResourceHeader> {
  const read = await stored.readShares(
    before.projectId,
    parts.map(({ id }) => id),
  );
  const known = new Set(before.shares.map(({ id }) => id));
  const others = [...read.values()].flat().filter(({ id }) => !known.has(id));
  const bySubject = new Map([...others, ...after.shares].map((share) => [share.subject, share]));
  return { ...after, shares: [...bySubject.values()], unreadShares: 0 };
}

/** The subjects of shares after a change, except for single users. */
function subjectsAfter(before: readonly string[], difference: ShareDifference): readonly string[] {
  const removed = new Set(subjectsIn(difference.removed));
  const kept = before.filter((subject) => !removed.has(subject));
  return [...new Set([...kept, ...subjectsIn(difference.added)])];
}

/** The changes of the list of parts, which may have thousands of bytes, and of the earliest expiry. */
function listFields(before: readonly SharePart[], { parts, added, obsolete }: PartedChange) {
  const list = [
    ...added.map(({ part }) => [`shareParts.list.${part.id}`, formatPart(part)] as const),
    ...obsolete.map((id) => [`shareParts.list.${id}`, undefined] as const),
  ];
  const nextExpiryAt = earliestExpiry(parts);
  const isSame = nextExpiryAt?.getTime() === earliestExpiry(before)?.getTime();
  return { ...Object.fromEntries(list), ...(isSame ? {} : { nextExpiryAt }) };
}

/** A change of a resource with parts. */
interface PartedUpdate {
  before: ResourceHeader;
  after: ResourceHeader;
  listed: Pick<ListedParts, 'subjects'>;
  parts: readonly SharePart[];
}

/** Replaces the parts of the changed shares. */
async function betweenParts(
  stored: ShareParts,
  type: ResourceType,
  { before, after, listed, parts }: PartedUpdate,
): Promise<ShareWrite> {
  const difference = differenceOf(before.shares, after.shares);
  const known = before.readParts ?? new Map<string, readonly Share[]>();
  const unknown = partsToChange(parts, difference).filter((id) => !known.has(id));
  const read = await stored.readShares(before.projectId, unknown);
  const sharesOf = (id: string) => known.get(id) ?? read.get(id) ?? [];
  const changed = changeParts(parts, difference, { sharesOf, newId: newKey });
  const subjects = subjectsAfter(listed.subjects, difference);
  const hasSubjects = !isDeepStrictEqual(subjects, listed.subjects);
  const hasReaders = hasSubjects || changesReaders(before, after);
  const fields = {
    ...listFields(parts, changed),
    ...(hasSubjects ? { 'shareParts.subjects': subjects } : {}),
    ...(hasReaders ? { readers: readersWith(type, after, subjects) } : {}),
  };
  const { shares } = after;
  const unreadShares = countParted(changed.parts) - shares.length;
  const { parts: current } = changed;
  return { ...changed, fields, after: { shares, shareParts: { subjects }, parts: current, unreadShares } };
}

/** Returns how a change of a resource with parts writes its shares. */
async function planParted(stored: ShareParts, type: ResourceType, update: PartedUpdate): Promise<ShareWrite> {
  const { before, after, parts } = update;
  const isSmall = countShares(after) < PARTED_MIN;
  if (!isSmall && before.sharesOutside === undefined) return betweenParts(stored, type, update);
  const whole = await readOthers(stored, before, { after, parts });
  const obsolete = parts.map(({ id }) => id);
  return whole.shares.length < PARTED_MIN
    ? intoDocument(type, [before, whole], obsolete)
    : intoParts(type, [before, whole], obsolete);
}

const UNCHANGED = { added: [], obsolete: [] } as const;

/**
 * Returns how a change writes the shares and the readers of a resource. Throws WriteConflict if a part was
 * replaced since the resource was read.
 */
export async function planShares(
  stored: ShareParts,
  type: ResourceType,
  { before, change }: { before: ResourceHeader; change: ResourceChange },
): Promise<ShareWrite> {
  const after = { ...before, ...change };
  const { shareParts: listed, parts = [], shares, unreadShares, sharesOutside } = after;
  if (change.shares !== undefined) {
    if (listed !== undefined) return planParted(stored, type, { before, after, listed, parts });
    return after.shares.length > PACKED_MAX
      ? intoParts(type, [before, after], [])
      : intoDocument(type, [before, after], []);
  }
  const kept = {
    shares,
    ...(listed === undefined ? {} : { shareParts: listed, parts }),
    ...(unreadShares === undefined ? {} : { unreadShares }),
    ...(sharesOutside === undefined ? {} : { sharesOutside }),
  };
  if (!changesReaders(before, after)) return { ...UNCHANGED, fields: {}, after: kept };
  const subjects = [...(listed?.subjects ?? []), ...(sharesOutside ?? []).map(({ subject }) => subject)];
  const readers =
    listed === undefined ? readersOf(factsOf(type, after)) : readersWith(type, after, [...new Set(subjects)]);
  return { ...UNCHANGED, fields: { readers }, after: kept };
}

/**
 * Runs the write after which a resource lists other parts. The sweep completes or undoes it, if the write
 * fails or this process ends.
 */
export async function replaceParts<R>(
  stored: ShareParts,
  header: ResourceHeader,
  { added, obsolete, write }: Replacement & { write: () => Promise<R> },
): Promise<R> {
  if (added.length === 0 && obsolete.length === 0) return write();
  const { projectId, organizationId, _id: resourceId } = header;
  const place = { organizationId, projectId, resourceId };
  const addedIds = added.map(({ part }) => part.id);
  const partIds = [...addedIds, ...obsolete];
  const pending = { ...place, _id: newPendingId(), partIds, pendingAt: new Date() };
  const documents = added.map(({ part, shares }) => ({ ...place, _id: part.id, ...partFields(shares) }));
  await stored.insert(pending, documents);
  const result = await write().catch(async (error: unknown) => {
    // Nothing was written. After any other error this is not certain.
    if (error instanceof WriteConflict) await stored.delete(pending, addedIds).catch(() => {});
    throw error;
  });
  // A reader that has read the former list would find no share in parts without a successor, and notice
  // nothing. The sweep deletes these, and what fails here.
  if (added.length > 0) await stored.delete(pending, obsolete).catch(() => {});
  return result;
}
