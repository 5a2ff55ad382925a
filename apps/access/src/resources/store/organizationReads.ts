import { retryOnConflict, type ScopedCollection } from '@gatehouse/service';
import { isExpired } from '../../decisions/logic/access.js';
import { isSingleUser } from '../logic/partedShares.js';
import { HEADER, LIVE, type ResourceDocument, type ResourceHeader } from './document.js';
import { withShares } from './headers.js';
import type { PartedResources } from './reachingShares.js';
import { ORGANIZATION_READERS_INDEX, type HeaderPage } from './reads.js';

/** The resources of an organization, and those of its projects. */
interface OrganizationParts {
  ofOrganization: ScopedCollection<ResourceDocument>;
  stores: PartedResources;
}

/** The headers of several projects, with the shares that reach one of the subjects. */
async function withSharesOf(
  stores: PartedResources,
  headers: readonly ResourceHeader[],
  subjects: readonly string[],
): Promise<ResourceHeader[]> {
  const found = new Map<string, ResourceHeader>();
  for (const projectId of new Set(headers.map((header) => header.projectId))) {
    const ofProject = headers.filter((header) => header.projectId === projectId);
    const read = await withShares(stores, projectId, { headers: ofProject, needed: { subjects } });
    for (const header of read) found.set(header._id, header);
  }
  return headers.flatMap(({ _id }) => found.get(_id) ?? []);
}

/** The resources that a single user reaches by a share in a part. */
async function findParted(
  { ofOrganization, stores }: OrganizationParts,
  organizationId: string,
  { subject, after, limit }: HeaderPage<string> & { subject: string },
): Promise<ResourceHeader[]> {
  if (!isSingleUser(subject)) return [];
  const ids = await stores.parts.findAllResourceIds(organizationId, subject);
  const next = ids.filter((id) => id > (after ?? '')).toSorted();
  const options = { projection: HEADER, hint: '_id_' };
  const found: ResourceHeader[] = [];
  // Parts of deleted resources may be left. A short page would end the list.
  for (let start = 0; start < next.length && found.length < limit; start += limit) {
    const condition = { _id: { $in: next.slice(start, start + limit) }, ...LIVE };
    found.push(...(await ofOrganization.find<ResourceHeader>(organizationId, condition, options)));
  }
  return found;
}

/** Reads all projects of an organization. */
export function createOrganizationReads(all: OrganizationParts) {
  const { ofOrganization, stores } = all;
  return {
    /** Returns true if a share that has not expired reaches the subject, anywhere in the organization. */
    async hasShareFor(organizationId: string, subject: string, now: Date): Promise<boolean> {
      const isInForce = [{ expiresAt: null }, { expiresAt: { $gt: now } }];
      const isInDocument = { shares: { $elemMatch: { subject, $or: isInForce } } };
      // One query for both: a resource may move its shares at any time.
      const condition = { readers: subject, $or: [isInDocument, { shareParts: { $exists: true } }] };
      const options = { projection: HEADER, hint: ORGANIZATION_READERS_INDEX };
      return retryOnConflict(async () => {
        for await (const header of ofOrganization.scan<ResourceHeader>(organizationId, condition, options)) {
          const [read] = await withSharesOf(stores, [header], [subject]);
          if (read?.shares.some((share) => share.subject === subject && !isExpired(share, now))) return true;
        }
        return false;
      });
    },

    /**
     * Returns one page of the resources that the subject owns or has access to in the organization, by id. Of
     * very many shares, they have those of the subject and of the given ones.
     */
    async findHeadersReachedBy(
      organizationId: string,
      subject: string,
      { after, limit, subjects = [] }: HeaderPage<string>,
    ): Promise<ResourceHeader[]> {
      const condition = { readers: subject, _id: { $gt: after ?? '' } };
      return retryOnConflict(async () => {
        const index = { hint: ORGANIZATION_READERS_INDEX, sort: { _id: 1 } } as const;
        const options = { projection: HEADER, ...index, limit };
        const reached = await ofOrganization.find<ResourceHeader>(organizationId, condition, options);
        // In this order: parts are inserted before the resource lists them, and stay if none replaces them.
        const parted = await findParted(all, organizationId, { subject, after, limit });
        const byId = new Map([...reached, ...parted].map((header) => [header._id, header]));
        const page = [...byId.values()].toSorted((a, b) => (a._id < b._id ? -1 : 1)).slice(0, limit);
        return withSharesOf(stores, page, [subject, ...subjects]);
      });
    },
  };
}
