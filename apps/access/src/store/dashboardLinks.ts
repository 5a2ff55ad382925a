import type { Collection } from 'mongodb';
import { EXPIRY_INDEX } from './indexes.js';
import { HEADER } from './projections.js';
import type { ResourceDocument, ResourceHeader, SeenResource } from './resourceDocument.js';
import { findSeenResources } from './seenResources.js';

/** A dashboard as one reader sees it, with the visuals that it links. */
export type LinkingDashboard = SeenResource & Required<Pick<ResourceHeader, 'linkedVisualIds'>>;

/** Reads which dashboards link which visuals. */
export function createDashboardLinks(collection: Collection<ResourceDocument>) {
  return {
    /** The dashboards that link one of the visuals and that one of the subjects may reach, as their reader sees them. */
    async findLinking(
      projectId: string,
      visualIds: readonly string[],
      subjects: readonly string[],
    ): Promise<LinkingDashboard[]> {
      if (visualIds.length === 0) return [];
      const filter = { linkedVisualIds: { $in: visualIds }, readers: { $in: subjects } };
      const reading = { projectId, subjects, also: { linkedVisualIds: 1 } };
      return findSeenResources<LinkingDashboard>(collection, { filter, hint: 'links' }, reading);
    },

    /** Every dashboard that links the visual, with all of its shares. */
    async findAllLinking(projectId: string, visualId: string): Promise<ResourceHeader[]> {
      const filter = { projectId, linkedVisualIds: visualId };
      return collection.find<ResourceHeader>(filter, { projection: HEADER, hint: 'links' }).toArray();
    },

    async countLinking(projectId: string, visualId: string): Promise<number> {
      return collection.countDocuments({ projectId, linkedVisualIds: visualId }, { hint: 'links' });
    },

    /** Whether any share of a linking dashboard has expired and is not yet swept. */
    async hasExpired(projectId: string, now: Date): Promise<boolean> {
      const filter = { projectId, linkedVisualIds: { $exists: true }, nextExpiryAt: { $lte: now } };
      return (await collection.findOne(filter, { projection: { _id: 1 }, hint: EXPIRY_INDEX })) !== null;
    },

    /** The visuals that are linked by dashboards which one of the subjects may reach. */
    async findLinkedIds(projectId: string, subjects: readonly string[]): Promise<string[]> {
      const filter = { projectId, readers: { $in: [...subjects] }, linkedVisualIds: { $exists: true } };
      const ids = await collection.distinct('linkedVisualIds', filter, { hint: 'readers_of_links' });
      return ids.filter((id) => id !== undefined);
    },
  };
}
export type DashboardLinks = ReturnType<typeof createDashboardLinks>;
