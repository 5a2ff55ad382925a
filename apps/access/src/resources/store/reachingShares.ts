import { retryOnConflict, WriteConflict, type ScopedCollection } from '@gatehouse/service';
import type { Document } from 'mongodb';
import type { Share } from '../../sharing/logic/grants.js';
import { isSingleUser, type SharePart } from '../logic/partedShares.js';
import type { ListedParts, ResourceDocument } from './document.js';
import { resourceIdsOf, type FoundPart, type ShareParts } from './shareParts.js';

/** The resources of one type, and the parts of their shares. */
export interface PartedResources {
  resources: ScopedCollection<ResourceDocument>;
  parts: ShareParts;
}

/** A resource as read, of which some shares may be in parts. */
export interface MaybeParted {
  _id: string;
  shareParts?: Pick<ListedParts, 'subjects'> & Partial<ListedParts>;
  /** The same as the list. */
  parts?: readonly Pick<SharePart, 'id'>[];
}

type Parted = MaybeParted & Required<Pick<MaybeParted, 'shareParts'>>;

const isParted = (resource: MaybeParted): resource is Parted => resource.shareParts !== undefined;

/** Returns true if the resource lists the part. */
export function listsPart({ shareParts, parts }: MaybeParted, partId: string): boolean {
  return parts ? parts.some(({ id }) => id === partId) : Object.hasOwn(shareParts?.list ?? {}, partId);
}

/** The ids of the parts that the resource lists, as one text. */
function listedIds({ shareParts, parts }: MaybeParted): string {
  const ids = parts ? parts.map(({ id }) => id) : Object.keys(shareParts?.list ?? {});
  return ids.toSorted().join(' ');
}

const LISTED_MAX = 100;

/** Projects whether resources list some parts, and the subjects of their shares. */
export function listedProjection(parts: readonly Pick<FoundPart, '_id'>[]): Document {
  if (parts.length > LISTED_MAX) return { shareParts: 1 };
  const listed = parts.map(({ _id }) => [`shareParts.list.${_id}`, 1]);
  return { 'shareParts.subjects': 1, ...Object.fromEntries(listed) };
}

/** Reads the lists of the parts of some resources. */
function readLists(
  { resources }: PartedResources,
  projectId: string,
  { ids, projection }: { ids: readonly string[]; projection: Document },
): Promise<MaybeParted[]> {
  return resources.find<MaybeParted>(projectId, { _id: { $in: ids } }, { projection });
}

/**
 * Throws WriteConflict if one of the resources lists other parts by now. Otherwise a part that it does not
 * list is one that a change has not listed yet, no longer lists or never will.
 */
async function requireSameParts(
  stores: PartedResources,
  projectId: string,
  read: readonly Parted[],
): Promise<void> {
  if (read.length === 0) return;
  const ids = read.map(({ _id }) => _id);
  const found = await readLists(stores, projectId, { ids, projection: { 'shareParts.list': 1 } });
  const current = new Map(found.map((resource) => [resource._id, listedIds(resource)]));
  if (read.some((resource) => current.get(resource._id) !== listedIds(resource))) throw new WriteConflict();
}

/** Returns those of the subjects that parts of the resources may have shares of. */
function subjectsAmong(parted: readonly Parted[], subjects: readonly string[]): string[] {
  const shared = new Set(parted.flatMap(({ shareParts }) => shareParts.subjects));
  return subjects.filter((subject) => isSingleUser(subject) || shared.has(subject));
}

/** What is read of the shares in parts: of which resources, and for which subjects. */
interface Reach {
  read: readonly MaybeParted[];
  subjects: readonly string[];
}

/**
 * Returns the shares in parts that reach one of the subjects, by resource. Throws WriteConflict if a resource
 * has changed its parts since it was read, and a share may therefore be missing.
 *
 * A change inserts its parts, writes the resource, and then deletes the parts that it replaced, so each share
 * of a subject is found in one of them at any time. It counts only in a part that the resource lists.
 */
export async function readReaching(
  stores: PartedResources,
  projectId: string,
  { read, subjects }: Reach,
): Promise<Map<string, Share[]>> {
  const reaching = new Map<string, Share[]>();
  const parted = read.filter(isParted);
  if (parted.length === 0) return reaching;
  const byId = new Map(parted.map((resource) => [resource._id, resource]));
  const wanted = subjectsAmong(parted, subjects);
  const unlisted = new Set<Parted>();
  const resourceIds = [...byId.keys()];
  const found = await stores.parts.findReaching(projectId, wanted, { resourceIds });
  for (const { _id, resourceId, shares } of found) {
    const resource = byId.get(resourceId);
    if (resource === undefined) continue;
    if (!listsPart(resource, _id)) unlisted.add(resource);
    else reaching.set(resourceId, [...(reaching.get(resourceId) ?? []), ...shares]);
  }
  await requireSameParts(stores, projectId, [...unlisted]);
  return reaching;
}

/**
 * Returns the parts with a share of one of the single users among the subjects, whether or not listed: all,
 * or at most as many as the limit.
 */
export function findUserParts(
  { parts }: PartedResources,
  projectId: string,
  { subjects, limit }: { subjects: readonly string[]; limit?: number },
): Promise<FoundPart[]> {
  return parts.findReaching(projectId, subjects.filter(isSingleUser), limit === undefined ? {} : { limit });
}

/**
 * Returns the same as {@link readReaching}, given the parts of the users that were found before the resources
 * were read, and the resources with {@link listedProjection} of these parts.
 */
export async function completeReaching(
  stores: PartedResources,
  projectId: string,
  { read, subjects, found }: Reach & { found: readonly FoundPart[] },
): Promise<Map<string, Share[]>> {
  const reaching = new Map<string, Share[]>();
  const parted = new Map(read.filter(isParted).map((resource) => [resource._id, resource]));
  const isForOthers = ({ shareParts }: Parted) =>
    subjects.some((subject) => shareParts.subjects.includes(subject));
  const again = new Set([...parted.values()].filter(isForOthers).map(({ _id }) => _id));
  for (const { _id, resourceId, shares } of found) {
    const resource = parted.get(resourceId);
    if (resource === undefined) continue;
    if (!listsPart(resource, _id)) again.add(resourceId);
    else reaching.set(resourceId, [...(reaching.get(resourceId) ?? []), ...shares]);
  }
  if (again.size === 0) return reaching;
  const whole = await readLists(stores, projectId, { ids: [...again], projection: { shareParts: 1 } });
  // The shares are in the document now, which was read without them.
  if (!whole.every(isParted)) throw new WriteConflict();
  const others = await readReaching(stores, projectId, { read: whole, subjects });
  return new Map([...reaching, ...[...again].map((id) => [id, others.get(id) ?? []] as const)]);
}

/**
 * Returns the resources of which a part has a share for a single user among the subjects. Some may not list
 * the part. The fields of a resource itself name all other readers.
 */
export function findPartedIds(
  { parts }: PartedResources,
  projectId: string,
  subjects: readonly string[],
): Promise<string[]> {
  return parts.findResourceIds(projectId, subjects.filter(isSingleUser));
}

/** Returns those of {@link findPartedIds} that list the part. */
export function findListedIds(
  stores: PartedResources,
  projectId: string,
  subjects: readonly string[],
): Promise<string[]> {
  return retryOnConflict(async () => {
    const found = await findUserParts(stores, projectId, { subjects });
    const ids = resourceIdsOf(found);
    if (ids.length === 0) return [];
    const read = await readLists(stores, projectId, { ids, projection: listedProjection(found) });
    const byId = new Map(read.map((resource) => [resource._id, resource]));
    const listed = found.filter(({ _id, resourceId }) =>
      listsPart(byId.get(resourceId) ?? { _id: resourceId }, _id),
    );
    if (listed.length < found.length) {
      // A replaced part has a successor. Other parts stay unlisted.
      const later = new Set((await findUserParts(stores, projectId, { subjects })).map(({ _id }) => _id));
      if (later.size !== found.length || found.some(({ _id }) => !later.has(_id))) throw new WriteConflict();
    }
    return resourceIdsOf(listed);
  });
}
