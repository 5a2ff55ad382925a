import type { CloudEvent } from '@gatehouse/contract';
import { duplicateKeysOf, tombstone } from '@gatehouse/service';
import type { Collection, Document, Filter, OptionalUnlessRequiredId } from 'mongodb';
import { listIndexName } from './indexes.js';
import { HEADER } from './projections.js';
import type { ResourceDocument, ResourceHeader, SeenResource } from './resourceDocument.js';
import { foldText } from './searchText.js';
import { findSeenResources } from './seenResources.js';

/** A project in its organization. */
export interface Place {
  organizationId: string;
  projectId: string;
}

/** The first write of a copy is the only one, as long as nobody has touched it. */
const UNTOUCHED_REVISION = 1;
/** A title that very many visuals have says little. */
const SAME_TITLES_MAX = 200;

/** Stands where an undone copy was, so that a call of its migration which comes late does not make it again. */
type Mark = Pick<ResourceDocument, '_id' | 'revision' | 'outbox'> & { undoneAt: Date };

/** Reads for migrations: always of one project of one organization. */
function createCopyReads(collection: Collection<ResourceDocument>) {
  return {
    /** Those of the ids, and those with one of the titles that the reader is given, as the reader sees them. */
    async findTargets(
      { organizationId, projectId }: Place,
      { ids, titles }: { ids: readonly string[]; titles: readonly string[] },
      subjects: readonly string[],
    ): Promise<SeenResource[]> {
      const find = (filter: Document) =>
        findSeenResources(collection, { filter: { organizationId, ...filter } }, { projectId, subjects });
      const sameTitles = await collection
        .find<Pick<ResourceDocument, '_id'>>(
          {
            projectId,
            organizationId,
            titleFolded: { $in: titles.map(foldText) },
            readers: { $in: [...subjects] },
          },
          { projection: { _id: 1 }, limit: SAME_TITLES_MAX, hint: listIndexName('title', false) },
        )
        .toArray();
      const wanted = [...new Set([...ids, ...sameTitles.map(({ _id }) => _id)])];
      return wanted.length === 0 ? [] : find({ _id: { $in: wanted } });
    },

    /** Those of the ids that are in this project, in no particular order. */
    async findHeaders(
      { organizationId, projectId }: Place,
      ids: readonly string[],
    ): Promise<ResourceHeader[]> {
      if (ids.length === 0) return [];
      const filter: Filter<ResourceDocument> = { _id: { $in: [...ids] }, organizationId, projectId };
      return collection.find<ResourceHeader>(filter, { projection: HEADER }).toArray();
    },

    /** The resources other than those excepted whose body holds one of the ids. */
    async findHolding(
      { organizationId, projectId }: Place,
      { ids, exceptIds }: { ids: readonly string[]; exceptIds: readonly string[] },
    ): Promise<ResourceHeader[]> {
      if (ids.length === 0) return [];
      // Ids are letters, digits, hyphens and underscores: they are no pattern.
      const body = { $regex: `"(${ids.join('|')})"` };
      const filter: Filter<ResourceDocument> = {
        organizationId,
        projectId,
        _id: { $nin: [...exceptIds] },
        body,
      };
      return collection.find<ResourceHeader>(filter, { projection: HEADER }).toArray();
    },
  };
}

/** Undoes copies, for good. */
function createCopyWrites(collection: Collection<ResourceDocument>) {
  const insertMark = async (id: string, now: Date): Promise<boolean> => {
    const mark: Mark = { _id: id, revision: UNTOUCHED_REVISION, outbox: [], undoneAt: now };
    try {
      await collection.insertOne(mark as unknown as OptionalUnlessRequiredId<ResourceDocument>);
      return true;
    } catch (error) {
      if (duplicateKeysOf(error) === null) throw error;
      return false;
    }
  };
  return {
    /** Deletes a copy that nobody has touched and leaves a mark in its place; false when there is none such. */
    async deleteCopy(
      { organizationId, projectId }: Place,
      { id, migrationId }: { id: string; migrationId: string },
      { events, now }: { events: CloudEvent[]; now: Date },
    ): Promise<boolean> {
      const filter = {
        _id: id,
        organizationId,
        projectId,
        copiedBy: migrationId,
        revision: UNTOUCHED_REVISION,
      };
      // The mark is no tombstone: it outlives the publication of its events.
      const mark = [...tombstone(events, now, []), { $set: { undoneAt: now } }, { $unset: 'deletedAt' }];
      return (await collection.updateOne(filter, mark)).matchedCount > 0;
    },

    /** Sees to it that nothing of this id is made any more; false when there is something of it. */
    markUndone: insertMark,

    /** Whether an id is free, as far as the project sees it: it was never used, or what had it is gone. */
    async isGone(projectId: string, id: string): Promise<boolean> {
      return (await collection.findOne({ _id: id, projectId }, { projection: { _id: 1 } })) === null;
    },

    /** Deletes the marks of before a moment. */
    async deleteMarks(before: Date): Promise<void> {
      await collection.deleteMany({ undoneAt: { $lt: before }, outbox: { $size: 0 } });
    },
  };
}

/** What migrations need beside what everybody does. */
export function createCopyStore(collection: Collection<ResourceDocument>) {
  return { ...createCopyReads(collection), ...createCopyWrites(collection) };
}
