import { retryOnConflict } from '@gatehouse/service';
import type { Document, IndexDescription } from 'mongodb';
import { factsOf, readersOf } from '../../decisions/logic/access.js';
import { WITH_PARTS } from '../logic/partedShares.js';
import { EXPIRY_INDEX, HEADER, type ResourceHeader, type SeenResource } from './document.js';
import { withShares } from './headers.js';
import { findListedIds, type PartedResources } from './reachingShares.js';
import { findSeenResources } from './seen.js';

const hasLinks = { linkedVisualIds: { $exists: true } };
/** Only dashboards link visuals. */
export const LINK_INDEXES: IndexDescription[] = [
  { key: { projectId: 1, linkedVisualIds: 1 }, name: 'links', partialFilterExpression: hasLinks },
  { key: { projectId: 1, readers: 1 }, name: 'readers_of_links', partialFilterExpression: hasLinks },
];

/** A list names them in a query, which may have 16 MiB. */
export const LINKED_MAX = 100_000;

/** A dashboard as one reader sees it, with the visuals that it links. */
type LinkingDashboard = SeenResource & Required<Pick<ResourceHeader, 'linkedVisualIds'>>;

/** Reads the links from dashboards to visuals. */
export function createDashboardLinks(stores: PartedResources) {
  const dashboards = stores.resources;
  return {
    /**
     * Returns the dashboards that link one of the visuals and reach one of the subjects, as their reader sees
     * them, with those of the visuals that they link. They may link thousands of others.
     */
    async findLinking(
      projectId: string,
      visualIds: readonly string[],
      subjects: readonly string[],
    ): Promise<LinkingDashboard[]> {
      if (visualIds.length === 0) return [];
      const readers = [...subjects, WITH_PARTS];
      const filter = { linkedVisualIds: { $in: visualIds }, readers: { $in: readers } };
      const linked = { $setIntersection: ['$linkedVisualIds', [...visualIds]] };
      const reading = { projectId, subjects, also: { linkedVisualIds: linked } };
      const found = await findSeenResources<LinkingDashboard>(stores, { filter, hint: 'links' }, reading);
      // Those with parts may reach others alone.
      const wanted = new Set(subjects);
      return found.filter((each) => readersOf(factsOf('dashboard', each)).some((one) => wanted.has(one)));
    },

    /** Returns every dashboard that links the visual, with all of its shares and without its links. */
    async findAllLinking(projectId: string, visualId: string): Promise<ResourceHeader[]> {
      const condition = { linkedVisualIds: visualId };
      const { linkedVisualIds: _links, ...projection } = HEADER;
      return retryOnConflict(async () => {
        const options = { projection, hint: 'links' };
        const headers = await dashboards.find<ResourceHeader>(projectId, condition, options);
        return withShares(stores, projectId, { headers });
      });
    },

    async countLinking(projectId: string, visualId: string): Promise<number> {
      return dashboards.count(projectId, { linkedVisualIds: visualId }, { hint: 'links' });
    },

    /** Returns true if any share of a linking dashboard has expired and is not yet swept. */
    async hasExpired(projectId: string, now: Date): Promise<boolean> {
      const condition = { linkedVisualIds: { $exists: true }, nextExpiryAt: { $lte: now } };
      const options = { projection: { _id: 1 }, hint: EXPIRY_INDEX };
      return (await dashboards.findOne(projectId, condition, options)) !== null;
    },

    /**
     * Returns the ids of the visuals that the dashboards of one of the subjects link, {@link LINKED_MAX} at
     * most.
     */
    async findLinkedIds(projectId: string, subjects: readonly string[]): Promise<string[]> {
      const linking = { linkedVisualIds: { $exists: true } };
      const stages = [
        { $unwind: '$linkedVisualIds' },
        { $group: { _id: '$linkedVisualIds' } },
        { $limit: LINKED_MAX },
      ];
      const find = (condition: Document, hint: string) =>
        dashboards.aggregate<{ _id: string }>(projectId, { ...condition, ...linking }, { stages, hint });
      const reached = await find({ readers: { $in: [...subjects] } }, 'readers_of_links');
      const ids = await findListedIds(stores, projectId, subjects);
      const parted = ids.length === 0 ? [] : await find({ _id: { $in: ids } }, '_id_');
      return [...new Set([...reached, ...parted].map(({ _id }) => _id))].slice(0, LINKED_MAX);
    },
  };
}
