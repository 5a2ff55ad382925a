import type { ScopedCollection } from '@gatehouse/service';
import type { IndexDescription } from 'mongodb';
import {
  EXPIRY_INDEX,
  HEADER,
  type ResourceDocument,
  type ResourceHeader,
  type SeenResource,
} from './document.js';
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
export function createDashboardLinks(dashboards: ScopedCollection<ResourceDocument>) {
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
      const filter = { linkedVisualIds: { $in: visualIds }, readers: { $in: subjects } };
      const linked = { $setIntersection: ['$linkedVisualIds', [...visualIds]] };
      const reading = { projectId, subjects, also: { linkedVisualIds: linked } };
      return findSeenResources<LinkingDashboard>(dashboards, { filter, hint: 'links' }, reading);
    },

    /** Returns every dashboard that links the visual, with all of its shares and without its links. */
    async findAllLinking(projectId: string, visualId: string): Promise<ResourceHeader[]> {
      const condition = { linkedVisualIds: visualId };
      const { linkedVisualIds: _links, ...projection } = HEADER;
      return dashboards.find<ResourceHeader>(projectId, condition, { projection, hint: 'links' });
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
      const condition = { readers: { $in: [...subjects] }, linkedVisualIds: { $exists: true } };
      const stages = [
        { $unwind: '$linkedVisualIds' },
        { $group: { _id: '$linkedVisualIds' } },
        { $limit: LINKED_MAX },
      ];
      const found = await dashboards.aggregate<{ _id: string }>(projectId, condition, {
        stages,
        hint: 'readers_of_links',
      });
      return found.map(({ _id }) => _id);
    },
  };
}
