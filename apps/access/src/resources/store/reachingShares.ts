import { retryOnConflict, WriteConflict, type ScopedCollection } from '@gatehouse/service';
import type { Share } from '../../sharing/logic/grants.js';
import { isListed, isSingleUser } from '../logic/partedShares.js';
import type { ListedParts, ResourceDocument } from './document.js';
import type { ShareParts } from './shareParts.js';

/** The resources of one type, and the parts of their shares. */
export interface PartedResources {
  resources: ScopedCollection<ResourceDocument>;
  parts: ShareParts;
}

/** A resource as read, of which some shares may be in parts. */
export interface MaybeParted {
  _id: string;
  shareParts?: ListedParts;
}

type Parted = Required<MaybeParted>;

const isParted = (resource: MaybeParted): resource is Parted => resource.shareParts !== undefined;

/** Returns true if the resource lists the part. */
export function listsPart({ shareParts }: MaybeParted, partId: string): boolean {
  return shareParts !== undefined && isListed(shareParts.list, partId);
}

/**
 * Throws WriteConflict if one of the resources lists other parts by now. Otherwise a part that it does not
 * list is one that a change has not listed yet, no longer lists or never will.
 */
async function requireSameParts(
  { resources }: PartedResources,
  projectId: string,
  read: readonly Parted[],
): Promise<void> {
  if (read.length === 0) return;
  const ids = read.map(({ _id }) => _id);
  const options = { projection: { 'shareParts.list': 1 } };
  const found = await resources.find<Parted>(projectId, { _id: { $in: ids } }, options);
  const current = new Map(found.map(({ _id, shareParts }) => [_id, shareParts?.list]));
  if (read.some(({ _id, shareParts }) => current.get(_id) !== shareParts.list)) throw new WriteConflict();
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
  { read, subjects }: { read: readonly MaybeParted[]; subjects: readonly string[] },
): Promise<Map<string, Share[]>> {
  const reaching = new Map<string, Share[]>();
  const parted = read.filter(isParted);
  if (parted.length === 0) return reaching;
  const byId = new Map(parted.map((resource) => [resource._id, resource]));
  const shared = new Set(parted.flatMap(({ shareParts }) => shareParts.subjects));
  const wanted = subjects.filter((subject) => isSingleUser(subject) || shared.has(subject));
  const found = await stores.parts.findReaching(projectId, [...byId.keys()], wanted);
  const unlisted = new Set<Parted>();
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
  { resources, parts }: PartedResources,
  projectId: string,
  subjects: readonly string[],
): Promise<string[]> {
  const users = subjects.filter(isSingleUser);
  return retryOnConflict(async () => {
    const found = await parts.findOfSubjects(projectId, users);
    const ids = [...new Set(found.map(({ resourceId }) => resourceId))];
    if (ids.length === 0) return [];
    const options = { projection: { 'shareParts.list': 1 } };
    const read = await resources.find<MaybeParted>(projectId, { _id: { $in: ids } }, options);
    const byId = new Map(read.map((resource) => [resource._id, resource]));
    const listed = found.filter(({ _id, resourceId }) =>
      listsPart(byId.get(resourceId) ?? { _id: resourceId }, _id),
    );
    if (listed.length < found.length) {
      // A replaced part has a successor. Other parts stay unlisted.
      const later = new Set((await parts.findOfSubjects(projectId, users)).map(({ _id }) => _id));
      if (later.size !== found.length || found.some(({ _id }) => !later.has(_id))) throw new WriteConflict();
    }
    return [...new Set(listed.map(({ resourceId }) => resourceId))];
  });
}
