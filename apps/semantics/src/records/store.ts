import {
  containing,
  OUTBOX_INDEX,
  RecordStore,
  usageIndex,
  type LimitsOf,
  type RecordKind,
  type StoredRecord,
  type ListSlice,
  type Slice,
} from '@gatehouse/service';
import type { Db, Document, IndexDescription } from 'mongodb';
import { foldCase } from './logic/fields.js';

/** The fields of every record of a project. `_id` is its public id: it is generated and never reused. */
export interface RecordDocument extends StoredRecord {
  projectId: string;
  name: string;
  /** Absent on tombstones, so that a condition on it leaves them out. */
  nameFolded: string;
  createdBy: string | null;
  /** The migration that created it. */
  copiedBy?: string;
}

/** Indexes of every collection of records. A name is unique among live records only: a deletion frees it. */
export const RECORD_INDEXES: readonly IndexDescription[] = [
  OUTBOX_INDEX,
  { name: 'byName', key: { projectId: 1, nameFolded: 1, _id: 1 } },
  {
    name: 'name',
    key: { projectId: 1, name: 1 },
    unique: true,
    partialFilterExpression: { name: { $exists: true } },
  },
  usageIndex(),
];

const BY_NAME = { nameFolded: 1, _id: 1 } as const;

/** The records of one collection, each in a project. `Listed` is a record without the fields lists omit. */
export abstract class ProjectRecordStore<
  T extends RecordDocument,
  Listed extends RecordDocument = T,
> extends RecordStore<T, 'projectId'> {
  /** The projection of lists. */
  protected readonly listProjection: Document = { outbox: 0, template: 0 };

  constructor(
    database: Db,
    limitsOf: LimitsOf,
    kind: Pick<RecordKind<T, 'projectId'>, 'collection' | 'quota' | 'longFields' | 'omitted'>,
  ) {
    super(database, limitsOf, {
      longFields: [],
      ...kind,
      scope: 'projectId',
      live: { nameFolded: { $gte: '' } },
    });
  }

  find(projectId: string, id: string): Promise<T | null> {
    return this.findByKey(projectId, id);
  }

  /** Throws NOT_FOUND. */
  get(projectId: string, id: string): Promise<T> {
    return this.getByKey(projectId, id);
  }

  /** All records of the project, by name, without the fields that lists omit. */
  async list(projectId: string): Promise<Listed[]> {
    return (await this.listByName(projectId, {}, this.listProjection)) as RecordDocument[] as Listed[];
  }

  /**
   * A part of the records of the project, by name, without the fields that lists omit; with a search, of
   * those whose name contains it in any case.
   */
  async listPart(
    projectId: string,
    { search, ...slice }: ListSlice & { search?: string | undefined },
  ): Promise<Slice<Listed>> {
    // The size is that of the omitted fields, which the part does not contain.
    const projection = { ...this.listProjection, quotaBytes: 0 };
    const condition = search === undefined ? {} : { nameFolded: containing(foldCase(search)) };
    const options = { by: 'nameFolded', projection, ...slice } as const;
    return (await this.findSlice(projectId, condition, options)) as Slice<RecordDocument> as Slice<Listed>;
  }

  /** The number of records of the project, counted up to `limit`. */
  count(projectId: string, limit: number): Promise<number> {
    return this.countMatching(projectId, {}, { limit });
  }

  protected listByName(projectId: string, condition: Document, projection = this.projection): Promise<T[]> {
    return this.findMany(projectId, condition, { projection, sort: BY_NAME });
  }

  /** As `listByName`, one by one. */
  protected scanByName(projectId: string, condition: Document, projection: Document): AsyncGenerator<T> {
    return this.scanMany(projectId, condition, { projection, sort: BY_NAME });
  }
}
